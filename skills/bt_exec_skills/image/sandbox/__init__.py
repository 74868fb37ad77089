"""Sandboxed execution of written programs; `run_program` is the entry point."""
