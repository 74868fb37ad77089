"""``bt-exec eval``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bt_exec.cli.conftest import Run


def test_eval_prints_rates_and_reuses_recorded_answers(bt: Run, tmp_path: Path):
    file, out = tmp_path / "c.yaml", tmp_path / "answers.jsonl"
    file.write_text(
        "on_the_way: [return_home]\ncommands:\n"
        "- {say: Open the door., want: act, actions: [[open_door]], only: true}\n"
        "- {say: Dance on the table., want: refuse}\n"
        "- {say: Close the door., want: act, actions: [[open_door]]}\n"
    )
    first = bt("eval", str(file), "--out", str(out), "--verbose")
    assert first.code == 0
    assert "understood       50.0 % (1 of 2" in first.out
    assert "done wrong       33.3 % (1 of 3" in first.out
    assert "rightly refused  100.0 % (1 of 1" in first.out
    assert "offline: Close the door.: not what was asked" in first.out
    recorded = out.read_text()
    assert len(recorded.splitlines()) == 3
    assert bt("eval", str(file), "--out", str(out), "--verbose").out == first.out
    assert out.read_text() == recorded
    data = json.loads(bt("eval", str(file), "--json").out)
    assert data[0]["wrong"] == [1, 3]
