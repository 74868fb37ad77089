"""Functions that the plan formats of packs share."""
