"""Selection of the source of instances: annotation, detector, text, codes or colours.

The first source that applies is used: an annotation that contains the class, a detector that knows
the class, and colours if the question names only colours and shapes. A detector that must be asked
by name is not used for a question about all objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from bt_exec_skills.image.models.contracts import ANY_NAME
from bt_exec_skills.image.perception.attributes import SHAPES
from bt_exec_skills.image.rules.lexicon import lexicon, object_names
from bt_exec_skills.image.rules.question import BAR, DIFFERENCE, SEVERAL, SHAPE, Phrase

__all__ = [
    "CannotTell", "Node", "Source", "choose_source", "exclude_classes", "has_known_boxes",
]  # fmt: skip

Node = dict[str, Any]
_UNREADABLE = ("?",)  # labels that stand for an unreadable annotation file


class CannotTell(ValueError):  # noqa: N818 - an answer, not an error
    """Raised if no tool of the site can answer a question.

    Args:
        code: ``ANNOTATION_NEEDED``, ``NOT_ANNOTATED``, ``SECOND_NEEDED`` or
            ``QUESTION_UNCLEAR``.
        facts: Arguments of the message with this code.
    """

    def __init__(self, code: str, **facts: str) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


class Source(NamedTuple):
    """Plan node that finds instances, and the attributes that remain to be verified."""

    node: Node
    attributes: tuple[str, ...]


def has_known_boxes(phrase: Phrase, facts: Mapping[str, str]) -> bool:
    """Return True if the annotation contains the class of a phrase."""
    return _find_label(phrase, _annotated_names(phrase, facts))[0] is not None


def exclude_classes(source: Node, phrase: Phrase, facts: Mapping[str, str]) -> Phrase:
    """Exclude classes in the node of an annotation; return the phrase without these exclusions.

    Raises:
        CannotTell: If the annotation does not contain an excluded class, or contains no other.
    """
    things = [out for out in phrase.left_out if out == Phrase(thing=out.thing, said=out.said)]
    if not things or source.get("tree") != "from_annotation":
        return phrase
    annotated, labels = _annotated_names(phrase, facts), []
    for out in things:
        label, _ = _find_label(out, annotated)
        if not label:
            known = ", ".join(annotated[:12])
            raise CannotTell("NOT_ANNOTATED", thing=out.thing, known=known)
        labels.append(label)
    if {*annotated} <= {*labels}:
        raise CannotTell("ANNOTATION_NEEDED", thing=phrase.said)
    source["with"]["without"] = SEVERAL.join(labels)
    return replace(phrase, left_out=tuple(out for out in phrase.left_out if out not in things))


def choose_source(name: str, phrase: Phrase, facts: Mapping[str, str]) -> Source:
    """Return the source for the instances of a phrase.

    Args:
        name: Name of the set in which the source stores the instances.
        phrase: Description of the objects.
        facts: Available inputs; see `Bench.facts`.

    Raises:
        CannotTell: If no source knows the class.
    """
    compared = phrase.picture == "second" or phrase.thing == DIFFERENCE
    if compared and facts.get("second") != "given":
        raise CannotTell("SECOND_NEEDED")
    source = _choose_source(name, phrase, facts)
    if phrase.picture != "first":
        source.node["with"]["picture"] = phrase.picture
    return source


def _choose_source(name: str, phrase: Phrase, facts: Mapping[str, str]) -> Source:
    if phrase.thing == DIFFERENCE:
        return Source({"do": "compare_pictures", "with": {"into": name}}, phrase.attributes)
    annotated = _annotated_names(phrase, facts)
    detected = tuple(filter(None, facts.get("detector.names", "").split("|")))
    if not phrase.thing and facts.get("detector.asked") == "by name":
        detected = ()
    for tree, known in (("from_annotation", annotated), ("from_detector", detected)):
        label, rest = _find_label(phrase, known)
        if label is not None:
            return Source({"tree": tree, "with": {"into": name, "label": label}}, rest)
    if phrase.thing in ("", SHAPE):
        return Source({"tree": "from_colours", "with": {"into": name}}, phrase.attributes)
    if phrase.thing == "writing" and facts.get("reader") == "ready":
        node: Node = {"do": "read_text", "with": {"into": name, "of": "picture"}}
        return Source(node, phrase.attributes)
    if phrase.thing == BAR:
        node = {"do": "segment_colour", "with": {"into": name, "form": BAR}}
        return Source(node, phrase.attributes)
    said = phrase.thing.replace(SEVERAL, ", ")
    if annotated:
        known_names = ", ".join(annotated[:12])
        raise CannotTell("NOT_ANNOTATED", thing=said, known=known_names)
    raise CannotTell("ANNOTATION_NEEDED", thing=said)


def _find_label(phrase: Phrase, known: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """Return the label of a phrase among the known labels, and the remaining attributes.

    A detector with text prompts knows every name. A shape may be a label, too. The label is empty,
    which means all objects, for a phrase without a class. It is None if no known label fits, or if
    only a shape is named and the boxes do not determine shapes.
    """
    if not known:
        return None, ()
    if known == _UNREADABLE:
        return "", phrase.attributes
    if phrase.thing == SHAPE and not _are_shapes(phrase, known):
        return None, ()
    if known == (ANY_NAME,):
        return phrase.thing or None, phrase.attributes
    if phrase.thing not in ("", SHAPE):
        each = [
            next((one for one in known if one.lower() in object_names(thing)), None)
            for thing in phrase.thing.split(SEVERAL)
        ]
        label = None if None in each else SEVERAL.join(filter(None, each))
        return label, phrase.attributes
    for shape in (one for one in phrase.attributes if one in SHAPES):
        label = next((one for one in known if one.lower() == shape), None)
        return label, tuple(one for one in phrase.attributes if one != shape)
    return "", phrase.attributes


def _annotated_names(phrase: Phrase, facts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the classes in the annotation of the picture in which a phrase's objects are."""
    names = facts.get("annotation.names", "")
    if phrase.picture == "second":
        names = facts.get("second.names", names)
    return tuple(filter(None, names.split("|")))


def _are_shapes(phrase: Phrase, known: tuple[str, ...]) -> bool:
    """Return True if boxes of the known classes are sufficient for a phrase about shapes.

    Either the phrase names a shape, or all known classes are shapes.
    """
    if any(one in SHAPES for one in phrase.attributes):
        return True
    things = lexicon()["things"]
    return all(
        name in SHAPES or things.get(name, {}).get("kind") == SHAPE
        for name in map(str.lower, known)
    )
