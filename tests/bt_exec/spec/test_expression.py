"""Condition expressions: forms, what they say, what they name."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from bt_exec.spec.expression import All, Any_, Expression, Is, Not, leaves

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
def test_forms(form: Any, model: Any, said: str) -> None:
    read = ADAPTER.validate_python(form)
    assert read == model
    assert str(read) == said
    assert ADAPTER.validate_python(ADAPTER.dump_python(read)) == read
    assert ADAPTER.validate_python(read) is read


def test_leaves_from_left_to_right() -> None:
    form = {"all": ["a", {"any": [{"not": "b"}, {"c": {"x": 1}}]}, {"not": {"all": ["d"]}}]}
    assert [leaf.name for leaf in leaves(ADAPTER.validate_python(form))] == ["a", "b", "c", "d"]


def test_nothing_is_evaluated() -> None:
    """An expression of a programming language is a name that nothing answers to."""
    assert ADAPTER.validate_python("__import__('os')") == Is(name="__import__('os')")
