"""What tools do to a picture, as plain functions; `bt_exec_skills.image.tools` names them all."""
