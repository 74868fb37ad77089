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
from pydantic import BaseModel, Field

from bt_exec.journal import json_text
from bt_exec.journal.json_text import replace_surrogates, to_bounded_json, to_json


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


class BadItems(dict[str, int]):
    """Mapping whose items cannot be read."""

    def items(self) -> Any:
        raise ValueError


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
        ("x" * 5_000_000, f"{'x' * 100_000}… (5000000 characters)"),
        (BadItems(a=1), "<BadItems: ValueError>"),
        ({"a": BadItems(a=1), "b": 2}, {"a": "<BadItems: ValueError>", "b": 2}),
    ],
)
def test_any_value_becomes_plain_json(value: object, plain: object) -> None:
    assert json.loads(to_json(value)) == plain


def test_recursive_value_is_truncated() -> None:
    assert "…" in to_json(ring())
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert to_json(deep).startswith("[[[")


@given(st.text(alphabet=st.characters()))
def test_clean_text_is_valid_utf8(text: str) -> None:
    cleaned = replace_surrogates(text)
    assert cleaned.encode().decode() == cleaned
    assert cleaned == replace_surrogates(cleaned)
    assert len(cleaned) == len(text)


class Other:
    """Object that JSON cannot represent. It forces the conversion of the whole value."""

    def __repr__(self) -> str:
        return "other"


@pytest.mark.parametrize("make", [lambda inner: [inner], lambda inner: {"a": inner}])
def test_value_nested_deeper_than_48_is_truncated(make: Any) -> None:
    deep: Any = "end"
    for _ in range(60):
        deep = make(deep)
    plain = json.loads(to_json([Other(), float("nan"), deep]))
    assert plain[:2] == ["other", "NaN"]
    inner, depth = plain[2], 1
    while not isinstance(inner, str):
        inner, depth = inner[0] if isinstance(inner, list) else inner["a"], depth + 1
    assert (inner, depth) == ("…", 49)


@pytest.mark.slow
def test_value_with_too_many_parts_is_truncated_at_the_end() -> None:
    # the list and the number count one each, as does each empty list; the last ones are truncated
    plain = json.loads(to_json([float("nan"), *([] for _ in range(100_010))]))
    assert len(plain) == 100_000
    assert plain[-2:] == [[], "…"]


def test_text_of_the_maximum_length_is_kept() -> None:
    assert json.loads(to_json("x" * 3_999_998)) == "x" * 3_999_998
    assert json.loads(to_json("x" * 3_999_999)).endswith("x… (3999999 characters)")


def test_array_of_64_numbers_is_written() -> None:
    assert json.loads(to_json(np.zeros(64))) == [0.0] * 64
    assert json.loads(to_json(np.zeros(65))) == "array of shape (65,), float64"


def test_json_is_compact_and_not_escaped() -> None:
    assert to_json({"문": [1, 2]}) == '{"문":[1,2]}'
    assert to_json(2**1023) == str(2**1023)
    assert to_json([float("nan"), 2**1024]) == '["NaN","a number of 1025 bits"]'


@dataclass
class Box:
    inner: Any


def test_dataclass_counts_as_two_nesting_levels() -> None:
    deep: Any = "end"
    for _ in range(40):
        deep = Box(deep)
    inner, depth = json.loads(to_json([float("nan"), deep]))[1], 0
    while isinstance(inner, dict):
        inner, depth = inner["inner"], depth + 1
    assert (inner, depth) == ("…", 24)


def test_set_of_mixed_types_is_sorted() -> None:
    assert to_json({1, "a", None}) == '["a",1,null]'


class Named(BaseModel):
    inner: int = Field(default=1, alias="in")
    other: int = 2


def test_model_is_written_by_alias_without_defaults() -> None:
    assert to_json([Named(**{"in": 5}), Named()]) == '[{"in":5},{}]'


@pytest.mark.parametrize("huge", [{str(n): n for n in range(400_000)}, [0] * 600_000])
def test_huge_value_is_truncated_before_it_is_encoded(huge: Any, monkeypatch) -> None:
    lengths: list[int] = []
    encode = json_text._ENCODER.encode
    monkeypatch.setattr(
        json_text._ENCODER, "encode", lambda value: lengths.append(len(value["a"])) or encode(value)
    )
    text, cut = to_bounded_json({"a": huge, "b": 1})
    assert (cut, json.loads(text)["b"]) == (True, 1)
    assert max(lengths) <= 100_000
