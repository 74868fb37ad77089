"""Perception that packs share: interfaces, the oracle, camera faults, votes over pictures."""
