"""What is said: sentences by code and language, and the language of a text."""
