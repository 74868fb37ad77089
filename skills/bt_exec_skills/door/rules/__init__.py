"""What every plan for the door must keep: passes change a plan, checkers find problems."""
