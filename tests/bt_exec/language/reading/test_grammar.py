"""Grammars as data: valid rules, and rules refused at loading."""

from __future__ import annotations

import pytest

from bt_exec.language.reading.chart import Edge, parse
from bt_exec.language.reading.grammar import Grammar
from bt_exec.language.reading.lexicon import Language
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.meaning_template import GrammarError


def word(start, category, meaning=None):
    return Edge(start, start + 1, category, meaning, 0.0, text=category)


def read(lines, words, lists=None):
    grammar = Grammar({"rules": lines, "lists": lists or {}}, ["case"])
    edges = [word(place, *each) for place, each in enumerate(words)]
    return [edge.meaning for edge in parse(grammar, edges, len(words), "s")]


RED, BIG = (Node("has", (("attribute", name),)) for name in ("red", "big"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a=x b=y", "needs '->'"),
        ("a=x b=y -> $a", "used in the meaning"),
        ("a=x a=y -> $a", "used in the meaning"),
        ("x -> any()", "carries meaning"),
        ("a=x -> unknown($a)", "not a kind of node"),
        ("a=x -> not($a", "not closed"),
        ("a=x? -> $a", "always present"),
        ("a=x -> any($a)", "takes 0 arguments"),
    ],
)
def test_invalid_rule_is_refused(line, problem):
    with pytest.raises(GrammarError, match=problem):
        Grammar({"rules": {"s": [line]}}, [])


def test_items_in_braces_match_in_any_order():
    lines = {"s": ["{ a=x b=y } ~end -> and($a, $b)"]}
    for words in ([("x", RED), ("y", BIG)], [("y", BIG), ("x", RED)]):
        (meaning,) = read(lines, [*words, ("~end",)])
        assert meaning == Node("and", (("of", (RED, BIG)),))


def test_absent_optional_item_is_left_out_of_the_meaning():
    lines = {"s": ["a=x b=y? -> and($a, $b)"]}
    assert read(lines, [("x", RED)]) == [RED]


def test_readings_are_sorted_by_cost():
    lines = {"s": ["a=x -> not($a) @ 0.5", "a=x -> $a"]}
    assert read(lines, [("x", RED)]) == [RED, Node("not", (("of", (RED,)),))]


def test_list_placeholder_matches_each_value_of_the_list():
    lines = {"s": ["a=x verb.<M> -> $a"], "verb.ask": ["~v -> _"], "verb.if": ["~w -> _"]}
    grammar_lists = {"M": ["ask", "if"]}
    for literal in ("~v", "~w"):
        assert read(lines, [("x", RED), (literal,)], grammar_lists) == [RED]


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("orders", [False, True])
def test_shipped_grammar_rules_are_valid(language, orders):
    assert len(Language(language, orders).grammar.lines) > 150
