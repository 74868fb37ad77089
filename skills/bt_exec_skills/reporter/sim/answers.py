"""Answers of the people in the simulated building."""

from __future__ import annotations

from collections.abc import Mapping

from bt_exec_skills.reporter.reporting.speaker import Reply

__all__ = ["STOCK", "replies_of"]

STOCK: tuple[Mapping[str, str], ...] = (
    {"en": "Next Tuesday at three.", "ko": "다음 주 화요일 3시에 합시다."},
    {"en": "Let us do it tomorrow morning.", "ko": "내일 오전에 하죠."},
    {"en": "Yes, that is fine.", "ko": "네, 그렇게 하세요."},
    {"en": "I will look at it this week.", "ko": "이번 주 안에 확인해 보겠습니다."},
    {"en": "Please ask me again on Friday.", "ko": "금요일에 다시 물어봐 주세요."},
)
"""Predefined answers."""
_REFUSAL = {"en": "I have no time now.", "ko": "지금은 시간이 없습니다."}


def replies_of(answer: str, drawn: int) -> Mapping[str, Mapping[str, Reply] | None]:
    """Return the answers of all people for a `ScriptedSpeaker`.

    Args:
        answer: "random", "none", "refuse", or the text of the answer.
        drawn: Number that selects among the predefined answers.
    """
    if answer == "none":
        return {"*": None}
    if answer == "refuse":
        return {"*": {language: Reply(text, refused=True) for language, text in _REFUSAL.items()}}
    words = STOCK[drawn % len(STOCK)] if answer == "random" else {"en": answer, "ko": answer}
    return {"*": {language: Reply(text) for language, text in words.items()}}
