"""Export of the review sample to Label Studio, and import of annotations as decisions.

The formats follow the documentation of Label Studio: "Basic Label Studio JSON format" for tasks
(https://labelstud.io/guide/tasks), "Label Studio JSON format of annotated tasks" for exports
(https://labelstud.io/guide/export). A task contains its pictures as data, so that no further server
is needed. A prediction contains the labeler's record.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError
from bt_exec.files import file_errors
from bt_exec_labeler.clips import decode_frame
from bt_exec_labeler.labelers.prompt import contact_sheet
from bt_exec_labeler.review.decisions import DECISIONS, parse_decision
from bt_exec_labeler.review.review_cards import Card
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.client import image_block

__all__ = ["INTERFACE", "read_annotations", "write_tasks"]

INTERFACE = """\
<View>
  <Header value="$mid_step_text"/>
  <Text name="about" value="$about"/>
  <Image name="recent" value="$recent"/>
  {summary}<Choices name="decision" toName="about" choice="single" required="true">
    <Choice value="accept" hotkey="a"/>
    <Choice value="correct" hotkey="c"/>
    <Choice value="reject" hotkey="r"/>
  </Choices>
  <TextArea name="record" toName="about" value="$record" rows="18" maxSubmissions="1"
            editable="true" visibleWhen="choice-selected" whenTagName="decision"
            whenChoiceValue="correct"/>
</View>
"""
"""Labelling interface of the tasks."""

_SUMMARY = '<Image name="summary" value="$summary"/>\n  '


def write_tasks(folder: Path, cards: Sequence[Card], vocabulary: Vocabulary) -> list[str]:
    """Write ``tasks.json`` and ``interface.xml``; return the clips that cannot be shown.

    Args:
        folder: A new folder.
        cards: Records to review.
        vocabulary: Vocabulary with the texts of mid steps.

    Raises:
        UsageError: If the folder exists, or cannot be written.
    """
    damaged: list[str] = []
    tasks = [_task(card, vocabulary, damaged) for card in cards]
    planner = any("summary" in card.clips for card in cards)
    if folder.exists():
        raise UsageError(f"{folder} exists already; name another folder with --out")
    with file_errors(folder, "written"):
        folder.mkdir(parents=True)
        text = json.dumps(tasks, ensure_ascii=False, indent=1)
        (folder / "tasks.json").write_text(text, encoding="utf-8")
        interface = INTERFACE.format(summary=_SUMMARY if planner else "")
        (folder / "interface.xml").write_text(interface, encoding="utf-8")
    return damaged


def read_annotations(
    path: Path, cards: Sequence[Card], vocabulary: Vocabulary
) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    """Return the decisions by annotator, and descriptions of annotations that cannot be used.

    Args:
        path: JSON export; cancelled annotations are left out.
        cards: Records to review.
        vocabulary: Vocabulary of corrected records.

    Raises:
        UsageError: If the file is not such an export.
    """
    by_item = {card.line["item"]: card for card in cards}
    decisions: dict[str, list[dict[str, Any]]] = {}
    refused: list[str] = []
    for where, item, annotation in _read_annotations(path):
        if item not in by_item:
            refused.append(f"{where}: {item!r} is not part of this review")
            continue
        data = _decision_of_result(annotation.get("result"))
        if isinstance(data, str):
            refused.append(f"{where}: {data}")
            continue
        found = parse_decision(data, by_item[item].line, vocabulary)
        if isinstance(found, tuple):
            refused += [f"{where}: {breach}" for breach in found]
        else:
            decisions.setdefault(_reviewer(annotation.get("completed_by")), []).append(found)
    return decisions, refused


def _task(card: Card, vocabulary: Vocabulary, damaged: list[str]) -> dict[str, Any]:
    """Return a task, with the labeler's record as its prediction."""
    about = card.data(vocabulary)
    record = json.dumps(about["record"], ensure_ascii=False, indent=2)
    data = {
        "item": about["item"],
        "mid_step_text": vocabulary.mid_steps[about["mid_step_id"]].said(vocabulary.languages[0]),
        "about": f"{about['episode']}, {about['t']:g} s, {about['mid_step_id']}\n{record}",
        "record": record,
        **{name: _clip_picture(card, name, damaged) for name in card.clips},
    }
    result = [_choice_result("accept")]
    said = {"model_version": vocabulary.version, "result": result}
    return {"data": data, "predictions": [said]}


def _choice_result(decision: str) -> dict[str, Any]:
    value = {"choices": [decision]}
    return {"from_name": "decision", "to_name": "about", "type": "choices", "value": value}


def _clip_picture(card: Card, name: str, damaged: list[str]) -> str:
    """Return the readable frames of a clip as one picture, encoded as a ``data:`` URL."""
    clip = card.clips[name].without_damaged_frames()
    damaged += [f"{card.line['item']}: {why}" for why in clip.damaged]
    if not clip.frames:
        return _EMPTY
    block = image_block(contact_sheet([decode_frame(frame) for frame in clip.frames]))
    return f"data:{block.media_type};base64,{block.data}"


_EMPTY = "data:image/svg+xml;base64," + base64.b64encode(
    b'<svg xmlns="http://www.w3.org/2000/svg" width="96" height="72"/>'
).decode("ascii")


def _read_annotations(path: Path) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Yield (location, item, annotation) of the annotations in an export."""
    try:
        with file_errors(path, "read"):
            tasks = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON; export as JSON from Label Studio") from None
    wrong = f"{path} is not JSON export of Label Studio: it must be a list of tasks"
    if not isinstance(tasks, list):
        raise UsageError(wrong)
    for number, task in enumerate(tasks, start=1):
        where = f"{path}: task {number}"
        found = task.get("annotations") if isinstance(task, Mapping) else None
        data = task.get("data") if isinstance(task, Mapping) else None
        if not isinstance(data, Mapping) or not isinstance(found, list):
            raise UsageError(f"{wrong}, each with data and annotations; task {number} lacks them")
        for annotation in found:
            if not isinstance(annotation, Mapping):
                raise UsageError(f"{where}: an annotation must be an object")
            if not annotation.get("was_cancelled"):
                yield where, data.get("item"), annotation


def _decision_of_result(result: Any) -> dict[str, Any] | str:
    """Return the decision in an annotation's result, as input of `parse_decision`, or an error."""
    values: dict[str, list[Any]] = {}
    for region in result if isinstance(result, list) else ():
        value = region.get("value") if isinstance(region, Mapping) else None
        if isinstance(value, Mapping):
            kept = value.get("choices", value.get("text"))
            said = kept if isinstance(kept, list) else [kept]
            values.setdefault(str(region.get("from_name")), []).extend(said)
    chosen = values.get("decision", [])
    if len(chosen) != 1 or chosen[0] not in DECISIONS:
        return f"decision must be one of {', '.join(DECISIONS)}; found {chosen}"
    if chosen[0] != "correct":
        return {"decision": chosen[0]}
    texts = values.get("record", [])
    if len(texts) != 1 or not isinstance(texts[0], str):
        return f"a correction has one record; found {len(texts)}"
    try:
        return {"decision": "correct", "record": json.loads(texts[0])}
    except (ValueError, RecursionError) as error:
        return f"record: is not JSON: {error}"


def _reviewer(who: Any) -> str:
    """Return a reviewer's name for an annotator, made from the exported number or mail address."""
    if isinstance(who, Mapping):
        who = who.get("email") or who.get("id")
    name = "".join(sign if sign.isalnum() else "-" for sign in str(who or "unknown"))
    return f"studio-{name}"[:40]
