"""Parallel runs that can be resumed: execution engines, output folders and result stores."""
