"""Planning of commands: compilers, verification of plans, and repair after failures."""
