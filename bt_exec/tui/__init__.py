"""Terminal views of missions: live tree, lines, summaries and tables."""
