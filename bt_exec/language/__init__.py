"""Language: what a command means, as types; no words of any domain."""
