from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.journal.plain import clean, to_json


class Colour(Enum):
    RED = "red"


@dataclass
class Pose:
    x: float
    arm: Colour


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def ring() -> list[Any]:
    loop: list[Any] = [1]
    loop += [loop, loop]
    return loop


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"문": "열림"}, {"문": "열림"}),
        ((1, 2.5, None, True), [1, 2.5, None, True]),
        (float("nan"), "NaN"),
        ([float("inf"), -float("inf")], ["Infinity", "-Infinity"]),
        ({(1, 2): {3: 4}}, {"(1, 2)": {"3": 4}}),
        ({1, 2}, [1, 2]),
        (np.float32(0.5), 0.5),
        (np.arange(3), [0, 1, 2]),
        (np.float32("nan"), "NaN"),
        (np.zeros((480, 640, 3), np.uint8), "array of shape (480, 640, 3), uint8"),
        (Pose(1.0, Colour.RED), {"x": 1.0, "arm": "red"}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        ({"a": 1}.keys(), ["a"]),
        (Path("/a"), "/a"),
        (b"ab", "b'ab'"),
        (SimpleNamespace(a=1), "namespace(a=1)"),
        (Rude(), "<Rude: RuntimeError>"),
        ([1 << 20_000], ["a number of 20001 bits"]),
        ("a\ud800b\x00", "a?b\x00"),
        ("x" * 5_000_000, {"left_out": "5000002 characters"}),
    ],
)
def test_everything_becomes_plain(value: object, plain: object) -> None:
    assert json.loads(to_json(value)) == plain


def test_what_contains_itself_is_cut() -> None:
    assert "…" in to_json(ring())
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert to_json(deep).startswith("[[[")


@given(st.text(alphabet=st.characters()))
def test_clean_text_is_text_that_utf8_can_hold(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.encode().decode() == cleaned
    assert cleaned == clean(cleaned)
    assert len(cleaned) == len(text)
