"""Terminal views: live tree, lines, summaries, tables. They never run a mission."""
