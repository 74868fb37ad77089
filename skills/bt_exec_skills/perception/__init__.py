"""Perception that packs share: contracts, the oracle, camera faults, votes over time."""
