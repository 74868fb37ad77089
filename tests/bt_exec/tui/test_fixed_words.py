"""Fixed words of the views: all are translated to the language of the command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from bt_exec.journal import default_path
from bt_exec.language import messages as language
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec.tui import summary, view_drawing
from bt_exec.tui.plain_view import PlainView
from bt_exec.tui.summary import summary_lines
from bt_exec.tui.terminal_text import without_styles
from bt_exec.tui.view_drawing import draw, tree_lines
from tests.bt_exec.tui import scripted
from tests.bt_exec.tui.scripted import ENGLISH, KOREAN, outcome, running, slipped, spoken

TUI = Path(view_drawing.__file__).parent
VIEWS = (
    *("plan_changes", "plain_view", "view_model", "visible_rows", "view_drawing", "summary", "why"),
    *("plan_rows", "view_pages"),
)
FOLDER = Path(language.__file__).parent
FIXED = parse_yaml((FOLDER / "fixed_words.yaml").read_text(encoding="utf-8"))
OWN = parse_yaml((FOLDER / "messages.yaml").read_text(encoding="utf-8"))
WORDS = {**FIXED, **OWN["words"]}
TRANSLATORS = (
    "translate",
    "translated_text",
    "word",
    "translate_word",
    "fixed_word",
    "write_change",
)  # functions that translate text

NOT_SHOWN = {
    # kinds, states, styles and settings, which are not drawn as text
    *("node", "note", "change", "remark", "gap", "dim", "strong", "skipped", "kept", "stopped"),
    *(
        "unmet",
        "running",
        "done",
        "failed",
        "satisfied",
        "blocked",
        "refused",
        "aborted",
        "interrupted",
    ),
    *("spec", "forest", "past", "planning", "failure", "stopping", "problems", "clean", "en"),
    *("save", "tell", "while", "evidence", "traceback", "reason", "unfinished", "question"),
    *("mission_id", "command", "site", "status", "reason_code", "message", "cause", "plan"),
    *("seen", "attempts", "compiler", "steps", "facts", "possible", "incomplete", "said"),
    *("uncertain", "help", "times", "camera", "cursor", "up", "down", " on "),
    # codes of messages
    *("OK", "ABORTED", "WHY_DONE", "WHY_NEEDED_NOTHING", "WHY_BLIND", "WHY_SAID", "WHY_RUNNING"),
    *(
        "WHY_INTERRUPTED",
        "WHY_INTERRUPTED_IN",
        "WHY_WAITING",
        "WHY_NEVER_BEGAN",
        "WHY_MAY_HAVE_CHANGED",
    ),
    # typed text
    *("bt-exec ", "bt-exec"),
    # translated by a variable: `translate(words[verdict.holds])`, `translate(HINT)`,
    # `translate(_count(…))`, rows
    *(word for word in WORDS if "#" not in word),
    *("plan", "tick", "failure", "more", "in", "after", "yes", "no", " or ", "s"),
    # joined with texts of skills or files
    *(" s  ", " s", " (", ", site "),
}
FORM = re.compile(r"[A-Za-z]{2,}|\bs\b")


def literals(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield every literal text that may be drawn untranslated, with its line; see `TRANSLATORS`."""
    quiet: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant()):
                quiet.update(ast.walk(node))  # docstrings
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                quiet.update(ast.walk(node))
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in TRANSLATORS:
                quiet.update(ast.walk(node))
            case ast.FunctionDef() | ast.AnnAssign():
                for part in (getattr(node, "returns", None), getattr(node, "annotation", None)):
                    quiet.update(ast.walk(part) if part is not None else ())
            case ast.arg(annotation=ast.AST()):
                quiet.update(ast.walk(node.annotation))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in quiet:
            yield node.value, node.lineno


def spoken_words(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the fixed texts that are passed to `TRANSLATORS`, with numbers as ``#``."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]) if (
                name in TRANSLATORS
            ):
                parts = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
                for part in parts:
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield re.sub(r"\d+", "#", part.value), node.lineno
                    elif isinstance(part, ast.JoinedStr):
                        texts = [
                            p.value if isinstance(p, ast.Constant) else "#" for p in part.values
                        ]
                        yield "".join(map(str, texts)), node.lineno


@pytest.mark.parametrize("view", VIEWS)
def test_literals_of_views_are_translated(view: str) -> None:
    tree = ast.parse((TUI / f"{view}.py").read_text(encoding="utf-8"))
    loose = [
        f"{view}.py:{line}: {text!r}"
        for text, line in literals(tree)
        if FORM.search(text) and text not in NOT_SHOWN
    ]
    assert loose == [], "say it with `translate`, and give it Korean in fixed_words.yaml"


