"""Generator of recorded episodes of a toy game, in which a player fetches a gem behind a gate.

``python -m bt_exec_labeler.testing.toy_game_episodes FOLDER`` writes the episodes and their
vocabulary.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import yaml

from bt_exec_labeler.episode import Image

__all__ = ["VOCABULARY", "make_game"]

FPS = 4.0
_SIZE = (72, 96)  # height, width [px]
_PLACES = {"gate": (48, 30), "key": (14, 56), "chest": (82, 16), "home": (14, 16)}  # x, y [px]
_COLOURS = {
    "gate": (150, 90, 40),
    "key": (240, 220, 60),
    "chest": (170, 60, 160),
    "home": (60, 140, 230),
}


class _Move(NamedTuple):
    op: str
    args: dict[str, str]
    seconds: float
    place: str
    fact: tuple[str, str]


_STORY = (
    _Move("MOVE_NAV", {"target": "key"}, 3.0, "key", ("at", "key")),
    _Move("TAKE", {"item": "key"}, 1.5, "key", ("bag.key", "held")),
    _Move("MOVE_NAV", {"target": "gate"}, 3.0, "gate", ("at", "gate")),
    _Move("TALK", {"to": "guard"}, 2.5, "gate", ("dialog", "open")),
    _Move("OPEN", {"what": "gate"}, 1.5, "gate", ("gate", "open")),
    _Move("MOVE_NAV", {"target": "chest"}, 3.5, "chest", ("at", "chest")),
    _Move("OPEN", {"what": "chest"}, 1.5, "chest", ("chest", "open")),
    _Move("TAKE", {"item": "gem"}, 1.0, "chest", ("bag.gem", "held")),
    _Move("MOVE_NAV", {"target": "home"}, 5.0, "home", ("at", "home")),
    _Move("REST", {}, 2.0, "home", ("rested", "yes")),
)

_TEXTS = {
    "go_to_key": ("Walk to the key.", "열쇠로 걸어간다."),
    "take_key": ("Pick up the key.", "열쇠를 줍는다."),
    "go_to_gate": ("Walk to the gate.", "문으로 걸어간다."),
    "talk_gate_guard": ("Talk to the guard at the gate.", "문지기와 이야기한다."),
    "open_gate": ("Open the gate with the key.", "열쇠로 문을 연다."),
    "go_to_chest": ("Walk to the chest.", "상자로 걸어간다."),
    "open_chest": ("Open the chest.", "상자를 연다."),
    "take_gem": ("Take the gem out of the chest.", "상자에서 보석을 꺼낸다."),
    "go_home": ("Walk home.", "집으로 걸어간다."),
    "rest": ("Rest at home.", "집에서 쉰다."),
}

VOCABULARY: dict[str, Any] = {
    "version": "plan_v1.0",
    "languages": ["en", "ko"],
    "mid_steps": {
        name: {
            "text": {"en": english, "ko": korean},
            "ops": [move.op],
            "args": dict(move.args),
            "fallbacks": ["recenter_camera"],
        }
        for (name, (english, korean)), move in zip(_TEXTS.items(), _STORY, strict=True)
    },
    "ops": {
        "MOVE_NAV": {"text": "Walk.", "args": {"target": {"values": sorted(_PLACES)}}},
        "TAKE": {"text": "Pick something up.", "args": {"item": {"values": ["key", "gem"]}}},
        "TALK": {
            "text": "Talk to somebody.",
            "args": {"to": {"values": ["guard"]}},
            "done_evidence": ["dialog_open"],
        },
        "OPEN": {"text": "Open something.", "args": {"what": {"values": ["gate", "chest"]}}},
        "REST": {"text": "Do nothing for a while."},
    },
    "done_evidence": ["dialog_open", *(f"{move.fact[0]}={move.fact[1]}" for move in _STORY)],
    "fallbacks": ["recenter_camera", "step_back", "MOVE_NAV"],
    "limits": {"step_s": 0.5, "horizon_s": 10.0, "goal_ops": 3, "words": 4},
}
"""The vocabulary of the game."""


def make_game(folder: Path, episodes: int = 3, seed: int = 0) -> Path:
    """Write episodes and their ``vocabulary.yaml`` to a folder, and return the folder.

    Args:
        folder: Output folder for ``game_00``, ``game_01`` and so on; created if missing.
        episodes: Number of episodes.
        seed: Seed for the durations of actions and the failures.
    """
    chance = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(VOCABULARY, allow_unicode=True, sort_keys=False)
    (folder / "vocabulary.yaml").write_text(text, encoding="utf-8")
    for number in range(episodes):
        _write_episode(folder / f"game_{number:02d}", chance)
    return folder


def _write_episode(folder: Path, chance: random.Random) -> None:
    folder.mkdir(exist_ok=True)
    head = {"fps": FPS, "command": "bring me the gem", "language": "en"}
    (folder / "episode.yaml").write_text(yaml.safe_dump(head), encoding="utf-8")
    lines, frames = [], 0
    t, x, y = 0.0, *map(float, _PLACES["home"])
    held: set[str] = set()
    for move in _STORY:
        for failed in (True, False) if move.op == "OPEN" and chance.random() < 0.2 else (False,):
            seconds = round(move.seconds * chance.uniform(0.8, 1.2), 2)
            goal_x, goal_y = _PLACES[move.place]
            while frames / FPS < t + seconds:
                share = max(0.0, frames / FPS - t) / seconds
                here = (x + (goal_x - x) * share, y + (goal_y - y) * share)
                _write_screen(folder / f"{frames:06d}.png", _screen_picture(here, held, move.op))
                frames += 1
            line: dict[str, Any] = {"t": round(t, 3), "end": round(t + seconds, 3), "op": move.op}
            line |= {"args": move.args, "state": "failed" if failed else "done"}
            line |= {"code": "STUCK"} if failed else {"facts": dict([move.fact])}
            lines.append(json.dumps(line))
            t = round(t + seconds, 3)
            x, y = float(goal_x), float(goal_y)
            if not failed:
                held.add(move.fact[0])
    (folder / "actions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _screen_picture(here: tuple[float, float], held: set[str], op: str) -> Image:
    """Return the picture of the screen: places, player, carried objects, and a dialog box."""
    screen = np.full((*_SIZE, 3), (54, 92, 58), np.uint8)
    for name, (x, y) in _PLACES.items():
        if f"bag.{name}" not in held:
            thick = 1 if name in held else -1  # an opened gate or chest is drawn as an outline
            cv2.rectangle(screen, (x - 6, y - 6), (x + 6, y + 6), _COLOURS[name], thick)
    cv2.circle(screen, (round(here[0]), round(here[1])), 4, (250, 250, 250), -1)
    for place, name in enumerate(sorted(found for found in held if found.startswith("bag."))):
        colour = _COLOURS.get(name.removeprefix("bag."), (80, 240, 240))
        cv2.rectangle(screen, (4 + 10 * place, 64), (11 + 10 * place, 70), colour, -1)
    if op == "TALK":
        cv2.rectangle(screen, (20, 44), (90, 60), (240, 240, 230), -1)
        cv2.putText(screen, "halt!", (26, 56), cv2.FONT_HERSHEY_PLAIN, 0.8, (20, 20, 20), 1)
    return screen


def _write_screen(path: Path, screen: Image) -> None:
    if not cv2.imwrite(str(path), screen[:, :, ::-1]):
        raise OSError(f"{path} cannot be written")


if __name__ == "__main__":
    make_game(Path(sys.argv[1]))
