"""Merging of the parts of a command, so that a shared beginning is executed only once."""

from __future__ import annotations

import re
from dataclasses import replace

from bt_exec.language.closed_classes import closed_words
from bt_exec_llm.offline.command_part import Part
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.step import QUESTION
from bt_exec_llm.offline.utterance_frames import Frames

__all__ = ["append_parts"]

_AGAIN = (*closed_words("en", "again"), *closed_words("ko", "again"))
_WORD = re.compile(r"\w+")


def append_parts(
    parts: list[Part], more: list[Part], frames: Frames, lexicon: Lexicon
) -> list[Part]:
    """Return `parts` and the parts of a step, without any that only begin or repeat another."""
    size = len(more)
    if (
        size > 1
        and len(parts) >= size
        and all(
            _is_beginning_of(old, new, frames, lexicon)
            for old, new in zip(parts[-size:], more, strict=True)
        )
    ):
        return [*parts[:-size], *more]
    found, again = list(parts), _asks_to_repeat(more[0])
    while found and not again and _is_beginning_of(found[-1], more[0], frames, lexicon):
        found.pop()
    if (
        found
        and size == 1
        and (more[0].borrowed or _is_asked_again(found[-1], more[0], lexicon))
        and not (again or more[0].rescues)
        and _includes(found[-1], more[0])
    ):
        return [*found[:-1], _with_report(found[-1], more[0])]
    if found and size == 1 and not again and _answers_question_before(found[-1], more[0]):
        return found
    return [*found, *more]


def _with_report(first: Part, part: Part) -> Part:
    """Return `first`; its answer is reported if `part` asks for a report."""
    if first.step is None or part.step is None or part.step.via != "tell":
        return first
    return replace(first, step=replace(first.step, reported=True))


def _includes(first: Part, part: Part) -> bool:
    """Return True if `first` does all that `part` asks for, as in "Who is there? Go look"."""
    known = {**first.args, **{name: first.args.get(name) for name in part.args}}
    return replace(part, args=known).effect == first.effect and part.args.items() <= known.items()


def _is_asked_again(first: Part, part: Part, lexicon: Lexicon) -> bool:
    """Return True if both parts are questions, and the site has no verbs that end a mission."""
    asked = [one.step is not None and QUESTION in one.step.verbs for one in (first, part)]
    return all(asked) and not lexicon.closing


def _answers_question_before(asked: Part, part: Part) -> bool:
    """Return True if `part`, a step of looking ("go and see"), answers the question before it."""
    if asked.step is None or asked.step.verbs != (QUESTION,) or asked.step.via != "ask":
        return False
    same = asked.tree == part.tree and asked.condition == part.condition
    return same and part.borrowed and part.times == 1 and part.args.items() <= asked.args.items()


def _asks_to_repeat(part: Part) -> bool:
    """Return True if a part asks for a repetition ("and check it again")."""
    said = f" {' '.join(_WORD.findall(part.text.casefold()))} "
    return any(f" {word} " in said for word in _AGAIN)


def _is_beginning_of(first: Part, part: Part, frames: Frames, lexicon: Lexicon) -> bool:
    if max(first.turns, part.turns, first.tries, part.tries) > 1:
        return False
    if first.condition != part.condition or first.times != 1 or first.rescues or part.rescues:
        return False
    if first.tree == part.tree and part.borrowed:
        return first.args != part.args and set(first.args.items()) <= set(part.args.items())
    if (first.tree, part.tree) not in frames.parts:
        return False
    known = {str(v) for v in part.args.values()}
    for piece in part.step.pieces if part.step else ():
        if piece.kind == "value":
            value = lexicon.values.get(piece.name, {}).get(piece.value)
            known |= {*value.brings.values()} if value is not None else set()
            known.add(piece.value)
    return {str(v) for v in first.args.values()} <= known
