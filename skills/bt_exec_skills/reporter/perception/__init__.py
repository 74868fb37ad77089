"""Perception of the reporter: people, objects and light, by place."""
