"""Planning: from a command to a verified plan, and to the next plan after a failure."""
