"""Chats for fine-tuning: requests of the labeler ``model`` with the records as answers.

A chat has the same text and pictures as a request of the labeler: the system text, a turn about up
to eight moments of an episode, and the answer in the required form. A model that is trained on the
chats can then be used with this labeler.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from bt_exec_labeler.batch.run import BATCH
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.labeler_items import Item, Role, item_at
from bt_exec_labeler.labelers.model_labeler import Options
from bt_exec_labeler.labelers.prompt import items_turn, system_prompt
from bt_exec_labeler.plan_record import FIELDS
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.client import Block, Turn

__all__ = ["chats_of", "system_text"]


def system_text(vocabulary: Vocabulary, role: Role, language: str) -> str:
    """Return the system text of the labeler."""
    return "\n\n".join(block.text for block in system_prompt(vocabulary, role, language))


def chats_of(
    role: Role,
    lines: Sequence[Mapping[str, Any]],
    episodes: Mapping[str, Episode],
    vocabulary: Vocabulary,
    folder: Path,
    form: Options,
) -> Iterator[dict[str, Any]]:
    """Yield chats about records, and write their pictures to ``images`` in a folder.

    Args:
        role: Role of the records.
        lines: Lines of ``records.jsonl``, in the order of the file.
        episodes: Recorded episodes by name.
        vocabulary: Vocabulary of the records.
        folder: Folder of the training set.
        form: Settings of the labeler whose requests are used.
    """
    language = form.language or vocabulary.languages[0]
    system = system_text(vocabulary, role, language)
    for name, found in groupby(lines, key=lambda line: line["episode"]):
        for batch in _batches(found, form.items):
            items: dict[int, Item] = {
                number: item_at(
                    episodes[name], float(line["t"]), line["mid_step_id"], role, vocabulary
                ).without_damaged_frames()
                for number, line in enumerate(batch, start=1)
            }
            turn = items_turn(items, vocabulary, language, sheet=form.sheet)
            yield {
                "messages": [
                    {"role": "system", "content": system},
                    {"role": "user", "content": _content(turn, folder)},
                    {"role": "assistant", "content": _answer_text(batch)},
                ]
            }


def _batches(lines: Iterable[Mapping[str, Any]], count: int) -> Iterator[list[Mapping[str, Any]]]:
    """Yield records in groups of at most `count` from one episode, as a run requests them."""
    left = iter(lines)
    while batch := list(islice(left, BATCH)):
        for first in range(0, len(batch), count):
            yield batch[first : first + count]


def _answer_text(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return records in the answer format of the labeler."""
    items = [
        {"item": number, "record": {name: line["record"][name] for name in FIELDS}}
        for number, line in enumerate(lines, start=1)
    ]
    return json.dumps({"items": items}, ensure_ascii=False)


def _content(turn: Turn, folder: Path) -> list[dict[str, str]]:
    content = []
    for block in turn.blocks:
        if isinstance(block, Block):
            content.append({"type": "text", "text": block.text})
            continue
        data = base64.b64decode(block.data)
        name = f"images/{hashlib.sha256(data).hexdigest()[:24]}.jpg"
        (folder / name).write_bytes(data)
        content.append({"type": "image", "image": name})
    return content
