"""Stand-ins for language models in tests: a local Messages server and a scripted model."""
