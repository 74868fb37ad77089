"""Plans for questions: find, crop, verify, count, answer.

The source of the instances is selected by `instance_sources`. If no source knows the class, the
user is asked for an annotation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from bt_exec_skills.image.perception.barcodes import CodeKind
from bt_exec_skills.image.rules.instance_sources import (
    CannotTell,
    Node,
    Source,
    choose_source,
    exclude_classes,
    has_known_boxes,
)
from bt_exec_skills.image.rules.question import BAR, SIGN, Asked, Conditional, Phrase, Question

__all__ = ["CannotTell", "build_plan", "build_plan_of_all"]

_NEXT: Node = {"do": "next_question"}
_SIZES = ("big", "small")
_LANDMARKS = ("landmark", "landmark2", "landmark3")  # names of sets for related objects
_WRITTEN_ON = (SIGN, "receipt", "menu", "writing")


def build_plan_of_all(
    asked: Sequence[Asked], language: str, facts: Mapping[str, str], text: str = ""
) -> Node:
    """Return the root of the plan that answers several questions in turn; see `build_plan`.

    Raises:
        CannotTell: If no tool can answer one of the questions, or a program is wanted for several.
    """
    several = len(asked) > 1 or any(isinstance(one, Conditional) for one in asked)
    if several and facts.get("program") == "wanted":
        raise CannotTell("PROGRAM_OF_ONE")
    return {"sequence": _nodes_for_all(asked, language, facts, text)}


def _nodes_for_all(
    asked: Sequence[Asked], language: str, facts: Mapping[str, str], text: str
) -> list[Node]:
    steps: list[Node] = []
    for one in asked:
        steps += [_NEXT] if steps else []
        first = one.condition if isinstance(one, Conditional) else one
        steps += build_plan(first, language, facts, text)["sequence"]
        if isinstance(one, Conditional):
            steps += _nodes_for_branches(one, language, facts, text)
    return steps


def _nodes_for_branches(
    one: Conditional, language: str, facts: Mapping[str, str], text: str
) -> list[Node]:
    """Return the nodes that choose a branch; an undecided condition takes no branch."""
    choice: list[Node] = []
    for holds, branch in ((False, one.other), (True, one.then)):
        if branch:
            check = {"answered": {"outcome": one.outcome, **({} if holds else {"holds": False})}}
            taken = [{"check": check}, _NEXT, *_nodes_for_all(branch, language, facts, text)]
            rest = [{"check": {"not": check}}, *choice]
            choice = [{"fallback": [{"sequence": taken}, {"sequence": rest}]}]
    return choice


def build_plan(question: Question, language: str, facts: Mapping[str, str], text: str = "") -> Node:
    """Return the root of the plan that answers a question.

    Args:
        question: Question as data for tools.
        language: Language of the answer.
        facts: Available inputs; see `Bench.facts`.
        text: The question as typed, for the program.

    Raises:
        CannotTell: If no tool can answer the question.
    """
    if question.kind == "same":
        return {"sequence": _nodes_for_comparing_pictures(language, facts, text)}
    if question.kind == "read":
        return {
            "sequence": _nodes_for_reading_text_or_codes(question.target, language, facts, text)
        }
    if question.kind == "value":
        return {"sequence": _nodes_for_value(question, language, facts, text)}
    free = iter(_LANDMARKS)
    if question.kind == "bar":
        return {"sequence": _nodes_for_bar(question, language, facts, text, free)}
    if question.kind == "measure":
        return {"sequence": _nodes_for_measuring(question, language, facts, text, free)}
    steps = _nodes_for_phrase("target", question.target, facts, free)
    last: Node = {"kind": question.kind, "of": "target", "language": language}
    last["what"] = _phrase_text(question.target, language)
    if question.bound is not None:
        last |= {"bound": question.bound, "number": question.number}
    if question.other is not None:
        steps += _nodes_for_phrase("other", question.other, facts, free)
        last["other_what"] = _phrase_text(question.other, language)
    if question.other is not None and question.degree is None:
        steps.append({"do": "count", "with": {"of": "other"}})
    elif question.other is not None and question.degree is not None:
        steps += _nodes_for_exceeding(question.target, question.other, question.degree, facts, free)
    last |= _comparison_arguments(question)
    if question.kind == "alike":
        last["other"] = "target" if question.other is None else "other"
        args = {"of": "target", "to": last["other"], "by": question.aspect}
        steps.append({"do": "compare_things", "with": args})
    steps.append({"do": "count", "with": {"of": "target"}})
    if question.order is not None:
        steps.append({"do": "sort", "with": {"of": "target", "by": question.order}})
    steps.append({"do": "answer", "with": last})
    return {"sequence": steps + _nodes_for_outputs("target", language, facts, text)}


def _comparison_arguments(question: Question) -> Node:
    """Return the arguments for the aspect by which an answer compares or groups objects."""
    if question.kind not in ("alike", "groups", "most", "least", "shared", "variety"):
        return {}
    listed = question.target.either if question.kind == "groups" else ()
    return {"aspect": question.aspect, **({"listed": list(listed[0])} if listed else {})}


def _nodes_for_exceeding(
    one: Phrase, other: Phrase, degree: str, facts: Mapping[str, str], free: Iterator[str]
) -> list[Node]:
    """Return the nodes that keep, in each of two sets, the objects that exceed the other set."""
    mine, theirs = _next_landmark_name(free, one), _next_landmark_name(free, other)
    steps = [
        *_nodes_for_phrase(mine, one, facts, free),
        *_nodes_for_phrase(theirs, other, facts, free),
    ]
    for name, rivals in (("target", theirs), ("other", mine)):
        args = {"of": name, "attribute": degree, "to": rivals}
        steps.append({"do": "compare_degrees", "with": args})
    return [*steps, {"do": "count", "with": {"of": "other"}}]


def _nodes_for_outputs(of: str, language: str, facts: Mapping[str, str], text: str) -> list[Node]:
    """Return the nodes that write the requested outputs."""
    steps: list[Node] = []
    if facts.get("annotated_picture") == "wanted":
        steps.append({"do": "draw_overlay", "with": {"of": of}})
    if facts.get("program") == "wanted":
        steps.append({"do": "write_program", "with": {"question": text, "language": language}})
    return steps


def _nodes_for_comparing_pictures(language: str, facts: Mapping[str, str], text: str) -> list[Node]:
    """Return the nodes that compare two pictures."""
    if facts.get("second") != "given":
        raise CannotTell("SECOND_NEEDED")
    return [
        {"do": "compare_pictures", "with": {"into": "target"}},
        {"do": "crop", "with": {"of": "target"}},
        {
            "do": "answer",
            "with": {"kind": "same", "of": "target", "what": "", "language": language},
        },
        *_nodes_for_outputs("target", language, facts, text),
    ]


def _nodes_for_reading_text_or_codes(
    where: Phrase, language: str, facts: Mapping[str, str], text: str
) -> list[Node]:
    """Return the nodes that read codes, or the text on described objects.

    If no source knows the object, such as a sign, the answer contains all text in the picture.
    """
    named = (where.of or where).thing
    if where.picture == "second" and facts.get("second") != "given":
        raise CannotTell("SECOND_NEEDED")
    if named in get_args(CodeKind) and not has_known_boxes(where, facts):
        steps = _nodes_for_phrase("target", where, facts, iter(_LANDMARKS))
        last: Node = {"kind": "read", "of": "target", "other": "target", "language": language}
        last["what"] = _phrase_text(where, language)
        return [
            *steps,
            {"do": "answer", "with": last},
            *_nodes_for_outputs("target", language, facts, text),
        ]
    if facts.get("reader") != "ready":
        raise CannotTell("NO_READER")
    of, args = "other", {"into": "other", "of": "picture"}
    if where.picture == "second":
        args["picture"] = where.picture
    last = {"kind": "read", "what": "", "other": "other", "language": language}
    steps = []
    bare = replace(where, thing="", said="", picture="first") == Phrase()
    on_all = bare and (where.thing in _WRITTEN_ON or not where.thing)
    if not on_all or (has_known_boxes(where, facts) and where.thing):
        steps = _nodes_for_phrase("target", where, facts, iter(_LANDMARKS))
        of, args = "target", {"into": "other", "of": "target"}
        last["what"] = _phrase_text(where, language)
    steps += [{"do": "read_text", "with": args}, {"do": "crop", "with": {"of": "other"}}]
    return [
        *steps,
        {"do": "answer", "with": {**last, "of": of}},
        *_nodes_for_outputs(of, language, facts, text),
    ]


def _nodes_for_value(
    question: Question, language: str, facts: Mapping[str, str], text: str
) -> list[Node]:
    """Return the nodes that find a value, such as a price, in the text of the picture."""
    if facts.get("reader") != "ready":
        raise CannotTell("NO_READER")
    target = question.target
    if replace(target, thing="", said="") != Phrase():
        raise CannotTell("QUESTION_UNCLEAR", words=target.said or text)
    if question.written == "price" and not target.thing:
        raise CannotTell("QUESTION_UNCLEAR", words=target.said or text)
    last: Node = {"of": "target", "value": question.written, "name": target.thing}
    last |= {"number": question.number} if question.number > 1 else {}
    last["language"] = language
    return [
        {"do": "read_text", "with": {"into": "target", "of": "picture"}},
        {"do": "crop", "with": {"of": "target"}},
        {"do": "answer_value", "with": last},
        *_nodes_for_outputs("target", language, facts, text),
    ]


def _nodes_for_bar(
    question: Question, language: str, facts: Mapping[str, str], text: str, free: Iterator[str]
) -> list[Node]:
    """Return the nodes that read the value of a bar in a chart, or its label."""
    target = question.target
    if facts.get("reader") != "ready":
        raise CannotTell("NO_READER")
    name = "" if target.thing in ("", BAR) else target.thing
    if not name and not target.attributes and target.top is None:
        raise CannotTell("QUESTION_UNCLEAR", words=target.said or text)
    regions = {**facts, "annotation.names": "", "detector.names": ""}
    last = {"of": "target", "lines": "other", "name": name, "language": language}
    last["wanted"] = question.bar
    return [
        *_nodes_for_phrase("target", _bar_phrase(target), regions, free),
        {"do": "read_text", "with": {"into": "other", "of": "picture"}},
        {"do": "crop", "with": {"of": "other"}},
        {"do": "answer_bar", "with": {**last, "what": _phrase_text(target, language)}},
        *_nodes_for_outputs("target", language, facts, text),
    ]


def _bar_phrase(phrase: Phrase) -> Phrase:
    """Return a description of bars without their label at the axis.

    Raises:
        CannotTell: If a label restricts the bars among which a superlative selects.
    """
    if phrase.of is None:
        return replace(phrase, thing=BAR)
    if phrase.of.thing not in ("", BAR):
        raise CannotTell("QUESTION_UNCLEAR", words=phrase.said)
    return replace(phrase, thing="", of=_bar_phrase(phrase.of))


def _nodes_for_measuring(
    question: Question,
    language: str,
    facts: Mapping[str, str],
    text: str,
    free: Iterator[str],
) -> list[Node]:
    """Return the nodes that measure objects, in real units if a size is known."""
    steps = _nodes_for_phrase("target", question.target, facts, free)
    last: Node = {"of": "target", "extent": question.extent, "language": language}
    last["what"] = _phrase_text(question.target, language)
    if question.other is not None:
        steps += _nodes_for_phrase("other", question.other, facts, free)
        last |= {"to": "other", "other_what": _phrase_text(question.other, language)}
    elif question.extent == "distance":
        last["to"] = "target"
    if question.known is not None:
        known, name = question.known, _next_landmark_name(free, question.known.of)
        steps += _nodes_for_phrase(name, known.of, facts, free)
        last |= {"known": name, "known_extent": known.extent}
        last |= {"length": known.length, "unit": known.unit}
    steps.append({"do": "answer_measure", "with": last})
    return steps + _nodes_for_outputs("target", language, facts, text)


def _phrase_text(phrase: Phrase, language: str) -> str:
    return phrase.said or {"en": "things", "ko": "물체"}[language]


def _nodes_for_phrase(
    name: str, phrase: Phrase, facts: Mapping[str, str], free: Iterator[str]
) -> list[Node]:
    """Return the nodes that create a set of the objects described by a phrase.

    Args:
        name: Name of the set.
        phrase: The description.
        facts: Facts of the bench.
        free: Unused names of sets, for related objects.
    """
    if phrase.top is not None and phrase.of is not None:
        steps = _nodes_for_phrase(name, phrase.of, facts, free)
        args: Node = {"of": name, "attribute": phrase.top, "to": name}
        if phrase.rank > 1:
            args["rank"] = phrase.rank
        if phrase.near is None:
            steps.append({"do": "compare_degrees", "with": args})
        else:
            to = _next_landmark_name(free, phrase)
            steps += _nodes_for_phrase(to, phrase.near, facts, free)
            args = {"of": name, "relation": phrase.top, "to": to}
            steps.append({"do": "measure_places", "with": args})
        if phrase.thing:
            raise CannotTell("QUESTION_UNCLEAR", words=phrase.said)
        return steps + _nodes_for_verifying(name, phrase, phrase.attributes, facts, free)
    if phrase.picture == "second" and phrase.thing in (SIGN, *get_args(CodeKind)):
        raise CannotTell("QUESTION_UNCLEAR", words=phrase.said)
    if phrase.thing == SIGN and not has_known_boxes(phrase, facts):
        return _nodes_for_sign(name, phrase, facts, free)
    if phrase.thing in get_args(CodeKind) and not has_known_boxes(phrase, facts):
        source = Source(
            {"do": "read_codes", "with": {"into": name, "kind": phrase.thing}}, phrase.attributes
        )
    else:
        source = choose_source(name, phrase, facts)
    phrase = exclude_classes(source.node, phrase, facts)
    steps = [source.node, {"do": "crop", "with": {"of": name}}]
    return steps + _nodes_for_verifying(name, phrase, source.attributes, facts, free)


def _nodes_for_sign(
    name: str, phrase: Phrase, facts: Mapping[str, str], free: Iterator[str]
) -> list[Node]:
    """Return the nodes that find the coloured regions around text."""
    if facts.get("reader") != "ready":
        raise CannotTell("NO_READER")
    lines = _next_landmark_name(free, phrase)
    return [
        {"do": "segment_colour", "with": {"into": name}},
        {"do": "crop", "with": {"of": name}},
        {"do": "read_text", "with": {"into": lines, "of": "picture"}},
        {"do": "crop", "with": {"of": lines}},
        {"do": "measure_places", "with": {"of": name, "relation": "around", "to": lines}},
        *_nodes_for_verifying(name, phrase, phrase.attributes, facts, free),
    ]


def _nodes_for_verifying(
    name: str,
    phrase: Phrase,
    attributes: Sequence[str],
    facts: Mapping[str, str],
    free: Iterator[str],
) -> list[Node]:
    """Return the nodes that verify a description. Sizes are compared after all other attributes."""
    plain = [one for one in attributes if one not in _SIZES]
    groups = (plain, [one for one in attributes if one in _SIZES])
    steps: list[Node] = [
        {"do": "verify_attribute", "with": {"of": name, "attributes": group}}
        for group in groups
        if group
    ]
    for options in phrase.either:
        args: Node = {"of": name, "attributes": list(options), "any_of": True}
        steps.append({"do": "verify_attribute", "with": args})
    for out in phrase.left_out:
        steps += _node_for_excluding(name, phrase, out)
    if phrase.text:
        steps += _nodes_for_text(name, phrase, facts, free)
    for place in phrase.places:
        to = _next_landmark_name(free, phrase)
        steps += _nodes_for_phrase(to, place.to, facts, free)
        args = {"of": name, "relation": place.relation, "to": to}
        if place.other is not None:
            args["other"] = _next_landmark_name(free, phrase)
            steps += _nodes_for_phrase(args["other"], place.other, facts, free)
        steps.append({"do": "measure_places", "with": _with_polarity(args, place.holds)})
    for part in phrase.parts:
        args = {"of": name, "row": part.row, "column": part.column}
        steps.append({"do": "check_part", "with": _with_polarity(args, part.holds)})
    for degree in phrase.degrees:
        to = _next_landmark_name(free, phrase)
        steps += _nodes_for_phrase(to, degree.to, facts, free)
        args = {"of": name, "attribute": degree.attribute, "to": to}
        steps.append({"do": "compare_degrees", "with": _with_polarity(args, degree.holds)})
    for top in phrase.not_top:
        args = {"of": name, "attribute": top, "to": name, "wanted": False}
        steps.append({"do": "compare_degrees", "with": args})
    return steps


def _nodes_for_text(
    name: str, phrase: Phrase, facts: Mapping[str, str], free: Iterator[str]
) -> list[Node]:
    """Return the nodes that keep the objects with a text, or the lines of text that contain it."""
    if facts.get("reader") != "ready":
        raise CannotTell("NO_READER")
    if phrase.thing == "writing":
        return [{"do": "match_text", "with": {"of": name, "text": phrase.text}}]
    lines = _next_landmark_name(free, phrase)
    read = {"into": lines, "of": "picture"}
    if phrase.picture == "second":
        read["picture"] = phrase.picture
    return [
        {"do": "read_text", "with": read},
        {"do": "crop", "with": {"of": lines}},
        {"do": "match_text", "with": {"of": lines, "text": phrase.text}},
        {"do": "measure_places", "with": {"of": name, "relation": "around", "to": lines}},
    ]


def _node_for_excluding(name: str, phrase: Phrase, out: Phrase) -> list[Node]:
    """Return the node that excludes objects by their attributes, in a list.

    Raises:
        CannotTell: If the exclusion consists of more than attributes.
    """
    attributes = [one for one in out.attributes if one not in phrase.attributes]
    plain = replace(out, attributes=(), thing="", said="") == Phrase()
    if not plain or not attributes or out.thing not in ("", phrase.thing):
        raise CannotTell("QUESTION_UNCLEAR", words=out.said or out.thing)
    args: Node = {"of": name, "attributes": attributes, "wanted": False}
    return [{"do": "verify_attribute", "with": args}]


def _with_polarity(args: Node, holds: bool) -> Node:
    return args if holds else {**args, "wanted": False}


def _next_landmark_name(free: Iterator[str], phrase: Phrase) -> str:
    name = next(free, None)
    if name is None:
        raise CannotTell("QUESTION_UNCLEAR", words=phrase.said)
    return name
