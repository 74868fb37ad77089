"""Runs a written program where it can do no harm; `run_program` is the way in."""
