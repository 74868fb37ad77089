"""A program written by a language model: asked for, read, checked, tried; never trusted."""
