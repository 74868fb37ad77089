"""Protocol of a tabletop simulator over HTTP: client and server."""
