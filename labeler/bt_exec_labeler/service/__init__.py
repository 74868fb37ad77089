"""Labelling over HTTP: what a request holds, and the service that answers it."""
