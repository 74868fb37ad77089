"""Test doubles for language models: a local Messages server and a scripted model."""
