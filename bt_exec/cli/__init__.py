"""Command line. Modules import their dependencies only when a command runs."""
