"""Finding the way: a grid map, A*, what is new since the map, steering, and the drive itself."""
