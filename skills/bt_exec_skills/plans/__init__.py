"""Shared parts of the plan formats of packs."""