SEVERAL = {"# old", "# #", "# recovered"}  # composed: each form is tested below


@pytest.mark.parametrize("view", VIEWS)
def test_fixed_words_have_a_korean_translation(view: str) -> None:
    tree = ast.parse((TUI / f"{view}.py").read_text(encoding="utf-8"))
    lacking = [
        f"{view}.py:{line}: {text!r}"
        for text, line in spoken_words(tree)
        if text not in WORDS and text not in OWN and text not in SEVERAL and FORM.search(text)
    ]
    assert lacking == []


@pytest.mark.parametrize(
    "text",
    [
        f"{word} {time}" if word != "old" else f"{time} old"
        for word in ("in", "after", "old")
        for time in ("7.6 s", "3 min 05 s", "2 h 07 min")
    ]
    + ["1 plan", "2 plans", "1 tick", "7 ticks", "1 failure recovered", "2 failures recovered"]
    + ["3 more", "3 done", "and 3 more", "exit 3", "1 of 2 must succeed"],
)
def test_composed_words_have_a_korean_translation(text: str) -> None:
    assert re.search("[가-힣]", spoken().translate_word(text, "ko"))


@pytest.mark.parametrize(("word", "said"), [(w, s) for w, s in FIXED.items()])
def test_fixed_word_is_unchanged_in_english_and_hangul_in_korean(
    word: str, said: dict[str, str]
) -> None:
    assert said["en"] == word
    assert re.search("[가-힣]", said["ko"])
    assert said["ko"].count("#") == word.count("#")


NAMES = re.compile(  # external text: names in trees, codes, and typed text
    r"Ctrl-C|\b(door_is open|[a-z]+_[a-z_]+|[A-Z][A-Z_]+|bt-exec why 7|offline|door-handle"
    r"|grasp|look|material|right|s)\b"
)
ENGLISH_LEFT = re.compile(r"[a-z]{2,}")


def left_in_english(text: str) -> list[str]:
    whole = re.sub(r"\w+…", " ", text)  # a truncated name
    return ENGLISH_LEFT.findall(NAMES.sub(" ", whole))


def test_korean_view_contains_no_english_fixed_words(monkeypatch: pytest.MonkeyPatch) -> None:
    wordless = replace(scripted.SLIPPED, message="")  # the output of a skill is not translated
    monkeypatch.setattr(scripted, "SLIPPED", wordless)
    messages = spoken()
    for make in (running, slipped):
        script = make(KOREAN, messages).look("문 열림")
        for width in (40, 80, 120):
            shown = without_styles(draw(script.model, width, 24, now=script.t))
            assert left_in_english(shown) == []
            assert left_in_english(without_styles(tree_lines(script.model, width))) == []
    slip = {"code": "GRASP_SLIPPED"}
    ends = [
        outcome(
            command=KOREAN,
            message="마쳤습니다.",
            plan_version=2,
            failures=(slip,),
            journal=str(default_path()),
        ),
        outcome("blocked", message="막혔습니다.", reason_code="X", sim_seconds=125.0),
        outcome("failed", message="실패했습니다.", record_problem="행 3개"),
        outcome("refused", message="모릅니다.", nearest=("문 열어",)),
        outcome("aborted", message="멈췄습니다.", reason_code="ABORTED"),
    ]
    for end in ends:
        said = without_styles(summary_lines(end, 80, model=script.model, commands=("why",)))
        assert left_in_english(said) == []


def test_plain_lines_are_korean_and_aligned() -> None:
    written: list[str] = []
    script = running(KOREAN, spoken())
    script.model.past.clear()
    view = PlainView(script.model, written.append)
    for word in ("command", "planning", "note", "answer", "sees", "rejected", "stop", "retry"):
        view.write_change(word, "x")
    assert left_in_english("\n".join(line[:-1] for line in written)) == []
    assert {cell_len(line[: line.rindex("x")]) for line in written} == {22}


def test_english_view_of_the_same_mission_has_the_english_words() -> None:
    model = slipped(ENGLISH, spoken()).model
    assert " · keeps: open the door" in without_styles(tree_lines(model, 100))
    assert without_styles(summary_lines(outcome(journal="/j"), 80, model=model)).startswith(
        " ✓ satisfied in 31.4 s · 1 plan · 628 ticks\n"
    )
    assert summary.SIGNS.keys() >= {"satisfied", "interrupted"}
