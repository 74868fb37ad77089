"""Door pack; its entry point is in `bt_exec_skills.door.pack`."""
