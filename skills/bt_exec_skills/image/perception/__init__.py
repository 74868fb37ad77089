"""Image operations as plain functions; `bt_exec_skills.image.tools` lists them all."""
