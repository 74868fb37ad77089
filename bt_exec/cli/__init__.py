"""The command line. Every module imports what it needs when a command runs, not before."""
