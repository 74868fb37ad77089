"""Results of the commands, with stand-ins for their work."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.failure import UnknownName, UsageError
from bt_exec_labeler import cli_commands
from bt_exec_labeler import short_goal_replay as replaying
from bt_exec_labeler.short_goal_replay import Replayed


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run over three missions of a journal; replays end as recorded, except those of ``b``."""
    lines = [{"item": f"i{n}", "episode": name} for n, name in enumerate("bab")]
    (tmp_path / "records.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    (tmp_path / "run.json").write_text(json.dumps({"source": "j.sqlite"}))

    def again(name: str) -> list[Replayed]:
        now = "failed STUCK" if name == "b" else "done"
        return [Replayed("go", {"to": name}, "done", now), Replayed("rest", {}, "done", "done")]

    monkeypatch.setattr(cli_commands.Output, "run_settings", lambda _: {"source": "j.sqlite"})
    monkeypatch.setattr(
        replaying, "open_journal", lambda path: SimpleNamespace(mission=str, path=path)
    )
    monkeypatch.setattr(replaying, "replay", again)
    monkeypatch.setattr(replaying, "replay_line", lambda line, journal: again(line["episode"])[:1])
    return tmp_path


def test_each_mission_is_replayed_once(run: Path) -> None:
    def row(of: str, op: str, now: str = "done", **args: Any) -> dict[str, Any]:
        return {"of": of, "op": op, "args": args, "recorded": "done", "now": now}

    found = cli_commands.replay(run, None)
    assert found["goals"] == [
        row("a", "go", to="a"), row("a", "rest"),
        row("b", "go", "failed STUCK", to="b"), row("b", "rest"),
    ]  # fmt: skip
    assert found["different"] == 1
    assert found["lines"] == [
        f"✓ {'a':16} {'go':16} recorded done, now done",
        f"✓ {'a':16} {'rest':16} recorded done, now done",
        f"✗ {'b':16} {'go':16} recorded done, now failed STUCK",
        f"✓ {'b':16} {'rest':16} recorded done, now done",
        "4 goals, 3 end as recorded",
    ]


def test_one_record_is_replayed_by_its_name(run: Path) -> None:
    found = cli_commands.replay(run, "i1")
    assert [goal["of"] for goal in found["goals"]] == ["i1"]
    assert (found["different"], found["lines"][-1]) == (0, "1 goals, 1 end as recorded")
    assert cli_commands.replay(run, "i0")["different"] == 1
    with pytest.raises(UnknownName, match="i9"):
        cli_commands.replay(run, "i9")


def test_draft_does_not_overwrite_a_file(tmp_path: Path) -> None:
    path = tmp_path / "v.yaml"
    found = cli_commands.draft("door", path)
    said = f"{path}: edit it, then run bt-exec label check"
    assert found == {"file": str(path), "lines": [said]}
    with pytest.raises(UsageError, match=r"v\.yaml exists already; name another file with --out$"):
        cli_commands.draft("door", path)
    with pytest.raises(UsageError, match=r"v\.yaml cannot be written: No such file or directory$"):
        cli_commands.draft("door", tmp_path / "deep" / "v.yaml")
