"""Small domain on the shared foundation: a world with physics, a camera, a robot, a report."""
