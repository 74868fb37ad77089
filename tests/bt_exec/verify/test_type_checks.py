"""Types: accepted values, compatibility, names and choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

import pytest
from pydantic import BaseModel, Field

from bt_exec.skill import Label
from bt_exec.verify.type_checks import (
    Unfit,
    convert_word,
    is_assignable,
    item_types,
    listed_values,
    type_mismatch,
    type_name,
)

Side = Literal["left", "right"]


class Point(BaseModel):
    x: float


@dataclass
class Size:
    width: int


class Quacks(Protocol):
    def quack(self) -> None: ...


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (str, "no"),
        (float, 3),
        (float, -2.5),
        (int, 3),
        (bool, False),
        (Side, "left"),
        (Annotated[Side, Label()], "right"),
        (Annotated[int, Field(ge=1)], 1),
        (int | None, None),
        (list[float], [1, 2.5]),
        (tuple[float, float], [1.0, 2.0]),
        (dict[str, int], {"a": 1}),
        (Point, {"x": 1.5}),
        (Size, {"width": 2}),
        (Any, object()),
        (None, "the type is unknown, which is told elsewhere"),
        (Literal["$x"], "$$x"),
        (list[Literal["$x"]], ["$$x"]),
    ],
)
def test_valid_value_is_accepted(hint: Any, value: Any) -> None:
    assert type_mismatch(hint, value) is None


@pytest.mark.parametrize(
    ("hint", "value", "why"),
    [
        (bool, "no", Unfit()),
        (bool, 1, Unfit()),
        (int, "5", Unfit()),
        (int, 5.5, Unfit()),
        (int, True, Unfit()),
        (float, "nan", Unfit()),
        (str, 5, Unfit()),
        (Side, "up", Unfit()),
        (Side, None, Unfit()),
        (Annotated[int, Field(ge=1)], 0, Unfit("must be greater than or equal to 1")),
        (list[int], [1, "a"], Unfit("must be a valid integer", (1,))),
        (Point, {"x": "a"}, Unfit("must be a valid number", ("x",))),
        (Point, {}, Unfit("field required")),
        (Quacks, "quack", Unfit("only a skill can make one; give a saved result as $name")),
    ],
)
def test_invalid_value_is_refused(hint: Any, value: Any, why: Unfit) -> None:
    assert type_mismatch(hint, value) == why


def test_python_object_is_not_a_valid_string() -> None:
    assert type_mismatch(str, object()) is not None


@pytest.mark.parametrize(
    ("target", "source", "yes"),
    [
        (str, str, True),
        (float, int, True),
        (int, float, False),
        (int, bool, True),
        (Any, int, True),
        (int, Any, True),
        (str, Side, True),
        (Side, str, False),
        (Side, Literal["left"], True),
        (Literal["left"], Side, False),
        (Annotated[Side, Label()], Side, True),
        (int | str, int, True),
        (int, int | str, False),
        (int | str | None, int | str, True),
        (int | str, Side, True),
        (int | str, Literal["a", 1], True),
        (float | None, int, True),
        (list[float], list[int], True),
        (list[int], list[float], False),
        (list, list[int], True),
        (list[int], list, False),
        (dict[str, int], list[int], False),
        (Point, Size, False),
        (object, Size, True),
        (Quacks, Size, False),
        (str, list[str], False),
        (Side | None, Side, True),  # an optional item is included, too
        (Side | None, Literal["left"], True),
        (Annotated[Side, Label()] | None, Side, True),
        (Side | Literal["up"], Literal["up", "left"], True),
        (Side | int, Literal["left", 3], True),
        (Side | int, Literal["left", "up"], False),
        (Side | None, str, False),
        (Side, Side | None, False),
        (float, Literal[1], True),
        (int, Literal["1"], False),
        (list[str], Side, False),
        (Quacks, Side, False),
        (None, Side, True),  # unknown type, which is reported elsewhere
        (Side, None, True),
        (tuple[int], list[int], False),
        (tuple[int], tuple[int, int], False),
        (tuple[int, int], tuple[int], False),
        (tuple[float, str], tuple[int, str], True),
        (tuple[float, str], tuple[int, int], False),
        (tuple[float, ...], tuple[int, ...], True),
        (dict[str, float], dict[str, int], True),
        (dict[str, int], dict[int, int], False),
        (tuple, list[int], False),
    ],
)
def test_is_assignable_compares_the_types_of_target_and_source(
    target: Any, source: Any, yes: bool
) -> None:
    assert is_assignable(target, source) is yes


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (Side, "left|right"),
        (float, "number"),
        (int | None, "integer or nothing"),
        (Side | Literal["any"], "left|right|any"),
        (list[Side | Literal["any"]], "list of left|right|any"),
        (Side | int, "left|right or integer"),
        (list[float], "list of number"),
        (dict[str, int], "mapping"),
        (Point, "Point"),
        (Annotated[bool, "x"], "boolean"),
        (str, "text"),
        (Annotated[Side, "x"] | None, "left|right or nothing"),
        (list, "list"),
        (tuple[int, int], "list"),
        (Sequence[str], "list of text"),
        (list[list[int]], "list of list of integer"),
        (Quacks, "Quacks"),
        (Any, "Any"),
    ],
)
def test_type_names_are_readable(hint: Any, said: str) -> None:
    assert type_name(hint) == said


@pytest.mark.parametrize(
    ("hint", "word", "value"),
    [
        (int, "3", 3),
        (float, "0.5", 0.5),
        (bool, "true", True),
        (int, "three", "three"),
        (str, "3", "3"),
        (None, "3", "3"),
        (int, 3.5, 3.5),
        (Literal["1", "2"], "1", "1"),
    ],
)
def test_text_is_converted_to_the_type(hint: Any, word: Any, value: Any) -> None:
    read = convert_word(hint, word)
    assert (read, type(read)) == (value, type(value))


def test_choices_and_item_types_are_derived_from_a_type() -> None:
    assert listed_values(Annotated[Side, Label()]) == ("left", "right")
    assert listed_values(bool) == ("true", "false")
    assert listed_values(str) == ()
    assert item_types(list[int], 2) == [int, int]
    assert item_types(Sequence[str], 1) == [str]
    assert item_types(tuple[int, str], 2) == [int, str]
    assert item_types(tuple[int, str], 3) is None
    assert item_types(tuple[int, ...], 2) == [int, int]
    assert item_types(list, 1) == [Any]
    assert item_types(tuple, 2) == [Any, Any]
    assert item_types(Annotated[list[int], "x"], 1) == [int]
    assert item_types(None, 2) == item_types(Any, 2) == [Any, Any]
    assert item_types(dict[str, int], 1) is None
    assert item_types(str, 1) is None


def test_annotated_type_with_unhashable_metadata_is_accepted() -> None:
    noted = Annotated[int, {"unit": "mm"}]
    assert type_mismatch(noted, 3) is None
    assert type_mismatch(noted, "three") is not None
