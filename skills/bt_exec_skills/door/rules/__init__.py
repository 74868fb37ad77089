"""Rules for every plan of the door pack: passes change a plan, checkers report problems."""
