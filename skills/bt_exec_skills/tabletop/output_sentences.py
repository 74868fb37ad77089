"""Sentences for subgoals, names and reports in English and Korean, from ``sentences.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from bt_exec.language.korean_particles import with_particles
from bt_exec.language.plurals import with_plurals
from bt_exec.spec.shipped_yaml import read_yaml

__all__ = ["sentence"]


@cache
def _sentences() -> Mapping[str, Mapping[str, str]]:
    return cast(
        Mapping[str, Mapping[str, str]], read_yaml(Path(__file__).with_name("sentences.yaml"))
    )


def sentence(name: str, language: str, **facts: Any) -> str:
    """Return the sentence `name` in a language, with the facts inserted."""
    said = _sentences()[name][language].format(**facts)
    return with_particles(said) if language == "ko" else with_plurals(said)
