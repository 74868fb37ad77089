"""Declared facts, and how used facts are compared with them."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.declarations.declared_facts import DeclaredFacts, declared_facts_of
from bt_exec.failure import RegistrationError
from bt_exec.pack import Catalogue, Pack

Arm = Literal["left", "right"]
TYPES = {"Arm": Arm, "Place": Annotated[str, "a place"], "text": str}
FACTS = {
    "door": ("open", "closed"),
    "hand.{Arm}": ("empty", "cup"),
    "at": ("{Place}",),
    "doorway": ("free", "{Arm}"),
    "spot.{Place}": ("on {Place}", "hand"),
}
DECLARED = DeclaredFacts([(FACTS, TYPES)])


@pytest.mark.parametrize(
    ("name", "value", "arguments"),
    [
        ("door", "open", {}),
        ("door", "open|closed", {}),
        ("hand.{arm}", "empty", {"arm": Arm}),
        ("hand.{arm}", "empty", {"arm": Annotated[Arm, "x"]}),
        ("hand.left", "cup", {}),
        ("hand.{arm}", "{thing}", {"arm": Arm, "thing": Literal["cup"]}),
        ("hand.{arm}", "{thing}", {"arm": str, "thing": str}),
        ("at", "{place}", {"place": str}),
        ("at", "anywhere", {}),
        ("doorway", "free|{arm}", {"arm": Arm}),
        ("spot.{it}", "on {place}", {"it": str, "place": str}),
        ("{fact}", "{value}", {"fact": str, "value": str}),
    ],
)
def test_declared_facts_are_accepted(name, value, arguments):
    assert list(DECLARED.mistakes(name, value, arguments)) == []


@pytest.mark.parametrize(
    ("name", "value", "arguments", "code", "found", "nearest"),
    [
        ("dor", "open", {}, "UNKNOWN_FACT", "dor", "door"),
        ("hnad.{arm}", "empty", {"arm": Arm}, "UNKNOWN_FACT", "hnad.{arm}", "hand.{Arm}"),
        ("hand.{a}", "cup", {"a": Literal["up"]}, "UNKNOWN_FACT", "hand.{a}", "hand.{Arm}"),
        ("hand", "empty", {}, "UNKNOWN_FACT", "hand", "hand.{Arm}"),
        ("att", "{place}", {"place": str}, "UNKNOWN_FACT", "att", "at"),
        ("door", "opne", {}, "UNKNOWN_FACT_VALUE", "opne", "open"),
        ("door", "open|dok", {}, "UNKNOWN_FACT_VALUE", "dok", "open"),
        ("door", "open|", {}, "UNKNOWN_FACT_VALUE", "", "open"),
        ("hand.{arm}", "cpu", {"arm": Arm}, "UNKNOWN_FACT_VALUE", "cpu", "cup"),
        ("hand.left", "{it}", {"it": Literal["cup", "mug"]}, "UNKNOWN_FACT_VALUE", "mug", "cup"),
        ("door", "?", {}, "UNKNOWN_FACT_VALUE", "?", "open"),
        ("spot.{a}", "in {b}", {"a": str, "b": str}, "UNKNOWN_FACT_VALUE", None, "on {Place}"),
    ],
)  # fmt: skip
def test_undeclared_facts_are_reported_with_the_nearest_name(
    name, value, arguments, code, found, nearest
):
    (mistake,) = DECLARED.mistakes(name, value, arguments)
    assert mistake.code == code
    assert mistake.found == (value if found is None else found)
    assert mistake.allowed[0] == nearest


def test_unknown_value_of_a_fact_is_accepted_when_allowed():
    assert list(DECLARED.mistakes("door", "?", may_be_unknown=True)) == []


def test_pack_without_declarations_has_no_facts():
    (mistake,) = DeclaredFacts([]).mistakes("door", "open")
    assert (mistake.code, mistake.allowed) == ("UNKNOWN_FACT", ())


def test_names_and_values_are_listed_as_declared():
    assert DECLARED.names() == tuple(FACTS)
    assert DECLARED.values("hand.left") == ("empty", "cup")
    assert DECLARED.values("nothing") == ()


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ([], "facts must map names to values"),
        ({"door": "open"}, "facts must map names to values"),
        ({"door": (1,)}, "facts must map names to values"),
        ({1: ("a",)}, "facts must map names to values"),
        ({"door": ()}, "'door' has no value"),
        ({"hand.{Amr}": ("a",)}, r"names the type {Amr}, which does not exist; .* first: Arm"),
        ({"hand.{": ("a",)}, r"facts: 'hand.{'"),
    ],
)
def test_malformed_declaration_is_refused(facts, message):
    with pytest.raises(RegistrationError, match=message):
        declared_facts_of(facts, TYPES, "pack p")
    with pytest.raises(RegistrationError):
        Catalogue([Pack("p", facts=facts, types={"Arm": Arm})])


def test_pack_may_use_facts_of_the_packs_that_it_requires():
    base = Pack("base", facts={"lamp": ("on",)})
    more = Pack("more", requires=("base",), facts={"fan": ("on",)})
    other = Pack("other", facts={"door": ("open",)})
    catalogue = Catalogue([other, more, base])
    assert set(catalogue.facts_usable_by("more").names()) == {"fan", "lamp"}
    assert set(catalogue.facts_usable_by("base").names()) == {"lamp"}
    assert set(catalogue.facts.names()) == {"fan", "lamp", "door"}


NAMES = st.text("abc.", min_size=1, max_size=6)


@given(st.dictionaries(NAMES, st.lists(NAMES, min_size=1, max_size=3), max_size=4), NAMES, NAMES)
def test_facts_without_templates_match_only_declared_names_and_values(facts, name, value):
    found = list(DeclaredFacts([(facts, {})]).mistakes(name, value))
    if name not in facts:
        assert [one.code for one in found] == ["UNKNOWN_FACT"]
    elif value not in facts[name]:
        assert [one.code for one in found] == ["UNKNOWN_FACT_VALUE"]
    else:
        assert found == []
