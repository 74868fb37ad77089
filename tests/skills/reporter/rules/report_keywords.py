"""Expressions that ask for a report. Spacing, endings and politeness of commands may vary."""

from __future__ import annotations

REPORT_KEYWORDS = (
    *("보고 와", "보고와", "보고 와줘", "보고와줘", "보고 와서 알려줘", "보고와서 알려줘"),
    *("내게 다시 알려줘", "다시 알려줘", "나한테 와서 말해줘", "나한테 와서 알려줘"),
    *("나한테 알려줘", "결과를 알려줘", "결과 알려줘", "나한테 보고해줘", "보고해줘"),
)
