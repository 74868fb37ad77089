"""What people see: the live tree, lines, summaries, tables. Nothing here runs a mission."""
