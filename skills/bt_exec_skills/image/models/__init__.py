"""User-supplied models: interfaces, conformance checks, and an HTTP client and server."""
