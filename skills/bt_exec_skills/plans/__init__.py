"""Plans as packs read them from text: what their formats share."""
