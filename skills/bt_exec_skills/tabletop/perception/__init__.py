"""How the pack perceives: the objects of the environment, where they are and what holds them."""
