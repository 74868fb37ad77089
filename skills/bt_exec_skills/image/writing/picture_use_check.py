"""Check that a program uses the picture, by runs on changed pictures.

In the changed pictures, an accepted object is removed, recoloured or added, all objects are moved,
or the picture is blank. The pack's tools determine how each change affects the answer. A program
whose answer does not change accordingly returns a constant or counts something else. If the answer
is empty (0, no, an empty list), no object can be removed; then the program is run on a file that is
not a picture. The check covers only code that these runs execute.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bt_exec.failure import Problem
from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.image.rules.program_run_check import answer_in_result, run_on_picture
from bt_exec_skills.image.sandbox.process import Ran
from bt_exec_skills.image.skills.answer_recomputation import repeat_on_other_picture
from bt_exec_skills.image.workbench import Bench
from bt_exec_skills.perception.pictures_and_boxes import Frame, Mask, border_pixels

__all__ = ["changed_picture_problems", "check_result"]

_CODES = {
    "failed": "RUN_FAILED",
    "killed": "RUN_FAILED",
    "time": "OVER_TIME",
    "memory": "OVER_MEMORY",
    "output": "OVER_OUTPUT",
}
_NOTHING: tuple[Any, ...] = (0, False, [], {"target": 0, "other": 0})


def check_result(ran: Ran, answer: Any, *, worded: bool) -> list[Problem]:
    """Return the faults of a run, such as an error, a timeout or a result of the wrong form.

    Codes: ``RUN_FAILED``, ``OVER_TIME``, ``OVER_MEMORY``, ``OVER_OUTPUT``, ``NOT_A_DICT``,
    ``NO_ANSWER``, ``WRONG_SHAPE``.

    Args:
        ran: The run.
        answer: Known answer; only its form is compared.
        worded: Whether a model gave the answer only as text, so that any form is valid.
    """
    if ran.ending in _CODES:
        return [Problem(_CODES[ran.ending], f"it was run on the picture: {ran.why}", "run")]
    if ran.ending == "not_run":
        return []
    if not isinstance(ran.result, dict):
        found = type(ran.result).__name__
        return [Problem("NOT_A_DICT", "run returns a dict", "run", found)]
    if "answer" not in ran.result:
        found = ", ".join(map(str, ran.result))[:60]
        return [Problem("NO_ANSWER", "the dict has the key answer", "run", found)]
    found = ran.result["answer"]
    if worded or found is None or _is_same_answer(found, answer):
        return []
    message = "the answer does not have the requested form"
    return [Problem("WRONG_SHAPE", message, "run", repr(found)[:60], (type(answer).__name__,))]


def changed_picture_problems(bench: Bench, code: str, ran: Ran) -> list[Problem]:
    """Return the faults of a program on changed pictures; empty if it uses the picture.

    Codes: ``SAME_WHATEVER_IT_SEES`` if the answer stays the same although all objects are removed,
    ``NOT_FOLLOWING`` if the answer does not change as the picture does, ``RUN_FAILED`` if the
    program fails.

    Args:
        bench: Bench with the picture, the steps of its answer, and the answer.
        code: The program.
        ran: Run of the program on the original picture.
    """
    found = answer_in_result(ran)
    if ran.ending != "returned" or found is None or bench.file is None:
        return []
    with tempfile.TemporaryDirectory(prefix="bt-exec-probe-") as name:
        other = Path(name) / bench.file.name
        if found in _NOTHING:
            other.write_bytes(b"no picture")
            other.chmod(0o644)
            again = run_on_picture(bench, code, other)
            same = again.ending == "returned" and answer_in_result(again) == found
            return [_unchanged_problem("broken", found)] if same else []
        accepted, known = _counted_and_known(bench)
        if bench.answer is None or found != _to_plain_data(bench.answer.value):
            accepted = []  # for another answer, only the dependence on the picture is checked
        for change, picture in _changed_pictures(bench.picture, accepted, known):
            _, data = cv2.imencode(".png", np.ascontiguousarray(picture[..., ::-1]))
            # PNG data with any file name: readers determine the format from the content
            other.write_bytes(data.tobytes())
            other.chmod(0o644)
            problem = _compare_with_tools(
                bench, change, picture, found, run_on_picture(bench, code, other)
            )
            if problem is not None:
                return [problem]
    return []


def _compare_with_tools(
    bench: Bench, change: str, picture: Frame, found: Any, again: Ran
) -> Problem | None:
    """Compare the change of a program's answer with the change of the tools' answer."""
    assert bench.answer is not None
    ours = repeat_on_other_picture(bench, picture)
    before, now = (
        _to_plain_data(bench.answer.value),
        None if ours is None else _to_plain_data(ours.value),
    )
    if again.ending != "returned":
        expected = ours is None or now is None or change == "blank"
        message = f"it was run on a picture with one thing {change}: {again.why}"
        return None if expected else Problem("RUN_FAILED", message, "run")
    theirs = answer_in_result(again)
    if ours is None or before is None or now is None:
        return _unchanged_problem(change, found) if change == "blank" and theirs == found else None
    if change != "blank" and _are_integers(before, now, found, theirs):
        follows = theirs - found == now - before
    else:
        follows = (theirs == found) == (now == before)
    if follows:
        return None
    if theirs == found and change == "blank":
        return _unchanged_problem(change, found)
    message = (
        f"run on the picture with one thing {change}, it gives {theirs!r} after {found!r}; it must "
        f"change as the picture does, as from {before!r} to {now!r}"
    )
    return Problem("NOT_FOLLOWING", message[:300], "run", repr(theirs)[:60])


def _unchanged_problem(change: str, found: Any) -> Problem:
    message = f"run on another picture, one that is {change}, it gives the same: it does not look"
    return Problem("SAME_WHATEVER_IT_SEES", message, "run", repr(found)[:60])


def _are_integers(*values: Any) -> bool:
    return all(isinstance(one, int) and not isinstance(one, bool) for one in values)


def _to_plain_data(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _counted_and_known(bench: Bench) -> tuple[list[Instance], list[Instance]]:
    """Return the objects that the answer counts, and all known objects."""
    set_names = [step.args["of"] for step in bench.steps if step.tool == "answer"]
    target = bench.sets.get(str(set_names[-1])) if set_names else None
    known = [one for found in bench.sets.values() for one in found.instances]
    return (target.accepted_instances() if target is not None else []), known


def _is_same_answer(found: Any, answer: Any) -> bool:
    if answer is None:  # undecided between yes and no
        return isinstance(found, bool)
    if isinstance(answer, bool) or isinstance(found, bool):
        return isinstance(answer, bool) and isinstance(found, bool)
    if isinstance(answer, dict):
        return isinstance(found, dict) and {*found} == {*answer}
    if isinstance(answer, list | tuple):
        return isinstance(found, list) and all(isinstance(one, str) for one in found)
    return isinstance(found, int)


_RIM = 3  # margin around an object that is painted over, too [px]
_STEPS = 24  # number of positions per side of the picture that are tried for a copy


def _changed_pictures(
    picture: Frame, accepted: Sequence[Instance], known: Sequence[Instance]
) -> Iterator[tuple[str, Frame]]:
    """Yield changed pictures, each with the name of the change, such as ``blank`` or ``added``.

    Args:
        picture: RGB.
        accepted: Objects that the answer counts. Without any, only the whole picture is changed.
        known: All objects in the picture.
    """
    yield "blank", _blank_picture(picture)
    if accepted:
        one = max(accepted, key=lambda each: _free_distance(each, known))
        yield "painted out", _paint_out(picture, one)
        yield "recoloured", _recolour(picture, one)
        added = _with_copy_of(picture, one, known)
        if added is not None:
            yield "added", added
        # objects without masks have only boxes, which are not mirrored with the picture
        if all(each.mask is not None for each in known):
            yield "moved", np.ascontiguousarray(picture[:, ::-1])


def _blank_picture(picture: Frame) -> Frame:
    """Return a picture of the same size in the colour of its border."""
    blank = np.empty_like(picture)
    blank[:] = np.median(border_pixels(picture), axis=0).astype(np.uint8)
    return blank


def _free_distance(one: Instance, known: Sequence[Instance]) -> float:
    """Return the distance to the nearest other centre minus the longer side of the object [px]."""
    others = [other.middle for other in known if other.bbox != one.bbox]
    far = [float(np.hypot(x - one.middle[0], y - one.middle[1])) for x, y in others]
    return min(far, default=np.inf) - max(one.bbox[2] - one.bbox[0], one.bbox[3] - one.bbox[1])


def _full_size_mask(picture: Frame, one: Instance, rim: int = 0) -> Mask:
    x1, y1, x2, y2 = one.bbox
    found = np.zeros(picture.shape[:2], np.uint8)
    found[y1:y2, x1:x2] = 1 if one.mask is None else one.mask
    if rim:
        found = np.asarray(cv2.dilate(found, np.ones((2 * rim + 1, 2 * rim + 1))), np.uint8)
    return found > 0


def _paint_out(picture: Frame, one: Instance) -> Frame:
    mask = _full_size_mask(picture, one, _RIM)
    around = _full_size_mask(picture, one, 2 * _RIM + 2) & ~mask
    found = picture.copy()
    found[mask] = np.median(picture[around], axis=0) if around.any() else _blank_picture(picture)[0]
    return found


def _recolour(picture: Frame, one: Instance) -> Frame:
    """Return the picture with an object in the opposite hue, or in green if the object is grey."""
    mask = _full_size_mask(picture, one)
    hues = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV)
    faint = float(np.median(hues[mask][:, 1])) < 60
    hues[mask, 0] = 60 if faint else (hues[mask, 0].astype(int) + 90) % 180
    if faint:
        hues[mask, 1] = 200
        hues[mask, 2] = 150
    return np.asarray(cv2.cvtColor(hues, cv2.COLOR_HSV2RGB), np.uint8)


def _with_copy_of(picture: Frame, one: Instance, known: Sequence[Instance]) -> Frame | None:
    """Return the picture with a copy of an object at a free position; None without one."""
    x1, y1, x2, y2 = one.bbox
    wide, high = x2 - x1, y2 - y1
    taken = np.zeros(picture.shape[:2], np.uint8)
    for each in known:
        a, b, c, d = each.bbox
        taken[max(0, b - 2 * _RIM) : d + 2 * _RIM, max(0, a - 2 * _RIM) : c + 2 * _RIM] = 1
    rest_x, rest_y = picture.shape[1] - wide - 2 * _RIM, picture.shape[0] - high - 2 * _RIM
    if rest_x <= 2 * _RIM or rest_y <= 2 * _RIM:
        return None
    for y in np.linspace(2 * _RIM, rest_y, _STEPS).astype(int):
        for x in np.linspace(2 * _RIM, rest_x, _STEPS).astype(int):
            if not taken[y : y + high, x : x + wide].any():
                own = np.ones((high, wide), bool) if one.mask is None else one.mask
                found = picture.copy()
                found[y : y + high, x : x + wide][own] = picture[y1:y2, x1:x2][own]
                return found
    return None
