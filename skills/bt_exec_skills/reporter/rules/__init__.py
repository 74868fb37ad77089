"""What every plan of the reporter must keep, whoever wrote it: one file a rule, each a pass."""
