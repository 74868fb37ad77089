"""Motion code shared by packs: stepwise motions, base class of simulated robots, and IK."""
