"""Recordings and models for tests of labelers."""
