"""Parts of motions that packs share: stepwise motions, base class of simulated robots, and IK."""
