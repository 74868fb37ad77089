"""Programs written by a language model: requested, parsed, checked and tested."""
