"""Generation of a Python program that repeats the steps of the tools for an answer.

The program is generated from the executed steps, with a few lines per step, and uses the public
functions of `bt_exec_skills.image.tools`. External values are inserted as literals, never as code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bt_exec.failure import UsageError
from bt_exec_skills.image.perception.written_values import LINES
from bt_exec_skills.image.rules.lexicon import names_of_each, object_names
from bt_exec_skills.image.workbench import Bench, Step
from bt_exec_skills.vision.detector import NetworkDetector

__all__ = ["NoProgramError", "build_program"]


class NoProgramError(UsageError):
    """Raised if a step cannot be repeated by a program.

    Args:
        tool: Name of the tool.
    """

    def __init__(self, tool: str) -> None:
        super().__init__(f"no program can be written: {tool} works only inside a site")
        self.tool = tool


_HEAD = '''"""Answers about a picture: {question}

Written by bt-exec from the steps of its tools. Run it as: python FILE [IMAGE]
"""

from __future__ import annotations

import sys

from bt_exec_skills.image import tools


def run(image_path: str) -> dict:
    """Return the answer, the counts by set of instances, and their boxes."""
    picture = tools.load_picture(image_path)
    instances, decisions, crops, counts, answer = {{}}, {{}}, {{}}, {{}}, None
'''

_FOOT = """    accepted = {{
        name: [list(one.bbox) for one, yes in zip(found, decisions[name]) if yes.holds]
        for name, found in instances.items()
    }}
    return {{"answer": answer, "counts": counts, "boxes": accepted}}


if __name__ == "__main__":
    try:
        print(run(sys.argv[1] if len(sys.argv) > 1 else {image!r}))
    except Exception as error:  # report an unreadable picture in one line
        sys.exit(f"{{type(error).__name__}}: {{error}}")
