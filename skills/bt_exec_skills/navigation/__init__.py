"""Navigation: occupancy grid, obstacle layer, A*, global and local planner, and driving."""
