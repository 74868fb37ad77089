"""The reporter pack; `bt_exec_skills.reporter.pack` holds what the executive finds."""
