"""Quality of labels: checks of each record, of a run, and of two runs together."""
