"""The image pack: questions about a picture; its entry point is in `bt_exec_skills.image.pack`."""
