"""How the reporter perceives: people, things and light, gathered place by place."""
