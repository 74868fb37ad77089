"""Perception that packs share."""
