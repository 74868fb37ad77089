"""Models of user data: every mistake is named with its place and what is allowed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import ValidationError

from bt_exec.failure import SpecError, UsageError
from bt_exec.spec.user_data_validation import (
    UserData,
    first_error,
    load_model,
    read_settings,
    validated_model,
    value_error,
)
from bt_exec.spec.yaml_source import read_text, sorted_by_position


class Wheel(UserData):
    size: int
    spokes: int = 8


class Cart(UserData):
    wheels: Mapping[str, tuple[Wheel, ...]]
    speed: float = 1.0


TEXT = """
wheels:
  front:
    - {size: 3, spoks: 2}
    - {spokes: many}
sped: 2
"""


def test_each_mistake_is_reported_with_its_position_and_the_allowed_fields():
    with pytest.raises(SpecError) as told:
        validated_model(Cart, read_text(TEXT, "cart.yaml"))
    assert [str(problem) for problem in sorted_by_position(told.value.problems)] == [
        "cart.yaml:4:17: wheels/front[0]/spoks: unknown field 'spoks' (allowed: spokes, size) "
        "[UNKNOWN_FIELD]",
        "cart.yaml:5:7: wheels/front[1]: the field 'size' is missing [MISSING_FIELD]",
        "cart.yaml:5:16: wheels/front[1]/spokes: must be a whole number (found 'many') [BAD_VALUE]",
        "cart.yaml:6:1: sped: unknown field 'sped' (allowed: speed, wheels) [UNKNOWN_FIELD]",
    ]


def test_error_in_a_file_of_another_kind_is_not_marked_as_checkable(tmp_path):
    for text in (TEXT, "wheels: ["):
        file = tmp_path / "cart.yaml"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(SpecError) as told:
            load_model(Cart, file)
        assert not told.value.checkable


def test_invalid_setting_error_names_its_owner_and_the_known_settings():
    with pytest.raises(UsageError) as told:
        read_settings(Wheel, {"spoks": 2, "size": "x"}, "the wheel", such_as="size=3")
    assert str(told.value) == (
        "setting 'size' of the wheel: input should be a valid integer, unable to parse string as "
        "an integer; the wheel has no setting 'spoks'; known: spokes, size; for example size=3"
    )
    with pytest.raises(UsageError, match=r"known: colour, size$"):
        read_settings(Wheel, {"colr": 2, "size": 3}, "the wheel", ("size", "colour"))


def test_first_error_is_one_sentence():
    with pytest.raises(ValidationError) as told:
        Wheel.model_validate({"size": "x"})
    assert value_error(told.value) == "size='x': must be a whole number"
    assert first_error(told.value).startswith("size: input should be a valid integer")
