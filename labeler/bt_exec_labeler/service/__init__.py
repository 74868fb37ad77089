"""Labelling over HTTP: the request format, and the service."""
