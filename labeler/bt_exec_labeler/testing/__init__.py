"""Recordings to try labelers on."""
