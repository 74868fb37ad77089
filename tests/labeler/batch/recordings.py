"""Recordings that change between runs, and a model with deterministic answers."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY

_ITEM = re.compile(r"^Item (\d+): mid step (\w+):", re.MULTILINE)


def answer(body: Mapping[str, Any]) -> str:
    """Return records for all items of a request; each depends only on its mid step."""
    turn = body["messages"][-1]["content"]
    texts = turn if isinstance(turn, str) else "\n".join(b.get("text", "") for b in turn)
    found = _ITEM.findall(texts)
    items = [{"item": int(number), "record": record_of(step)} for number, step in found]
    return json.dumps({"items": items})


def record_of(step: str) -> dict[str, Any]:
    """Return a valid record of a mid step of the game."""
    about = VOCABULARY["mid_steps"][step]
    return {
        "mid_step_id": step,
        "short_goal_dsl": [{"op": about["ops"][0], "args": about["args"]}],
        "horizon_steps": 4,
        "terminate_on": "strict_horizon",
        "done_evidence": [],
        "fallback_if_failed": ["recenter_camera"],
        "uncertainty": "low",
    }


class ChangingRecording:
    """Folder of episodes that grows, shrinks, is reordered and edited at random.

    Args:
        pool: Episodes to add.
        folder: The recording.
        seed: Seed of the changes.
    """

    def __init__(self, pool: Path, folder: Path, seed: int) -> None:
        self.pool, self.folder = pool, folder
        self._chance = random.Random(seed)
        self._names = sorted(p.name for p in pool.iterdir() if p.is_dir())
        shutil.copytree(pool / self._names[0], folder / self._names[0])
        shutil.copy(pool / "vocabulary.yaml", folder / "vocabulary.yaml")

    def change(self) -> str:
        """Make a random change and return its name."""
        kinds = (self._add, self._remove, self._cut, self._restore, self._shuffle, self._redraw)
        return self._chance.choice(kinds)()

    def _shown(self) -> Path:
        return self._chance.choice(sorted(p for p in self.folder.iterdir() if p.is_dir()))

    def _add(self) -> str:
        name = self._chance.choice(self._names)
        shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(self.pool / name, self.folder / name)
        return f"add {name}"

    def _remove(self) -> str:
        if len(list(self.folder.glob("game_*"))) < 2:
            return self._add()
        shutil.rmtree(gone := self._shown())
        return f"remove {gone.name}"

    def _cut(self) -> str:
        """Shorten an episode, as if it were still being recorded."""
        episode = self._shown()
        actions = (episode / "actions.jsonl").read_text().splitlines()
        kept = actions[: max(1, self._chance.randrange(len(actions)))]
        (episode / "actions.jsonl").write_text("\n".join(kept) + "\n")
        frames = sorted(episode.glob("*.png"))
        for frame in frames[max(2, self._chance.randrange(len(frames))) :]:
            frame.unlink()
        return f"cut {episode.name}"

    def _restore(self) -> str:
        episode = self._shown()
        shutil.copytree(self.pool / episode.name, episode, dirs_exist_ok=True)
        return f"restore {episode.name}"

    def _shuffle(self) -> str:
        """Write the actions in another order."""
        episode = self._shown()
        lines = (episode / "actions.jsonl").read_text().splitlines()
        self._chance.shuffle(lines)
        (episode / "actions.jsonl").write_text("\n".join(lines) + "\n")
        return f"shuffle {episode.name}"

    def _redraw(self) -> str:
        """Replace a picture by another one."""
        frames = sorted(self._shown().glob("*.png"))
        one, other = self._chance.choice(frames), self._chance.choice(frames)
        if one != other:
            shutil.copy(other, one)
        return f"redraw {one.parent.name}/{one.name}"
