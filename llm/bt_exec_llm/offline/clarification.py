"""Clarification questions for incomplete commands and probable typos."""

from __future__ import annotations

from collections.abc import Iterable

from bt_exec.language.messages import Messages
from bt_exec_llm.offline.command_understanding import understand
from bt_exec_llm.offline.earlier_commands import SessionHistory
from bt_exec_llm.offline.library_index import Index
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.utterance_frames import step_keys

__all__ = ["clarification_question", "missing_types", "understood_commands"]

_MOST_KEPT = 1000
"""Maximum size of the cache of suggestions, which stores whether each is understood."""
_LEFT_OUT = ("NO_OBJECT", "NO_REFERENT")


def missing_types(found: RefusalReason, text: str, index: Index) -> tuple[str, ...]:
    """Return the types of the values that a command lacks; empty if it lacks none.

    If several sets of values would complete the command, the smallest one is returned. Only values
    and texts are included, because the operator can answer with them in a word.
    """
    if found.missing or found.code not in _LEFT_OUT:
        return found.missing
    lexicon = index.reader.lexicon
    for step in index.reader.read_steps(text):
        keys = step_keys(step)
        concepts = {lexicon.general_verb(verb) for verb in step.verbs}
        wanted = [
            frame.keys - keys
            for verb in sorted(concepts)
            for frame in index.frames.by_verb.get(verb, [])
            if keys - {"me"} <= frame.keys and frame.keys - keys
        ]
        if wanted:
            addressed = any(piece.kind == "text" for piece in step.pieces)
            ranks = {
                one: (len(one), bool(one & lexicon.recipient_types) != addressed) for one in wanted
            }
            least = min(wanted, key=lambda one: (*ranks[one], sorted(one)))
            names = [key.removeprefix("text:") for key in sorted(least)]
            return tuple(name for name in names if ":" not in name)
    return ()


def clarification_question(
    kind: str, language: str, index: Index, messages: Messages, own: Messages
) -> str:
    """Return the question that asks the operator for a value of a type.

    Args:
        kind: Name of the type.
        language: Language of the command.
        index: Index with the names of the values.
        messages: Sentences of the site; ``ASK_Arm`` asks for an `Arm`.
        own: Sentences of the compiler, used if the site has none for the type.
    """
    if f"ASK_{kind}" in messages:
        return messages.say(f"ASK_{kind}", language)
    values = index.reader.lexicon.values.get(kind, {})
    names = [
        next(iter(value.ko if language == "ko" else value.en), name).strip("[]()")
        for name, value in values.items()
        if value.plain
    ]
    if names and len(names) <= 4 and not any(set(name) & set("[](|)") for name in names):
        return own.say("ASK_ONE", language, names=", ".join(names))
    word = messages.translate_word(kind, language)
    return own.say("ASK", language, kind=word) if word != kind else own.say("ASK_WHAT", language)


def understood_commands(
    commands: Iterable[str], language: str, index: Index, most: int
) -> tuple[str, ...]:
    """Return up to `most` of the `commands` that the compiler understands."""
    found: list[str] = []
    for command in commands:
        if len(found) == most:
            break
        key = language, command
        if key not in index.understood:
            if len(index.understood) >= _MOST_KEPT:
                index.understood.clear()
            understood = understand(command, language, index, SessionHistory())
            index.understood[key] = not isinstance(understood, RefusalReason | str)
        if index.understood[key]:
            found.append(command)
    return tuple(found)
