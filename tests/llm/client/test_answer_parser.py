"""Reading of model answers: tolerated deviations, refusals, and the choice among documents."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.spec.load import parse
from bt_exec_llm.client.answer_parser import read_answer
from bt_exec_llm.client.documents_in_answer import without_thoughts
from tests.cases import examples

TREE = """\
tree: shut
root:
  sequence:
    - do: close_door
      with: {arm: right}
"""
DATA = {"tree": "shut", "root": {"sequence": [{"do": "close_door", "with": {"arm": "right"}}]}}
JSON = json.dumps(DATA)

FENCE, AROUND = "taken out of a fence", "words around the document left out"
SLIPS = "JSON with errors read as YAML"

TOLERATED: dict[str, tuple[str, tuple[str, ...]]] = {
    "plain yaml": (TREE, ()),
    "plain json": (JSON, ()),
    "json over lines": (json.dumps(DATA, indent="\t"), ()),
    "a fence": (f"```yaml\n{TREE}```", (FENCE,)),
    "a fence with words": (f"Sure!\n\n```yaml\n{TREE}```\nIt closes the door.", (FENCE,)),
    "a fence without a name": (f"```\n{JSON}\n```", (FENCE,)),
    "a fence of tildes": (f"~~~ yml\n{TREE}~~~", (FENCE,)),
    "a fence that is never closed": (f"Here:\n```yaml\n{TREE}", (FENCE,)),
    "an indented fence": (
        "1. so:\n   ```yaml\n" + textwrap.indent(TREE, "   ") + "   ```\n",
        (FENCE,),
    ),
    "crlf": (TREE.replace("\n", "\r\n"), ()),
    "words before yaml": (f"Here is the tree.\n\n{TREE}", (AROUND,)),
    "words around yaml": (f"Here you go:\n{TREE}\nI hope this helps: enjoy!", (AROUND,)),
    "words around json": (f"Plan: {JSON} Done.", (AROUND,)),
    "an apostrophe before json": (f"That's it, it's: {JSON}", (AROUND,)),
    "thoughts": (f"<think>\ntree: no\n```\nx\n```\n</think>\n{TREE}", ("thoughts left out",)),
    "thoughts without a start": (f"hm, {{hm}}\n</think>{TREE}", ("thoughts left out",)),
    "trailing commas": (JSON.replace("}]", "},]").replace('"}', '",}'), (SLIPS,)),
    "single quotes": (JSON.replace('"', "'"), (SLIPS,)),
    "no quotes": (JSON.replace('"', ""), (SLIPS,)),
    "python": (str(DATA), (SLIPS,)),
    "comments in json": (
        JSON.replace('"root"', '// the "root"\n"root" /* here */'),
        ("comments left out",),
    ),
    "curly quotes": (JSON.replace('"', "“"), ("curly quotes made straight",)),
    "two commas": (JSON.replace(", ", ",, "), ("surplus commas removed",)),
    "tabs": (
        TREE.replace("    ", "\t\t").replace("\t\t  ", "\t\t\t"),
        ("tabs turned into spaces",),
    ),
    "hard spaces": (
        TREE.replace("    ", "\u00a0" * 4),
        ("no-break spaces replaced",),
    ),
    "characters that cannot be seen": (
        TREE.replace("- do", "-\u200b do"),
        ("invisible characters removed",),
    ),
    "tight colons": (TREE.replace("do: ", "do:"), ("a space put after a colon",)),
    "case": (
        TREE.replace("tree", "Tree").replace("sequence", "SEQUENCE").replace("do:", "Do:"),
        ("keys in another case: Do for do, SEQUENCE for sequence, Tree for tree",),
    ),
    "half characters in escapes": (JSON.replace("right", "\\ud83d\\udeaa"), ()),
}


@pytest.mark.parametrize("case", TOLERATED)
def test_small_deviations_are_tolerated(case: str) -> None:
    text, notes = TOLERATED[case]
    reading = read_answer(text)
    wanted: Any = DATA
    if case.startswith("half"):
        wanted = json.loads(text)
    assert reading.data == wanted
    assert reading.notes == notes
    assert reading.complete
    assert not reading.problems
    assert reading.source is not None
    assert parse(reading.source).document


CUT = [
    JSON[:-1],
    JSON[:-2],
    JSON[: JSON.index("right") + 2],
    JSON[: JSON.index("close_door")],
    '{"tree": "shut", "root": {"do": "x"},',
    '{"tree": "shut", "root":',
    "Here: " + JSON[:-3],
    "```json\n" + JSON[:-3],
]


@pytest.mark.parametrize("text", CUT)
def test_partial_answer_is_read_and_marked_incomplete(text: str) -> None:
    reading = read_answer(text)
    assert reading.data["tree"] == "shut"
    assert not reading.complete
    assert reading.notes[-2:].count("cut off: open brackets and quotes closed") == 1


REFUSED = {
    "a bomb": ("tree: &a [x]\nroot: [*a, *a]", "ANCHOR"),
    "a bomb in a fence": ("```yaml\ntree: &a [x]\nroot: [*a, *a]\n```", "ANCHOR"),
    "merge keys": ("tree: x\nroot:\n  <<: {do: x}", "ANCHOR"),
    "a tag": ("tree: !!python/object/apply:os.system ['ls']", "TAG"),
    "a key twice": ("tree: x\nroot: {do: a, do: b}", "DUPLICATE_KEY"),
    "a key twice in json": ('{"tree": "x", "tree": "y"}', "DUPLICATE_KEY"),
    "a control character": ("tree: a\x1b[31mb", "BAD_CHARACTER"),
    "an escape for the terminal": ('{"tree": "a\\u001b[31m"}', "BAD_CHARACTER"),
    "too deep": ('{"tree": ' + "[" * 500 + "]" * 500 + "}", "TOO_DEEP"),
    "very deep": ("tree: " + "[" * 90_000, "TOO_DEEP"),
    "too much": ("tree: [" + "x," * 110_000 + "]", "TOO_BIG"),
    "too long": ("tree: " + "x" * 300_000, "TOO_BIG"),
    "far too long": ("x" * 2_000_000, "TOO_BIG"),
    "nothing": ("", "EMPTY"),
    "only thoughts": ("<think>tree: x", "EMPTY"),
    "only words": ("I cannot do that.", "EMPTY"),
    "words with a colon": ("Sorry: I cannot do that.", "EMPTY"),
    "no yaml": ("```yaml\ntree: [x\n```", "NOT_YAML"),
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("case", REFUSED)
def test_unreadable_answers_are_refused(case: str) -> None:
    text, code = REFUSED[case]
    reading = read_answer(text)
    assert reading.data is None
    assert [problem.code for problem in reading.problems][:1] == [code]
    assert reading.problems[0].file == "the answer"


FIRST, LAST = TREE.replace("shut", "first"), TREE.replace("shut", "last")
BESIDE = {
    "an example after it": f"```yaml\n{LAST}```\nrun it with\n```sh\nbt-exec run\n```",
    "another mapping after it": f'```yaml\n{LAST}```\n```json\n{{"cost": 3}}\n```',
    "braces among the words": f"The door is {{open}}.\n\n{LAST}\nSo be it.",
}


@pytest.mark.parametrize("case", BESIDE)
def test_text_beside_the_document_is_returned_as_words(case: str) -> None:
    reading = read_answer(BESIDE[case])
    assert reading.data["tree"] == "last"
    assert reading.complete
    assert reading.words


SEVERAL = {
    "fences": f"```\n{FIRST}```\nno, better:\n```\n{LAST}```",
    "half of one after it": f"```yaml\n{LAST}```\n```yaml\ntree: {{\n```",
    "half json after it": json.dumps({"tree": "last"}) + '\n{"tree": "ha',
    "documents": f"{FIRST}---\n{LAST}",
    "one after the other": f"First:\n{FIRST}\nThen, better:\n{LAST}",
    "without a word between": FIRST + LAST,
    "json": '{"tree": "first"} or {"tree": "last"}',
    "a wrong one in front": "tree: &x a\n\nNo.\n\n" + LAST,
    "one in a fence and one without": f"{FIRST}\n```yaml\n{LAST}```",
    "a key of its own after a fence": f"```yaml\n{LAST}```\nroot: {{do: fly}}",
    "many": "{} " * 50 + LAST.replace("\n", " "),
    "many fences": "```\n{}\n```\n" * 50 + LAST,
}


@pytest.mark.parametrize("case", SEVERAL)
def test_answer_with_several_documents_is_refused(case: str) -> None:
    reading = read_answer(SEVERAL[case])
    assert reading.data is None
    assert [problem.code for problem in reading.problems] == ["SEVERAL_PLANS"]


TORN = {
    "a line in the middle": TREE.replace("    - do", "  - do: open_door\nbut wait\n  - do"),
    "a line in the middle of a fence": "```yaml\n" + TREE.replace("root", "oops\nroot") + "```",
    "steps after the fence": f"```yaml\n{TREE}```\nand then\n- do: open_door\n",
    "steps before the document": f"- do: open_door\n\nthen\n\n{TREE}",
}


@pytest.mark.parametrize("case", TORN)
def test_fragments_of_a_broken_document_are_not_parsed(case: str) -> None:
    reading = read_answer(TORN[case])
    assert reading.data is None
    assert {problem.code for problem in reading.problems} <= {
        "PLAN_IN_PIECES",
        "NOT_YAML",
        "SEVERAL_PLANS",
    }


def test_answers_with_requested_keys_are_parsed() -> None:
    said = "The door is {open}.\n\nDoor: open\nconfidence: 0.9\nBecause: I see it."
    reading = read_answer(said, keys=("door", "confidence"))
    assert reading.data == {"door": "open", "confidence": 0.9}
    assert read_answer('```json\n{"cost": 3}\n```').data == {"cost": 3}
    assert read_answer("[1, 2]").data is None


def test_json_data_is_read_unchanged() -> None:
    data = {"tree": "a\u2028b\x85c", "summary": "no: [x] #y & *z", "root": [1.5, -2, True, None]}
    for text in (json.dumps(data, ensure_ascii=False), json.dumps(data), f"so: {json.dumps(data)}"):
        assert read_answer(text).data == data


def test_letter_case_is_normalised_for_known_keys_only() -> None:
    text = """
    Root:
      Sequence:
        - Do: Open_Door
          With: {Arm: Right, Do: it}
          skipIf: {ALL: [{Door_Is: {State: Open}}, {Not: Ready}]}
          Skip-If: x
        - {Check: {Any: [a]}, Else: NO}
        - Parallel: [{DO: a}, {do: b}]
          Succeed When: all
    Params: {Root: {Type: Arm}}
    """
    data = read_answer(text).data
    first, second, third = data["root"]["sequence"]
    assert first["do"] == "Open_Door"
    assert first["with"] == {"Arm": "Right", "Do": "it"}
    assert first["skip_if"] == {"all": [{"Door_Is": {"State": "Open"}}, {"not": "Ready"}]}
    assert first["Skip-If"] == "x"  # the normalised key exists already
    assert second == {"check": {"any": ["a"]}, "else": "NO"}
    assert third == {"parallel": [{"do": "a"}, {"do": "b"}], "succeed_when": "all"}
    assert data["params"] == {"Root": {"type": "Arm"}}


def test_every_repair_of_an_answer_keeps_the_positions() -> None:
    reading = read_answer("So:\n```yaml\nTree: x\nRoot:\n  Sequence:\n    - Do: nothing_known\n```")
    assert reading.source is not None
    problem = reading.source.problem("UNKNOWN_SKILL", "?", ("root", "sequence", 0, "do"))
    assert (problem.line, problem.column) == (4, 11)
    assert reading.text.splitlines()[3] == "    - Do: nothing_known"
    key = reading.source.problem("X", "?", ("root", "sequence", 0, "do"), key=True)
    assert (key.line, key.column) == (4, 7)


def test_only_colons_in_texts_are_quoted() -> None:
    reading = read_answer("tree: x\nsummary: Open it: then close\nroot: {do: a}")
    assert reading.data["summary"] == "Open it: then close"
    assert reading.notes == ("quotes put around text that holds a colon",)


@pytest.mark.parametrize(
    ("text", "kept", "any_found"),
    [
        ("a", "a", False),
        ("<think>a</think>b", "b", True),
        ("a<THINK>b</THINK>c", "ac", True),
        ("a</think>b", "b", True),
        ("a<think>b", "a", True),
        ("<think>a<think>b</think>c</think>d", "d", True),
        ("a<thinking>b</thinking>c<think>d</think>e", "ace", True),
    ],
)
def test_thinking_tags_are_removed(text: str, kept: str, any_found: bool) -> None:
    assert without_thoughts(text) == (kept, any_found)


_PIECES = st.sampled_from(
    [
        *("tree:", "root:", "- ", "do: x", "{", "}", "[", "]", '"', "'", ",", ":", ": ", "#"),
        *(" ", "\n", "\n  ", "```", "~~~", "```yaml\n", "---\n", "\t", "\\", "|", ">", "%"),
        *("&a", "*a", "!!x", "<think>", "</think>", "@", "`", "“", "//", "/*", "None"),
        *("\u00a0", "\u2028", "\ud83d", "\x00", "é", "문"),
    ]
)


@settings(max_examples=examples(200))
@given(st.lists(_PIECES, max_size=40).map("".join))
def test_arbitrary_text_yields_data_or_a_problem(text: str) -> None:
    reading = read_answer(text)
    assert (reading.source is None) == bool(reading.problems)
    if reading.source is not None:
        json.dumps(reading.data)


_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | _NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(100))
@given(st.dictionaries(_NAMES, _VALUES, max_size=3), st.booleans(), st.booleans())
def test_json_in_any_wrapping_is_read_exactly(
    more: dict[str, Any], fenced: bool, ascii_only: bool
) -> None:
    data = {"tree": "x", "with": more}
    text = json.dumps(data, ensure_ascii=ascii_only)
    wrapped = f"Well:\n```json\n{text}\n```\nbye" if fenced else text
    reading = read_answer(wrapped)
    if any("\ufffe" in text or "\uffff" in text for text in (text, str(data))):
        return  # not allowed in data
    assert reading.data == data, reading.problems


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "[",
        '"',
        "'",
        "```\n",
        "<think>",
        "- ",
        "tree: x\n",
        "{}",
        "\t",
        "/*",
        "a: b: c\n",
        "\\",
    ],
)
def test_parsing_time_is_bounded_for_long_invalid_text(piece: str) -> None:
    assert read_answer(piece * (250_000 // len(piece))) is not None
    assert read_answer("{" + piece * (200_000 // len(piece))) is not None
