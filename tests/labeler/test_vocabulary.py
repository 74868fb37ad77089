from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from bt_exec.cli.app import run_command_line
from bt_exec.failure import SpecError, UsageError
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY
from bt_exec_labeler.vocabulary import Limits, Vocabulary, digest_of, load_vocabulary


def written(folder: Path, data: Any) -> Path:
    path = folder / "v.yaml"
    path.write_text(
        yaml.safe_dump(json.loads(json.dumps(data)), sort_keys=False, allow_unicode=True),
        encoding="utf-8",
    )
    return path


def test_vocabulary_of_the_game_is_valid(game: Path) -> None:
    assert load_vocabulary(game / "vocabulary.yaml") == Vocabulary.model_validate(VOCABULARY)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mid_steps": dict(list(VOCABULARY["mid_steps"].items())[:9])}, "at least 10"),
        (
            {
                "mid_steps": {
                    f"{name}_{n}": dict(step)
                    for name, step in VOCABULARY["mid_steps"].items()
                    for n in range(4)
                }
            },
            "at most 30",
        ),
        ({"fallback": []}, "fallback: unknown field 'fallback' (allowed: fallbacks, "),
        ({"done_evidence": ["dialog_open", "dialog_open"]}, "more than once"),
        ({"fallbacks": ["step_back"]}, "recenter_camera, which is not in any list"),
        ({"ops": {"WALK": {}}}, "not in any list"),
        ({"limits": {"step_s": 0}}, "greater than 0"),
        ({"version": "plan v1"}, "match pattern"),
    ],
)
def test_invalid_file_is_refused_with_its_position(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = written(tmp_path, {**VOCABULARY, **change})
    with pytest.raises(SpecError) as error:
        load_vocabulary(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_step_of_an_operation_depends_on_its_arguments(vocabulary: Vocabulary) -> None:
    assert vocabulary.step_of("MOVE_NAV", {"target": "gate"}) == "go_to_gate"
    assert vocabulary.step_of("MOVE_NAV", {"target": "moon"}) == ""
    assert vocabulary.step_of("FLY", {}) == ""


def test_unknown_key_is_reported_at_the_key(tmp_path: Path) -> None:
    path = written(tmp_path, {**VOCABULARY, "fallback": []})
    row = path.read_text().splitlines().index("fallback: []") + 1
    with pytest.raises(SpecError) as error:
        load_vocabulary(path)
    assert f"v.yaml:{row}:1" in str(error.value)


@pytest.mark.parametrize("text", ["mid_steps: [\n", "mid_stepz: {}\n"])
def test_error_of_an_invalid_vocabulary_does_not_suggest_bt_exec_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    assert run_command_line(["label", "check", str(tmp_path), "-v", str(path)]) == 2
    said = capsys.readouterr().err
    assert "broken.yaml:" in said
    assert "bt-exec check" not in said


def test_text_of_a_mid_step_defaults_to_its_first_language(
    vocabulary: Vocabulary,
) -> None:
    step = vocabulary.mid_steps["rest"]
    assert [step.said(name) for name in ("en", "ko", "de")] == [
        *("Rest at home.", "집에서 쉰다.", "Rest at home.")
    ]


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("step_s", (0.01, 60), (0, 60.1)),
        ("horizon_s", (0.01, 600), (0, 601)),
        ("goal_ops", (1, 50), (0, 51)),
        ("words", (1, 50), (0, 51)),
    ],
)
def test_limits_outside_their_bounds_are_refused(
    name: str, good: tuple[float, ...], bad: tuple[float, ...]
) -> None:
    for value in good:
        assert getattr(Limits.model_validate({name: value}), name) == value
    for value in bad:
        with pytest.raises(ValidationError, match=name):
            Limits.model_validate({name: value})


def test_limits_have_the_documented_defaults() -> None:
    limits = Limits()
    assert (limits.step_s, limits.horizon_s, limits.goal_ops, limits.words) == (0.5, 10, 5, 6)
    assert limits.horizon_steps == 20
    assert Limits(step_s=0.1, horizon_s=0.3).horizon_steps == 3
    assert Limits(step_s=2, horizon_s=1).horizon_steps == 1


def test_missing_file_has_no_digest(tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_bytes(b"one")
    assert digest_of(tmp_path / "v.yaml").startswith("7692c3ad3540")
    with pytest.raises(UsageError, match=r"none\.yaml cannot be read: No such file or directory$"):
        digest_of(tmp_path / "none.yaml")