"""


def _read_annotation_lines(args: Mapping[str, Any], bench: Bench) -> list[str]:
    path = str(bench.annotation_file and bench.annotation_file.absolute())
    return [
        f"known = tools.read_annotation({path!r}, {str(bench.file)!r}, picture.shape[:2])",
        f"instances[{args['into']!r}] = tools.instances_of_kind(",
        f"    known.instances, {args['label']!r}, {args.get('without', '')!r}",
        ")",
        _start_decisions_line(args["into"]),
    ]


def _detect_lines(args: Mapping[str, Any], bench: Bench) -> list[str]:
    if not isinstance(bench.detector, NetworkDetector):
        raise NoProgramError("detect")
    weights = bench.detector.weights
    given = f"{args['label']!r}, {str(weights.absolute()) if weights is not None else None!r}"
    call = f"tools.detect(picture, {given}, {bench.least_score!r})"
    return [f"instances[{args['into']!r}] = {call}", _start_decisions_line(args["into"])]


def _compare_pictures_lines(args: Mapping[str, Any], bench: Bench) -> list[str]:
    second = str(bench.second_file and bench.second_file.absolute())
    call = f"tools.differences(picture, tools.load_picture({second!r}))"
    return [f"instances[{args['into']!r}] = {call}", _start_decisions_line(args["into"])]


def _compare_things_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    others = _accepted_expression(args["to"], "crops") if args["to"] != args["of"] else "None"
    return [
        f"ours = {_accepted_expression(args['of'], 'crops')}",
        f"found = tools.all_alike(ours, {others}, {args['by']!r})",
        "answer = None if found is None else found.holds",
    ]


def _read_text_lines(args: Mapping[str, Any], bench: Bench) -> list[str]:
    name, of = args["into"], args["of"]
    weights = str(bench.reader_file.absolute()) if bench.reader_file is not None else None
    return [
        f"within = {'None' if of == 'picture' else _accepted_expression(of)}",
        f"instances[{name!r}] = tools.read_text(picture, within, {weights!r})",
        _start_decisions_line(name),
    ]


def _start_decisions_line(name: str) -> str:
    return f"decisions[{name!r}] = tools.start_decisions(instances[{name!r}])"


def _segment_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name = args["into"]
    call = f"tools.segment_colour(picture, {args['colour']!r})"
    if args.get("form"):
        call = f"tools.bars_among({call})"
    return [f"instances[{name!r}] = {call}", _start_decisions_line(name)]


def _separate_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name = args["of"]
    call = f"tools.separate_touching(instances[{name!r}])"
    return [f"instances[{name!r}] = {call}", _start_decisions_line(name)]


def _crop_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name = args["of"]
    return [f"crops[{name!r}] = tools.crop(picture, instances[{name!r}])"]


def _sort_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name = args["of"]
    return [
        f"places = tools.sorted_places(crops[{name!r}], {args['by']!r})",
        "for several in (instances, decisions, crops):",
        f"    several[{name!r}] = [several[{name!r}][place] for place in places]",
    ]


def _verify_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name, wanted = args["of"], args["wanted"]
    how = f"wanted={wanted!r}" + (", any_of=True" if args.get("any_of") else "")
    return [
        f"decisions[{name!r}] = tools.verify_all(",
        f"    crops[{name!r}], decisions[{name!r}], {args['attributes']!r}, {how}",
        ")",
    ]


def _compare_degrees_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name, to = args["of"], args["to"]
    given = f"crops[{name!r}], decisions[{name!r}], {args['attribute']!r}"
    return [
        f"pairs = zip(crops[{to!r}], decisions[{to!r}])",
        "rivals = [one for one, yes in pairs if yes.holds]",
        f"decisions[{name!r}] = tools.compare_with_others(",
        f"    {given}, rivals, wanted={args['wanted']!r}, rank={args.get('rank')!r}",
        ")",
    ]


def _compare_places_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name, to = args["of"], args["to"]
    others = f", others={_accepted_expression(args['other'])}" if args.get("other") else ""
    return [
        f"pairs = zip(instances[{to!r}], decisions[{to!r}])",
        "landmarks = [one for one, yes in pairs if yes.holds]",
        f"decisions[{name!r}] = tools.decide_relation(",
        f"    instances[{name!r}], decisions[{name!r}], {args['relation']!r}, landmarks,"
        f" wanted={args.get('wanted', True)!r}{others}",
        ")",
    ]


def _check_part_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name = args["of"]
    part = f"{args['row']!r}, {args['column']!r}, wanted={args['wanted']!r}"
    return [
        f"decisions[{name!r}] = tools.decide_place(",
        f"    instances[{name!r}], decisions[{name!r}], picture.shape[:2], {part}",
        ")",
    ]


def _count_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name = args["of"]
    return [
        f"counted = tools.count(instances[{name!r}], decisions[{name!r}])",
        f"counts[{name!r}] = counted.sure",
    ]


def _answer_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    name, other = args["of"], args["other"]
    if args["kind"] == "alike":
        return []
    if args["kind"] == "same":
        return [
            f"found = [yes.holds for yes in decisions[{name!r}]]",
            "answer = False if any(found) else None if found else True",
        ]
    if args["kind"] == "difference":
        return [f"answer = counts[{name!r}] - counts[{other!r}]"]
    if args["kind"] == "share":
        part, whole = f"counts[{name!r}]", f"counts[{other!r}]"
        return [f"answer = round(100 * {part} / {whole}) if {whole} else None"]
    if args["kind"] in ("compare", "which"):
        return [f"answer = {{'target': counts[{name!r}], 'other': counts[{other!r}]}}"]
    if args["kind"] == "all":
        of, every = f"decisions[{name!r}]", f"decisions[{other!r}]"
        return [f"answer = tools.is_true_of_all({of}, {every})"]
    if args["kind"] == "read":
        pairs = f"zip(instances[{other!r}], decisions[{other!r}])"
        return [f"answer = [one.label for one, yes in {pairs} if yes.holds]"]
    if args.get("bound"):
        return [f"answer = tools.is_count_within(counted, {args['bound']!r}, {args['number']!r})"]
    if args["kind"] == "exists":
        return [f"answer = tools.has_accepted_instance(decisions[{name!r}])"]
    if args["kind"] == "count":
        return ["answer = counted.sure"]
    place = 'f"{row} {column}" if row != column else row'
    said = {
        "where": [
            "places = [tools.place_in(one.instance, picture.shape[:2]) for one in kept]",
            f"answer = [{place} for row, column in places]",
        ],
        "colour": ["answer = [tools.name_colour(one)[0] for one in kept]"],
        "shape": ["answer = [tools.name_shape(one)[0] for one in kept]"],
        "name": ["answer = [tools.name_thing(one)[0] for one in kept]"],
        "groups": [
            f"answer = tools.count_by(kept, {args.get('aspect')!r}, {args.get('listed')!r})"
        ],
        "variety": [f"answer = len(tools.count_by(kept, {args.get('aspect')!r}))"],
        "most": [
            f"groups = tools.count_by(kept, {args.get('aspect')!r})",
            "answer = tools.most_frequent(groups) if groups else []",
        ],
        "shared": [
            f"groups = tools.count_by(kept, {args.get('aspect')!r})",
            "answer = any(number > 1 for number in groups.values())",
        ],
        "least": [
            f"groups = tools.count_by(kept, {args.get('aspect')!r})",
            "answer = tools.least_frequent(groups) if groups else []",
        ],
    }
    return [f"kept = {_accepted_expression(name, 'crops')}", *said[args["kind"]]]


def _read_codes_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    call = f"tools.read_codes(picture, {args['kind']!r})"
    return [f"instances[{args['into']!r}] = {call}", _start_decisions_line(args["into"])]


def _accepted_expression(name: str, what: str = "instances") -> str:
    """Return the Python expression for the accepted instances of a set, or for their crops."""
    pairs = f"zip({what}[{name!r}], decisions[{name!r}])"
    return f"[one for one, yes in {pairs} if yes.holds]"


def _value_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    names = names_of_each(args["name"])
    of, value = args["of"], args["value"]
    lines = f"instances[{of!r}]" if value in LINES else _accepted_expression(of)
    given = ", ".join([*map(repr, (value, *names)), f"number={args['number']}"])
    return [f"answer = tools.written_value({lines}, {given}).value"]


def _bar_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    names = sorted(object_names(args["name"])) if args["name"] else []
    return [
        f"answer = tools.bar_value({_accepted_expression(args['of'])}, instances[{args['of']!r}],",
        f"    instances[{args['lines']!r}], {names!r}).{args['wanted']} or None",
    ]


def _measure_lines(args: Mapping[str, Any], _: Bench) -> list[str]:
    known = "None"
    if args["known"]:
        known = (
            f"({_accepted_expression(args['known'])}, {args['known_extent']!r}, {args['length']!r})"
        )
    others = _accepted_expression(args["to"]) if args["to"] else "[]"
    return [
        f"answer = tools.measure_objects({_accepted_expression(args['of'])}, {others},",
        f"    {args['extent']!r}, {known})",
    ]


_LINES: Mapping[str, Callable[[Mapping[str, Any], Bench], list[str]]] = {
    "read_annotation": _read_annotation_lines,
    "detect": _detect_lines,
    "compare_pictures": _compare_pictures_lines,
    "compare_things": _compare_things_lines,
    "compare_degrees": _compare_degrees_lines,
    "read_text": _read_text_lines,
    "read_codes": _read_codes_lines,
    "answer_value": _value_lines,
    "answer_measure": _measure_lines,
    "answer_bar": _bar_lines,
    "segment_colour": _segment_lines,
    "separate_touching": _separate_lines,
    "crop": _crop_lines,
    "sort": _sort_lines,
    "verify_attribute": _verify_lines,
    "measure_places": _compare_places_lines,
    "check_part": _check_part_lines,
    "count": _count_lines,
    "answer": _answer_lines,
}


def build_program(bench: Bench, question: str) -> str:
    """Return the program that repeats the executed steps.

    Raises:
        NoProgramError: If a program cannot repeat a step, such as one with a custom detector.
    """
    safe = question.replace("\\", " ").replace('"', "'")
    body = "".join(f"    {line}\n" for step in bench.steps for line in _lines_for_step(step, bench))
    head = _HEAD.format(question=" ".join(safe.split()))
    return head + body + _FOOT.format(image=str(bench.file))


def _lines_for_step(step: Step, bench: Bench) -> list[str]:
    if step.tool not in _LINES:
        raise NoProgramError(step.tool)
    return _LINES[step.tool](step.args, bench)
