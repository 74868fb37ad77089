"""User-supplied models: interfaces, their checkers, and the protocol over HTTP."""
