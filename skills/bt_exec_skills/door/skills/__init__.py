"""Skills of the door pack (one per file), conditions and shared parts."""
