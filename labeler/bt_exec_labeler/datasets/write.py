"""Writer for training sets: Parquet with pictures, a card, and chats for fine-tuning.

::

    DATASET/
        README.md                     the card: columns, splits, origin
        data/train-00000.parquet      one file per split
        recovery/train-00000.parquet  failures and the reactions to them, if there are any
        replies/train-00000.parquet   refused and answered commands, if requested
        chat/train.jsonl              requests of the labeler with their answers
        images/ab12….jpg              pictures of the chats
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from bt_exec.batch.optional_pyarrow import import_pyarrow
from bt_exec.batch.output_folder import atomic_new_folder
from bt_exec_labeler.clips import Stored, decode_frame
from bt_exec_labeler.datasets.chats import chats_of
from bt_exec_labeler.datasets.rows import reply_rows, rows_of
from bt_exec_labeler.episode import Episode, Frame, encode_png
from bt_exec_labeler.labeler_items import Role
from bt_exec_labeler.labelers.model_labeler import Options
from bt_exec_labeler.splits import SPLITS, Split
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["SetInput", "write_dataset", "write_rows"]

_KEPT = 256  # maximum number of cached encoded pictures


@dataclass(frozen=True)
class SetInput:
    """Contents of a training set.

    Attributes:
        role: Role that the set is for.
        lines: Selected lines of ``records.jsonl``, including failures.
        episodes: Recorded episodes by name.
        vocabulary: Vocabulary of the records.
        splits: Split of each episode, by episode name.
        replies: Whether the set includes commands that led to a reply and no actions.
        form: Settings of the labeler whose requests are written as chats.
    """

    role: Role
    lines: Sequence[Mapping[str, Any]]
    episodes: Mapping[str, Episode]
    vocabulary: Vocabulary
    splits: Mapping[str, Split]
    replies: bool = False
    form: Options = field(default_factory=Options)


def write_dataset(folder: Path, given: SetInput) -> dict[str, int]:
    """Write a training set and return the number of rows of each split.

    Args:
        folder: Output folder; must be empty or not exist.
        given: Content of the training set.

    Raises:
        UsageError: If the folder is in use, or the Parquet library is not installed.
    """
    import_pyarrow()
    steps = [line for line in given.lines if line.get("kind") != "failure"]
    about = (given.episodes, given.vocabulary)
    with atomic_new_folder(folder) as part:
        for name in ("data", "images", "chat"):
            (part / name).mkdir()
        rows: dict[str, list[dict[str, Any]]] = {split: [] for split in SPLITS}
        for row in rows_of(given.role, given.lines, *about, given.splits, _dataset_picture):
            rows[row["split"]].append(row)
        counts: dict[str, int] = {}
        recovery: dict[str, int] = {}
        for split, found in rows.items():
            default = [row for row in found if row["kind"] != "failure"]
            if default:
                counts[split] = len(default)
                write_rows(part / "data" / f"{split}-00000.parquet", default)
                asked = [line for line in steps if given.splits[line["episode"]] == split]
                with (part / "chat" / f"{split}.jsonl").open("w", encoding="utf-8") as file:
                    for chat in chats_of(given.role, asked, *about, part, given.form):
                        file.write(json.dumps(chat, ensure_ascii=False) + "\n")
            if special := [row for row in found if row["kind"] != "step"]:
                recovery[split] = len(special)
                (part / "recovery").mkdir(exist_ok=True)
                write_rows(part / "recovery" / f"{split}-00000.parquet", special)
        replies = _write_replies(part, given) if given.replies else {}
        columns = next((list(found[0]) for found in rows.values() if found), [])
        text = _card(given, counts, recovery, columns, replies)
        (part / "README.md").write_text(text, encoding="utf-8")
    return counts


def _write_replies(part: Path, given: SetInput) -> dict[str, int]:
    """Write the folder ``replies`` and return the number of rows of each split."""
    rows = list(reply_rows(given.episodes.values(), given.splits, _dataset_picture))
    counts = Counter(row["split"] for row in rows)
    if rows:
        (part / "replies").mkdir()
    for split in counts:
        found = [row for row in rows if row["split"] == split]
        write_rows(part / "replies" / f"{split}-00000.parquet", found)
    return {split: counts[split] for split in SPLITS if counts[split]}


def _dataset_picture(frame: Frame) -> dict[str, Any]:
    """Return a frame in the picture format of Hugging Face ``datasets``."""
    name, data = _encoded_picture(Stored(frame))
    return {"bytes": data, "path": name}


@lru_cache(maxsize=_KEPT)
def _encoded_picture(stored: Stored) -> tuple[str, bytes]:
    data = encode_png(decode_frame(stored.frame))
    return f"{hashlib.sha256(data).hexdigest()[:24]}.png", data


def _card(
    given: SetInput,
    counts: Mapping[str, int],
    recovery: Mapping[str, int],
    columns: Sequence[str],
    replies: Mapping[str, int],
) -> str:
    """Return the card of a set, in the format of the Hugging Face hub."""
    configs = _config("default", "data", counts) + _config("recovery", "recovery", recovery)
    configs += _config("replies", "replies", replies)
    head = f"---\nconfigs:\n{configs}---\n" if configs else ""
    steps = "\n".join(
        f"- `{name}`: {step.said('en')}" for name, step in given.vocabulary.mid_steps.items()
    )
    rows = "\n".join(f"- {split}: {count}" for split, count in counts.items())
    failed = ", ".join(f"{split} {count}" for split, count in recovery.items()) or "none"
    said = ", ".join(f"{split} {count}" for split, count in replies.items())
    answered = (
        f'## Replies\n\nRows: {said}. `load_dataset(…, "replies")` holds commands for which '
        "nothing was done: `kind` is refused, answered or nothing_to_do, `reply` is what the "
        "operator was told, `checks` are the conditions that were asked, and `recent_clip` shows "
        "what was seen.\n\n"
    )
    return (
        f"{head}\n# {given.role.capitalize()} set, {given.vocabulary.version}\n\n"
        f"{Counter(counts).total()} moments of recorded episodes with plan records. Splits are by "
        "episode: all clips of an episode are in one of them.\n\n"
        f"## Splits\n\n{rows}\n\n## Columns\n\n{', '.join(f'`{name}`' for name in columns)}\n\n"
        "`…_clip` are pictures, oldest first; `…_times` are seconds before the moment `t`. Clips "
        "at the beginning of an episode are shorter. `plan_json` is the record; `flaws` names what "
        "is wrong with the recording at the moment.\n\n"
        "## Failures and recoveries\n\n"
        f'Rows: {failed}. `load_dataset(…, "recovery")` holds moments of actions that failed '
        "(`kind` failure, `code`, and `then`: what was done next) and of what was done after a "
        "failure (`kind` recovery). Failures are in no other part.\n\n"
        f"{answered if replies else ''}"
        "## Chats\n\n`chat/` holds the requests of `bt-exec label run -l model` with their "
        "answers: system text, turn and pictures as they are sent.\n\n"
        f"## Mid steps\n\n{steps}\n"
    )


def _config(name: str, folder: str, counts: Mapping[str, int]) -> str:
    if not counts:
        return ""
    files = "".join(
        f"  - split: {'validation' if split == 'val' else split}\n"
        f"    path: {folder}/{split}-*.parquet\n"
        for split in counts
    )
    default = "  default: true\n" if name == "default" else ""
    return f"- config_name: {name}\n{default}  data_files:\n{files}"


_DICTIONARY_BYTES = 1 << 30  # a picture that several clips share is stored once per row group
_ROWS = 1000  # rows of a row group


def write_rows(path: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as Parquet, with clips as pictures of Hugging Face ``datasets``.

    Args:
        path: The file.
        rows: Rows, at least one, all with the same columns.
    """
    arrow, parquet = import_pyarrow()
    types = {name: _arrow_type(arrow, name, value) for name, value in rows[0].items()}
    features = {name: _feature(name, value) for name, value in rows[0].items()}
    about = json.dumps({"info": {"features": features}})
    schema = arrow.schema(list(types.items()), metadata={"huggingface": about})
    with parquet.ParquetWriter(
        path, schema, use_dictionary=True, dictionary_pagesize_limit=_DICTIONARY_BYTES
    ) as file:
        for first in range(0, len(rows), _ROWS):
            file.write_table(arrow.Table.from_pylist(rows[first : first + _ROWS], schema=schema))


def _arrow_type(arrow: Any, name: str, value: Any) -> Any:
    if name.endswith("_clip"):
        picture = [("bytes", arrow.binary()), ("path", arrow.string())]
        return arrow.list_(arrow.struct(picture))
    if isinstance(value, list):
        return arrow.list_(arrow.float64() if name.endswith("_times") else arrow.string())
    return arrow.float64() if isinstance(value, float) else arrow.string()


def _feature(name: str, value: Any) -> dict[str, Any]:
    if name.endswith("_clip"):
        return {"feature": {"_type": "Image"}, "_type": "List"}
    if isinstance(value, list):
        kind = "float64" if name.endswith("_times") else "string"
        return {"feature": {"dtype": kind, "_type": "Value"}, "_type": "List"}
    return {"dtype": "float64" if isinstance(value, float) else "string", "_type": "Value"}
