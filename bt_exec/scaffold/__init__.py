"""Files to start from: a pack, a skill, a condition, a tree, a site."""
