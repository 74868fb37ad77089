"""The packs that ship with bt-exec: one folder for each pack; packs do not import each other."""
