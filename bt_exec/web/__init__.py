"""Foundation of web applications: request checks, errors, pages, event streams, the server."""
