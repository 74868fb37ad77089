"""The image pack: questions about a picture; entry point in `bt_exec_skills.image.pack`."""
