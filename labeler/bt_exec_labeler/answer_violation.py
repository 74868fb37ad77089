"""Violations of the rules for a labeler's answers, with messages in English and Korean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bt_exec.language.korean_particles import with_particles
from bt_exec.spec.shipped_yaml import parse_yaml

__all__ = ["Breach", "catalogue", "catalogue_sentence", "make_breach"]


@dataclass(frozen=True, slots=True)
class Breach:
    """Violation of a rule for a labeler's answers.

    Attributes:
        code: Stable name of the rule, such as ``UNKNOWN_OP``.
        where: Path of the field, such as ``short_goal_dsl[1].args.arm``.
        message: English message with the found and the allowed values.
        sentence: Key of the message in ``breach.yaml``; empty for a message without translation.
        facts: Values for the placeholders of the message.
    """

    code: str
    where: str
    message: str
    sentence: str = ""
    facts: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """Return ``where: message [CODE]``."""
        return f"{self.where}: {self.message} [{self.code}]"

    def said(self, language: str) -> str:
        """Return the message in a language; unchanged if it has no translation."""
        return (
            catalogue_sentence(self.sentence, language, **dict(self.facts))
            if self.sentence
            else self.message
        )


def make_breach(code: str, where: str, sentence: str, **facts: Any) -> Breach:
    """Return a breach whose message has the key `sentence` in ``breach.yaml``."""
    named = tuple((name, str(fact)) for name, fact in facts.items())
    return Breach(code, where, catalogue_sentence(sentence, "en", **dict(named)), sentence, named)


def catalogue_sentence(sentence: str, language: str, **facts: Any) -> str:
    """Return a message of ``breach.yaml`` with `facts` inserted, which are not translated."""
    said = catalogue()[sentence][language].format_map(facts)
    return with_particles(said) if language == "ko" else said


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    """Return the messages of ``breach.yaml`` by key and language."""
    found: Mapping[str, Mapping[str, str]] = parse_yaml(
        Path(__file__).with_name("breach.yaml").read_text(encoding="utf-8")
    )
    return found
