"""How good labels are: checks of each record, of a whole run, and of two runs together."""
