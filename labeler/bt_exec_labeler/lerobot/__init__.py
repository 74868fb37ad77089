"""LeRobot data sets: read as episodes, written with language columns."""
