"""Shared parts of web applications: request checks, login, errors, pages, streams, server."""
