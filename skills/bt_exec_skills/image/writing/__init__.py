"""Generation of programs by a language model: request, parsing, checks and trial runs."""
