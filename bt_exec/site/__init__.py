"""Site files and the data that is shipped."""
