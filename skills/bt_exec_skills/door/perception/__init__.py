"""How the door pack perceives: detectors, the state of the door, observations."""
