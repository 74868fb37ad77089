"""HTTP service for labelling, and its request format."""
