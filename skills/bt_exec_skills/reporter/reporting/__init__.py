"""What the reporter notes, says and writes down."""
