"""Sandboxed execution of generated programs; `run_program` is the entry point."""
