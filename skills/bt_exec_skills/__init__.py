"""The packs that ship with bt-exec; each is a folder, none imports another."""
