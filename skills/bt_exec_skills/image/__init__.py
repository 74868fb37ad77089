"""Image pack: questions about a picture; the entry point is in `bt_exec_skills.image.pack`."""
