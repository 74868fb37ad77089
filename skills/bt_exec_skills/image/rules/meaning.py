"""A question as `bt-exec understand` shows it: one act with its roles."""

from __future__ import annotations

from bt_exec.language.meaning import Act, Meaning, Role, RoleName, WordUse
from bt_exec_skills.image.rules.question import Phrase, Question

__all__ = ["meaning_of"]


def meaning_of(question: Question, language: str) -> Meaning:
    """Return the meaning of a question: what is asked for, of what, and what is not meant."""
    parts: list[tuple[RoleName, Phrase, str]] = [("theme", question.target, "")]
    parts += [("theme", one, "not") for one in question.left_out]
    if question.landmark is not None:
        parts.append(("place", question.landmark, question.relation or ""))
    if question.other is not None:
        parts.append(("topic", question.other, "compared with"))
    roles = tuple(_role(name, phrase, relation) for name, phrase, relation in parts)
    if question.kind == "alike":
        roles += (Role("manner", "value", "Aspect", question.aspect),)
    act = Act(question.kind, roles, "ask")
    return Meaning(language, (act,), tuple(map(_use, roles)))


def _role(name: RoleName, phrase: Phrase, relation: str) -> Role:
    value = " ".join([*phrase.attributes, phrase.thing]).strip() or "anything"
    return Role(name, "text", "Thing", value, phrase.said, relation)


def _use(role: Role) -> WordUse:
    text = role.text or role.value
    return WordUse(text, 0, len(text), "role", f"{role.role}: {role.value}")
