"""Models that users bring: contracts, their checkers, and the protocol over HTTP."""
