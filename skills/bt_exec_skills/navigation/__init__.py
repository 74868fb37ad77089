"""Navigation: grid map, A*, an obstacle layer, local planning and the drive itself."""
