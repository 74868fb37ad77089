"""Terminal views: the live tree, lines, summaries, tables. Nothing here runs a mission."""
