"""Recordings for tests of labelers."""
