"""Language: the meaning of commands as types; no words of any domain."""
