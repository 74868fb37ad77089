"""Templates for a pack, a skill, a condition, a tree and a site."""
