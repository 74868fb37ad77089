"""Evaluation of compilers on labelled commands; nothing moves."""
