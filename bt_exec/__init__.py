"""bt-exec: a behaviour-tree mission executive for robots."""
