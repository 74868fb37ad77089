"""Motions that packs share."""
