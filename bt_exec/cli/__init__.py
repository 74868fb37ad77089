"""Command line. Every module imports its dependencies when a command runs."""
