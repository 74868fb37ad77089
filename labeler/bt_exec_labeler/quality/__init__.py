"""Quality of labels: checks of records, a report of a run, and agreement of two runs."""
