"""Parallel runs that survive kills: execution engines, output folders and result stores."""
