"""Drafted vocabularies of all sites."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
import yaml

from bt_exec.cli.app import run_command_line
from bt_exec_labeler import vocabulary_draft as module
from bt_exec_labeler.vocabulary import load_vocabulary


@pytest.mark.parametrize("site", ["door", "building", "tabletop", "image"])
def test_drafted_vocabulary_passes_label_check(
    site: str, game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = tmp_path / "words.yaml"
    assert run_command_line(["label", "vocabulary", "--site", site, "-o", str(words)]) == 0
    assert run_command_line(["label", "check", str(game), "-v", str(words)]) == 0
    assert "2 episodes" in capsys.readouterr().out
    found = load_vocabulary(words)
    assert 10 <= len(found.mid_steps) <= 30
    assert len(found.done_evidence) > 1
    assert "()" not in words.read_text(encoding="utf-8")
    for operation in found.ops:
        assert any(operation in step.ops for step in found.mid_steps.values())


def test_places_of_a_site_become_mid_steps(tmp_path: Path) -> None:
    words = tmp_path / "words.yaml"
    assert run_command_line(["label", "vocabulary", "--site", "building", "-o", str(words)]) == 0
    found = load_vocabulary(words)
    assert found.step_of("navigate", {"target": "lounge"}) == "navigate_lounge"
    assert "at=lounge" in found.done_evidence


def skill(name: str, **parts: Any) -> Any:
    about = {"summary": f"Do {name}.", "arguments": {}, "required": frozenset(), "effects": {}}
    return SimpleNamespace(name=name, **{**about, **parts})


SIDE = Literal["left", "right"]


@pytest.mark.parametrize(
    ("hint", "values", "bare"),
    [
        (str, (), str),
        (SIDE, ("left", "right"), str),
        (Literal[1, 2], (1, 2), int),
        (SIDE | None, ("left", "right"), str),
        (Annotated[float, "m"], (), float),
        (Annotated[SIDE, "arm"], ("left", "right"), str),
    ],
)
def test_allowed_values_of_a_type_are_found(hint: Any, values: tuple[Any, ...], bare: type) -> None:
    assert (module._literal_values(hint), module._without_metadata(hint)) == (values, bare)


def test_operation_has_the_arguments_of_its_skill() -> None:
    hints = {"arm": SIDE, "s": float, "n": int, "loud": bool, "what": bytes}
    made = skill("go", arguments=hints, required=frozenset({"arm", "s"}))
    assert module._operation(made) == {
        "text": "Do go.",
        "skill": "go",
        "args": {
            "arm": {"type": "text", "values": ["left", "right"]},
            "s": {"type": "number"},
            "n": {"type": "integer", "required": False},
            "loud": {"type": "boolean", "required": False},
            "what": {"type": "text", "required": False},
        },
    }


def test_drafted_evidence_contains_each_fact_for_each_argument_value() -> None:
    effects = {"at.{arm}": "home", "door": "open", "seen": "?", "place": "{target}"}
    made = skill("go", arguments={"arm": SIDE, "target": str}, effects=effects)
    assert module._possible_evidence(made, {}) == ["at.left=home", "door=open", "at.right=home"]
    chosen = module._possible_evidence(made, {"target": ("a", "qr code")})
    assert chosen == ["at.left=home", "door=open", "place=a", "at.right=home"]
    assert module._possible_evidence(skill("wait"), {}) == []


def test_mid_steps_of_a_skill_are_the_combinations_of_its_arguments() -> None:
    made = skill("go")
    assert dict(module._mid_steps_of(made, {})) == {"go": {"text": {"en": "Do go."}, "ops": ["go"]}}
    found = dict(module._mid_steps_of(made, {"arm": ("left", "qr code"), "n": (1, 2)}))
    assert list(found) == ["go_left_1", "go_left_2", "go_qr_code_1", "go_qr_code_2"]
    assert found["go_qr_code_2"] == {
        "text": {"en": "Do go. (qr code, 2)"},
        "ops": ["go"],
        "args": {"arm": "qr code", "n": 2},
    }
    assert len(dict(module._mid_steps_of(made, {"n": tuple(range(99))}))) == 64


def bounded(*skills: Any, **choices: dict[str, tuple[Any, ...]]) -> list[str]:
    named = {one.name: one for one in skills}
    return list(module._limited_steps(named, {name: choices.get(name, {}) for name in named}))


def test_examples_are_added_if_there_are_too_few_mid_steps() -> None:
    go, wait = skill("go", required=frozenset({"to"})), skill("wait")
    assert bounded(go, wait) == [*(f"go_EXAMPLE_{n}" for n in range(8, 0, -1)), "go", "wait"]
    assert bounded(wait) == ["wait"]
    many = [skill(f"s{n}", required=frozenset({"to"})) for n in range(10)]
    assert bounded(*many) == [f"s{n}" for n in range(10)]


def test_argument_with_the_most_values_is_ignored_first() -> None:
    few = {"arm": ("left", "right")}
    wide = {"n": tuple(range(20)), "arm": ("left", "right")}
    found = bounded(skill("go"), skill("take"), go=wide, take=few)
    assert found == ["go_left", "go_right", "take_left", "take_right"]
    exact = bounded(skill("go"), go={"n": tuple(range(30))})
    assert len(exact) == 30
    assert bounded(skill("go"), go={"n": tuple(range(31))}) == ["go"]


def test_skill_without_facts_gets_its_name_as_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    go = skill("go", effects={"at": "home"}, required=frozenset({"to"}), arguments={"to": str})
    skills = {"go": go, "wait": skill("wait"), "core": skill("core")}
    catalogue = SimpleNamespace(
        skills=skills, types={}, owner=lambda name: "" if name == "core" else "pack"
    )
    site = SimpleNamespace(name="toy", catalogue=catalogue, settings=dict)
    monkeypatch.setattr(module, "load_site", lambda name: site)
    found = yaml.safe_load(module.draft_vocabulary("toy"))
    assert found["ops"] == {
        "go": {"text": "Do go.", "skill": "go", "args": {"to": {"type": "text"}}},
        "wait": {"text": "Do wait.", "skill": "wait", "args": {}, "done_evidence": ["wait_done"]},
    }
    assert found["done_evidence"] == ["at=home", "wait_done"]
    assert (found["version"], found["site"], found["languages"]) == ("plan_v1.0", "toy", ["en"])
    assert found["fallbacks"] == ["go", "wait"]
    assert found["limits"] == {"step_s": 0.5, "horizon_s": 10.0, "goal_ops": 5, "words": 6}
    assert len(found["mid_steps"]) == 10
    assert found["mid_steps"]["go_EXAMPLE_1"] == {
        "text": {"en": "Do go. (to: replace EXAMPLE_1 by a value that is used)"},
        "ops": ["go"],
        "args": {"to": "EXAMPLE_1"},
    }
    assert list(found) == [
        "version", "site", "languages", "mid_steps", "ops", "done_evidence", "fallbacks", "limits"
    ]  # fmt: skip


def test_names_in_the_settings_are_values_of_their_type() -> None:
    types = {"Place": "P", "Person": "Q", "Text": str}
    settings = {
        "a": {"places": {"lounge": 1, "한글": 2, "qr code": 3}, "people": {"ann": 1}, "speed": 2},
        "b": {"places": {"lounge": 1, "hall": 2}, "texts": {"x": 1}},
        "c": {"places": ["list"]},
    }
    site: Any = SimpleNamespace(catalogue=SimpleNamespace(types=types), settings=lambda: settings)
    assert module._listed_names("P", site) == ("lounge", "hall")
    assert module._listed_names("Q", site) == ("ann",)
    assert module._listed_names(str, site) == ()
    made = skill("go", arguments={"to": "P", "who": "Q", "arm": SIDE, "s": str})
    assert module._argument_choices(made, site) == {
        "to": ("lounge", "hall"),
        "arm": ("left", "right"),
    }
