"""Condition expressions: forms, text and names."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from bt_exec.spec.condition_expression import All, Any_, Expression, Is, Not, named_conditions

ADAPTER: TypeAdapter[Any] = TypeAdapter(Expression)


@pytest.mark.parametrize(
    ("form", "model", "said"),
    [
        ("lit", Is(name="lit"), "lit"),
        ({"lit": {}}, Is(name="lit"), "lit"),
        ({"lit": None}, Is(name="lit"), "lit"),
        ({"lid_is": {"state": "open"}}, Is(name="lid_is", args={"state": "open"}), "lid_is open"),
        ({"not": "lit"}, Not(of=Is(name="lit")), "not lit"),
        ({"all": ["a", "b"]}, All(of=(Is(name="a"), Is(name="b"))), "a and b"),
        ({"any": ["a", {"not": "b"}]}, Any_(of=(Is(name="a"), Not(of=Is(name="b")))), "a or not b"),
    ],
)
def test_expression_forms_are_parsed(form: Any, model: Any, said: str) -> None:
    read = ADAPTER.validate_python(form)
    assert read == model
    assert str(read) == said
    assert ADAPTER.validate_python(ADAPTER.dump_python(read)) == read
    assert ADAPTER.validate_python(read) is read


def test_leaves_are_in_order_from_left_to_right() -> None:
    form = {"all": ["a", {"any": [{"not": "b"}, {"c": {"x": 1}}]}, {"not": {"all": ["d"]}}]}
    assert [leaf.name for leaf in named_conditions(ADAPTER.validate_python(form))] == [
        "a",
        "b",
        "c",
        "d",
    ]


def test_expression_is_never_evaluated_as_code() -> None:
    """Source code of a programming language is an unknown condition name."""
    assert ADAPTER.validate_python("__import__('os')") == Is(name="__import__('os')")
