"""Training sets on disk: Parquet, pictures, a card; and chats for fine-tuning.

::

    DATASET/
        README.md                 the card: what it is, columns, splits, where it came from
        data/train-00000.parquet  one file a split
        images/ab12….png          frames by content, each once
        chat/train.jsonl          the same as chats, for fine-tuning
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2

from bt_exec.failure import UsageError
from bt_exec_labeler.datasets.rows import rows_of
from bt_exec_labeler.episode import Episode, Frame
from bt_exec_labeler.items import Role
from bt_exec_labeler.labelers.prompt import rules_of
from bt_exec_labeler.parquet import needs_parquet
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["in_new_folder", "write_dataset"]


def write_dataset(
    folder: Path,
    role: Role,
    lines: Sequence[Mapping[str, Any]],
    episodes: Mapping[str, Episode],
    vocabulary: Vocabulary,
) -> dict[str, int]:
    """Write a training set; return how many rows each split has.

    Args:
        folder: Where it goes; must be empty or not there.
        role: Whose set.
        lines: The lines of ``records.jsonl`` that are wanted.
        episodes: The recordings by name.
        vocabulary: What the records were made with.

    Raises:
        UsageError: If the folder is in use, or what writes Parquet is not installed.
    """
    arrow, parquet = needs_parquet()
    in_new_folder(folder)
    for part in ("data", "images", "chat"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    kept: dict[int, str] = {}

    def keep(frame: Frame) -> str:
        if id(frame) not in kept:  # frames live as long as their episodes
            kept[id(frame)] = _picture(frame, folder)
        return kept[id(frame)]

    rows: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(role, lines, episodes, vocabulary, keep):
        rows.setdefault(row["split"], []).append(row)
    system = "\n\n".join(
        block.text for block in rules_of(vocabulary, role, vocabulary.languages[0])
    )
    for split, found in sorted(rows.items()):
        table = arrow.Table.from_pylist(found)
        parquet.write_table(table, folder / "data" / f"{split}-00000.parquet")
        chats = (json.dumps(_chat(row, system), ensure_ascii=False) for row in found)
        (folder / "chat" / f"{split}.jsonl").write_text("\n".join(chats) + "\n", encoding="utf-8")
    counts = {split: len(found) for split, found in sorted(rows.items())}
    columns = list(next(iter(rows.values()))[0]) if rows else []
    (folder / "README.md").write_text(_card(role, counts, columns, vocabulary), encoding="utf-8")
    return counts


def in_new_folder(folder: Path) -> None:
    """Refuse a folder that has something in it.

    Raises:
        UsageError: If it has.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty; name another folder with --out")


def _picture(frame: Frame, folder: Path) -> str:
    """Keep a frame as a PNG named by its content; return its name below the folder."""
    done, coded = cv2.imencode(".png", cv2.cvtColor(frame.image(), cv2.COLOR_RGB2BGR))
    assert done
    data = coded.tobytes()
    name = f"images/{hashlib.sha256(data).hexdigest()[:24]}.png"
    path = folder / name
    if not path.exists():
        path.write_bytes(data)
    return name


def _chat(row: Mapping[str, Any], system: str) -> dict[str, Any]:
    """Return a row as a chat: pictures and what is under way in, the record out."""
    names = [*row["recent_clip"], *row.get("summary_clip", ())]
    said = f"mid step {row['mid_step_id']}: {row['mid_step_text']}"
    if row.get("retrieved_memory", "[]") != "[]":
        said += f"\nremembered: {row['retrieved_memory']}"
    shown = [{"type": "image", "image": name} for name in names]
    record = json.loads(row["plan_json"])
    answer = {key: v for key, v in record.items() if key not in ("schema_version", "plan_id")}
    return {
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": [*shown, {"type": "text", "text": said}]},
            {"role": "assistant", "content": json.dumps(answer, ensure_ascii=False)},
        ]
    }


def _card(
    role: Role, counts: Mapping[str, int], columns: Sequence[str], vocabulary: Vocabulary
) -> str:
    """Return the card of a set, in the form that the Hugging Face hub reads."""
    files = "".join(
        f"  - split: {'validation' if split == 'val' else split}\n"
        f"    path: data/{split}-*.parquet\n"
        for split in counts
    )
    total = Counter(counts).total()
    head = f"---\nconfigs:\n- config_name: default\n  data_files:\n{files}---\n" if files else ""
    steps = "\n".join(
        f"- `{name}`: {step.said('en')}" for name, step in vocabulary.mid_steps.items()
    )
    rows = "\n".join(f"- {split}: {count}" for split, count in counts.items())
    return (
        f"{head}\n# {role.capitalize()} set, {vocabulary.version}\n\n"
        f"{total} moments of recorded episodes with plan records. Splits are by episode: all clips "
        "of an episode lie in one of them.\n\n"
        f"## Splits\n\n{rows}\n\n## Columns\n\n{', '.join(f'`{name}`' for name in columns)}\n\n"
        "`…_clip` are names of pictures in this folder, oldest first; `…_times` are seconds before "
        "the moment `t`. Clips at the beginning of an episode are shorter. `plan_json` is the "
        f"record.\n\n## Mid steps\n\n{steps}\n"
    )
