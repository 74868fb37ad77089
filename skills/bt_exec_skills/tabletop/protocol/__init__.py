"""The protocol of a tabletop simulator over HTTP, both sides of it."""
