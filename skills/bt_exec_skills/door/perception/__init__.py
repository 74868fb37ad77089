"""Perception of the door pack: detectors, the state of the door, observations."""
