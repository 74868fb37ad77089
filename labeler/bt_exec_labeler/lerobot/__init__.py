"""Reader and writer for LeRobot data sets with language columns."""
