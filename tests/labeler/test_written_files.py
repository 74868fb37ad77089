"""Files that the commands write about a small recording, as in ``tests/data/labels/written``.

``BT_EXEC_WRITE=1`` writes the files again; review the differences before committing them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow.parquet
import pytest
import typer
import yaml

from bt_exec_labeler import cli, cli_commands, options
from bt_exec_labeler.clips import RECENT, cut_clip
from bt_exec_labeler.episode import decode_picture
from bt_exec_labeler.labeler_items import ControllerItem, items_of
from bt_exec_labeler.labelers.answer_parser import answer_schema
from bt_exec_labeler.labelers.prompt import items_turn, system_prompt
from bt_exec_labeler.review.command import export
from bt_exec_labeler.review.decisions import Decisions
from bt_exec_labeler.review.review_cards import cards_of, field_values
from bt_exec_labeler.service.request import Asked, item_body
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY
from bt_exec_labeler.vocabulary import Vocabulary, load_vocabulary
from bt_exec_llm.client import Block

from .lerobot.test_annotate import TASKS, robot_set, vocabulary

WRITTEN = Path(__file__).parent.parent / "data" / "labels" / "written"
_SHOWN = 20_000  # maximum bytes of rows; of larger ones, only the first and a digest are kept
STORY: tuple[dict[str, Any], ...] = (
    {"t": 0, "end": 3, "op": "MOVE_NAV", "args": {"target": "key"}, "state": "done",
     "facts": {"at": "key"}},
    {"t": 3, "end": 4.5, "op": "TAKE", "args": {"item": "key"}, "state": "failed",
     "code": "GRASP_SLIPPED"},
    {"t": 4.5, "end": 6, "op": "TAKE", "args": {"item": "key"}, "state": "done",
     "facts": {"bag.key": "held"}},
    {"t": 6, "end": 16.5, "op": "MOVE_NAV", "args": {"target": "gate"}, "state": "done",
     "facts": {"at": "gate"}},
    {"t": 16.5, "op": "TALK", "args": {"to": "guard"}},
    {"t": 17, "end": 18, "op": "DANCE", "args": {}, "state": "done"},
)  # fmt: skip


def recording(folder: Path) -> tuple[Path, Path]:
    """Write four episodes, two of which look alike, and a vocabulary; one has flaws."""
    for name, shade, command in (
        ("a", 0, "bring me the gem"),
        ("b", 0, "bring me the gem"),
        ("c", 90, "보석을 가져와"),
        ("d", 150, ""),
    ):
        episode = folder / "rec" / name
        episode.mkdir(parents=True)
        head = {"fps": 2.0, "command": command, "language": "ko" if name == "c" else "en"}
        head |= {"start_facts": {"at": "home"}} if name != "d" else {"colour": "red"}
        (episode / "episode.yaml").write_text(yaml.safe_dump(head, allow_unicode=True), "utf-8")
        lines = [json.dumps(action) for action in STORY[: 3 if name == "d" else None]]
        (episode / "actions.jsonl").write_text("\n".join(lines) + "\n")
        for number in range(36):
            if name == "c" and 16 <= number < 24:
                continue
            picture = np.full((24, 32, 3), shade, np.uint8)
            picture[:, : 1 + number % 32] = 255 - number - shade // 2
            cv2.imwrite(str(episode / f"{number:03d}.png"), picture)
    for damaged in ("c/005.png", "d/000.png"):
        (folder / "rec" / damaged).write_bytes(b"")
    words = folder / "words.yaml"
    data = {**VOCABULARY, "constraints": ["Do not run."]}
    words.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), "utf-8")
    return folder / "rec", words


def labelled(folder: Path, role: str) -> tuple[Path, Path, Path]:
    """Return a recording, its vocabulary, and a run of the rules over it."""
    source, words = recording(folder)
    how: dict[str, Any] = {"labeler": "rules", "role": role, "stride_s": 2.5, "workers": 2}
    cli_commands.run(source, words, folder / "run", **how)
    return source, words, folder / "run"


def plain(value: Any) -> Any:
    """Return a value as JSON; pictures are reduced to their size, because codecs differ."""
    if isinstance(value, Mapping):
        if set(value) == {"bytes", "path"}:
            image = decode_picture(value["bytes"], value["path"])
            return f"picture {image.shape} {int(image.sum())}"
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return round(value, 5)
    return value if isinstance(value, str | int | None) else str(value)


def contents(folder: Path) -> dict[str, Any]:
    """Return the files of a folder: text, JSON, and rows with their schema."""
    found: dict[str, Any] = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = str(path.relative_to(folder))
        if path.suffix == ".parquet":
            table = pyarrow.parquet.read_table(path)
            about = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
            schema = table.schema.remove_metadata().to_string().splitlines()
            groups = pyarrow.parquet.ParquetFile(path).num_row_groups
            rows = plain(table.to_pylist())
            text = json.dumps(rows, ensure_ascii=False).encode()
            shown = rows if len(text) < _SHOWN else rows[:1]
            digest = hashlib.sha256(text).hexdigest()
            found[name] = [schema, about, groups, f"{len(rows)} rows, {digest[:16]}", *shown]
        elif path.suffix == ".jpg":
            shape = decode_picture(path.read_bytes(), name).shape
            found.setdefault("images", []).append(f"{shape[0]}x{shape[1]}")
        elif path.suffix in (".json", ".md", ".xml", ".jsonl"):
            found[name] = path.read_text("utf-8").splitlines()
    found["images"] = sorted(found.get("images", []))
    return found


def compare(name: str, found: Any, folder: Path) -> None:
    """Compare with the file of that name, which is written anew on request."""
    text = json.dumps(plain(found), ensure_ascii=False, indent=1).replace(str(folder), "DIR")
    text = re.sub(r"images/[0-9a-f]{24}", "images/…", text) + "\n"
    text = re.sub(r"data:image/[a-z+]+;base64,[A-Za-z0-9+/=]+", "data:…", text)
    path = WRITTEN / f"{name}.json"
    if os.environ.get("BT_EXEC_WRITE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.parametrize("role", ["controller", "planner"])
def test_check_and_run_write_the_expected_files(role: str, tmp_path: Path) -> None:
    source, words = recording(tmp_path)
    how: dict[str, Any] = {"labeler": "rules", "role": role, "stride_s": 2.5, "workers": 2}
    said = [
        cli_commands.check(source, words),
        cli_commands.run(source, words, tmp_path / "run", **how),
    ]
    files = contents(tmp_path / "run")
    del files["run.json"]  # has the digest of the vocabulary
    compare(f"run_{role}", [said, files], tmp_path)


@pytest.mark.parametrize("role", ["controller", "planner"])
def test_dataset_writes_the_expected_files(role: str, tmp_path: Path) -> None:
    source, words, run = labelled(tmp_path, role)
    about = (run, source, words, tmp_path / "set")
    said = cli_commands.dataset(*about, keep_uncertain=role == "planner", drop_duplicates=True)
    compare(f"set_{role}", [said, contents(tmp_path / "set")], tmp_path)


@pytest.mark.parametrize("version", ["0.4", "0.6"])
def test_lerobot_set_has_the_expected_files(version: str, tmp_path: Path) -> None:
    source, words, run = labelled(tmp_path, "planner")
    about = (run, source, words, tmp_path / "set")
    how: dict[str, Any] = {"keep_uncertain": True, "form": "lerobot", "lerobot": version}
    said = cli_commands.dataset(*about, **how, fps=1)
    compare(f"lerobot_{version}", [said, contents(tmp_path / "set")], tmp_path)


@pytest.mark.parametrize("version", ["0.4", "0.6"])
def test_annotated_lerobot_set_has_the_expected_files(version: str, tmp_path: Path) -> None:
    source = robot_set(tmp_path / "robot")
    info = source / "meta" / "info.json"
    info.write_text(info.read_text("utf-8").replace("so100", "로봇"), "utf-8")
    (source / "README.md").write_text("# A set\n\n", "utf-8")
    words = vocabulary(tmp_path / "words.yaml", TASKS)
    how: dict[str, Any] = {"labeler": "rules", "role": "controller", "stride_s": 0.5}
    said = [
        cli_commands.check(source, words),
        cli_commands.run(source, words, tmp_path / "run", **how),
    ]
    how = {"keep_uncertain": True, "form": "lerobot", "lerobot": version}
    said.append(cli_commands.dataset(tmp_path / "run", source, words, tmp_path / "set", **how))
    compare(f"annotated_{version}", [said, contents(tmp_path / "set")], tmp_path)


def test_report_review_and_export_write_the_expected_files(tmp_path: Path) -> None:
    source, words, run = labelled(tmp_path, "planner")
    lines = (run / "records.jsonl").read_text("utf-8").splitlines()
    other = tmp_path / "other"
    other.mkdir()
    changed = [line.replace('"low"', '"mid"') if n % 3 else line for n, line in enumerate(lines)]
    changed[::4] = [re.sub(r'"horizon_steps":\d+', '"horizon_steps":1', x) for x in changed[::4]]
    (other / "records.jsonl").write_text("\n".join(changed[:-2]) + "\n", "utf-8")
    for number, reviewer in enumerate(("ann", "bo")):
        decisions = Decisions(run, reviewer)
        for place, line in enumerate(map(json.loads, lines[:6])):
            kind = ("accept", "reject")[(place + number) % 3 == 0]
            decisions.add({"item": line["item"], "decision": kind})
        decisions.close()
    page = tmp_path / "page.html"
    report = cli_commands.report(run, words, source, other, page)
    known, episodes = load_vocabulary(words), {e.id: e for e in read_source(source)}
    cards = cards_of(run, known, episodes, whole="c")
    review = [[card.data(known), card.timeline(known)] for card in cards]
    exported = export(run, source, words, tmp_path / "studio")
    compare(
        "quality",
        {
            "report": report,
            "page": page.read_text("utf-8").splitlines(),
            "review": review,
            "words": field_values(known),
            "export": [exported, contents(tmp_path / "studio")],
        },
        tmp_path,
    )


def test_model_and_service_receive_the_expected_requests(tmp_path: Path) -> None:
    source, words = recording(tmp_path)
    loaded = load_vocabulary(words)
    bounded = {
        "version": "plan_v2",
        "fallbacks": [],
        "mid_steps": {n: {**s, "fallbacks": []} for n, s in VOCABULARY["mid_steps"].items()},
        "ops": {
            **VOCABULARY["ops"],
            "WAIT": {
                "args": {
                    "s": {"type": "number", "minimum": 0, "maximum": 9},
                    "n": {"type": "integer", "minimum": 1, "required": False},
                    "m": {"type": "integer", "maximum": 7},
                    "loud": {"type": "boolean", "required": False},
                    "word": {"type": "text"},
                }
            },
        },
    }
    other = Vocabulary.model_validate({**VOCABULARY, **bounded})
    found: dict[str, Any] = {"schema": answer_schema(other), "request": Asked.model_json_schema()}
    for role in ("controller", "planner"):
        for language, known in (("en", loaded), ("ko", other)):
            blocks = system_prompt(known, role, language)
            found[f"{role} {language}"] = [[b.text.splitlines(), b.cache] for b in blocks]
    for episode in read_source(source):
        items = list(items_of(episode, loaded, "planner", stride_s=2.5))[2:5]
        asked = {
            number: item.without_damaged_frames() for number, item in enumerate(items, start=3)
        }
        for sheet in (True, False):
            turn = items_turn(asked, loaded, "ko", sheet=sheet)
            found[f"turn {episode.id} {sheet}"] = [
                block.text if isinstance(block, Block) else block.media_type
                for block in turn.blocks
            ]
        found[f"body {episode.id}"] = [item_body(i, loaded, "en", str) for i in asked.values()]
    last = ControllerItem(
        episode,
        1.0,
        "rest",
        cut_clip(episode, 1.0, RECENT).without_damaged_frames(),
        None,
        ("No.",),
        ("It rains.",),
        "Wet.",
    )
    found["known"] = [
        block.text for block in items_turn({1: last}, loaded, "en", sheet=True).blocks
        if isinstance(block, Block)
    ]  # fmt: skip
    compare("requests", found, tmp_path)


def test_commands_have_the_expected_options(tmp_path: Path) -> None:
    assert cli._commands_module() is cli_commands
    assert options.settings_of(None) == {}
    group = typer.main.get_command(cli.LABEL)
    assert isinstance(group, typer.core.TyperGroup)
    found = {
        name: [command.help, *(_option(one) for one in command.params)]
        for name, command in group.commands.items()
    }
    compare("commands", [group.help, group.no_args_is_help, found], tmp_path)


def _option(param: Any) -> dict[str, Any]:
    """Return an option of a command, as its help shows it."""
    bounds = [getattr(param.type, name, None) for name in ("name", "min", "max")]
    about = {"names": [param.name, *param.opts], "type": bounds, "default": param.default}
    about |= {"metavar": param.metavar, "required": param.required, "many": param.multiple}
    return about | {"help": getattr(param, "help", None)}
