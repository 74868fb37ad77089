"""The door pack; `bt_exec_skills.door.pack` holds what the executive finds."""
