"""Drafted vocabularies of all sites."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.cli.app import call
from bt_exec_labeler.vocabulary import load_vocabulary


@pytest.mark.parametrize("site", ["door", "building", "tabletop", "image"])
def test_drafted_vocabulary_passes_label_check(
    site: str, game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = tmp_path / "words.yaml"
    assert call(["label", "vocabulary", "--site", site, "-o", str(words)]) == 0
    assert call(["label", "check", str(game), "-v", str(words)]) == 0
    assert "2 episodes" in capsys.readouterr().out
    found = load_vocabulary(words)
    assert 10 <= len(found.mid_steps) <= 30
    assert len(found.done_evidence) > 1
    assert "()" not in words.read_text(encoding="utf-8")
    for operation in found.ops:
        assert any(operation in step.ops for step in found.mid_steps.values())


def test_places_of_a_site_become_mid_steps(tmp_path: Path) -> None:
    words = tmp_path / "words.yaml"
    assert call(["label", "vocabulary", "--site", "building", "-o", str(words)]) == 0
    found = load_vocabulary(words)
    assert found.step_of("navigate", {"target": "lounge"}) == "navigate_lounge"
    assert "at=lounge" in found.done_evidence
