"""Bench, which holds the picture of a mission and the instance sets of its tools.

Plans refer to sets by name (``target``, ``other``, ``landmark``, …) and never to boxes. The bench
stores the boxes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from bt_exec.failure import Failed, UsageError
from bt_exec.models import Writer
from bt_exec_skills.image.models.contracts import (
    UNMEASURED,
    PromptedDetector,
    accepted_detections,
)
from bt_exec_skills.image.perception.annotation_files import (
    Annotation,
    find_annotation,
    read_annotation,
)
from bt_exec_skills.image.perception.instances import Crop, Decision, Instance, PictureName
from bt_exec_skills.image.perception.object_detection import (
    Detected,
    detect_with_tiles,
    select_label,
)
from bt_exec_skills.image.perception.picture_loading import load_picture
from bt_exec_skills.image.perception.text_recognition import can_read, read_text
from bt_exec_skills.image.perception.vision_model_queries import CrossCheck, LookAnswer
from bt_exec_skills.perception.contracts import Detection, Detector, View
from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.things.detector_factory import LEAST_SCORE
from bt_exec_skills.vision.detector import NetworkDetector

__all__ = [
    "SETS",
    "Answer",
    "Answered",
    "Bench",
    "Candidates",
    "CheckedClaim",
    "Judgement",
    "PictureName",
    "SetName",
    "Step",
    "with_picture",
]

SetName = Literal["target", "other", "landmark", "landmark2", "landmark3"]
_ABSENT = 0.7  # maximum confidence that an object is absent, measured with the shipped network
_LONGEST = 200  # length of an error message [characters]
SETS: tuple[SetName, ...] = get_args(SetName)


@dataclass
class Candidates:
    """Set of instances with a decision about each.

    Attributes:
        instances: Instances in the order of their numbers.
        decisions: Decision about each instance.
        crops: Crops of the instances, in the same order; None until they are cut.
        looked: Whether the crops were examined by an attribute check or a model.
        crop_failed: Whether cropping failed.
        whole: Confidence that the set is complete, 0..1.
        picture: Picture in which the instances are.
    """

    instances: Sequence[Instance]
    decisions: Sequence[Decision]
    crops: Sequence[Crop] | None = None
    looked: bool = False
    crop_failed: bool = False
    whole: float = 1.0
    picture: PictureName = "first"

    def accepted_instances(self) -> list[Instance]:
        """Return the accepted instances."""
        pairs = zip(self.instances, self.decisions, strict=True)
        return [one for one, decision in pairs if decision.holds]


@dataclass(frozen=True)
class Step:
    """Name and arguments of an executed tool."""

    tool: str
    args: Mapping[str, Any]


def with_picture(args: Mapping[str, Any], picture: PictureName) -> Mapping[str, Any]:
    """Return the arguments of a step, with the picture unless it is the first one."""
    return args if picture == "first" else {**args, "picture": picture}


@dataclass(frozen=True)
class Answer:
    """Answer to a question.

    Attributes:
        text: Sentence in the language of the question.
        value: Machine-readable answer, such as a number, True or False, places or colours.
        confidence: Confidence, 0..1; at most 0.5 if any decision is undecided.
    """

    text: str
    value: Any
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-serialisable data, with a rounded confidence."""
        confidence = round(self.confidence, 3)
        return {"text": self.text, "value": self.value, "confidence": confidence}


class CheckedClaim(NamedTuple):
    """Claim in a model's answer, with the finding of the tools.

    Attributes:
        text: Sentence that makes the claim.
        holds: Whether the claim is true according to tools; None if they cannot decide.
        found: Finding of the tools as text; empty if there is none.
        confidence: Confidence of the finding, 0..1.
        answers: Whether the claim answers the question.
    """

    text: str
    holds: bool | None
    found: str = ""
    confidence: float = 0.0
    answers: bool = False


@dataclass(frozen=True)
class Judgement:
    """Judgement of an answer; the scores are defined in `rules.answer_judgement`.

    Attributes:
        agrees: Whether the judges agree with the answer; None if no judge can decide.
        cross_checks: Verdict of each judge.
        claims: Findings about each claim of a model's answer.
        confidence: Confidence of the answer after judgement, 0..1.
        coverage: Share of the instances that were verified on crops, 0..1; None without instances.
        reasoning: Share of the reasoning that observations support, 0..1.
    """

    agrees: bool | None
    cross_checks: Sequence[CrossCheck]
    confidence: float
    coverage: float | None
    reasoning: float
    claims: Sequence[CheckedClaim] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the judgement as JSON-compatible data."""
        return {
            "agrees": self.agrees,
            "claims": [one._asdict() for one in self.claims],
            "cross_checks": [one._asdict() for one in self.cross_checks],
            "confidence": round(self.confidence, 3),
            "evidence_coverage": None if self.coverage is None else round(self.coverage, 3),
            "reasoning": round(self.reasoning, 3),
        }


class Answered(NamedTuple):
    """Answer to an earlier question of the same text, with its judgement."""

    answer: Answer
    judgement: Judgement | None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer and its judgement as JSON-serialisable data."""
        judged = None if self.judgement is None else self.judgement.to_dict()
        return {"answer": self.answer.to_dict(), "judgement": judged}


@dataclass
class Bench:
    """Service of the pack that holds the picture and all results.

    Attributes:
        file: Picture file, or None.
        annotation_file: Annotation file that the user gave or that has the picture's name, or None.
        detector: Object detector, or None.
        detector_names: Classes of the detector.
        out: File of the annotated picture, or None.
        program_file: File of the program, or None.
        second_file: File of the picture to compare with, or None.
        writer: Language model that writes the program; None uses the templates.
        reader_file: Weights of a text recogniser; None for the recogniser of rapidocr.
        least_score: Minimum score of a detection that may be an object, 0..1.
        only_by_name: Whether the detector is used only for classes that a question names, because
            it detects too few classes to find all objects of a picture.
        sets: Sets by name.
        steps: Executed tools, in order.
        answer: Last answer.
        earlier: Answers to the earlier questions of the same text, in order.
        asked: Answers of vision models about the picture and its crops, in order.
        judgement: Judgement of the answer, or None.
        reasoning: Share of the reasoning that observations support; see `rules.answer_judgement`.
        by_model: Whether a language model worded the answer.
        question: Question that a model answered.
        code_plan: Steps of the program that a model planned, in order.
        program: Result of the program as plain data; None if none was requested.
        prompted: Detector with text prompts that replaces `detector`, or None.
        again: Whether this bench only repeats the steps of another bench to compare the answers.
        compared: Decision on whether the objects of two sets are alike; None if not compared.
    """

    file: Path | None = None
    annotation_file: Path | None = None
    detector: Detector[View[None], Detection] | None = None
    detector_names: tuple[str, ...] = ()
    out: Path | None = None
    program_file: Path | None = None
    reader_file: Path | None = None
    second_file: Path | None = None
    least_score: float = LEAST_SCORE
    only_by_name: bool = False
    sets: dict[str, Candidates] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    answer: Answer | None = None
    earlier: list[Answered] = field(default_factory=list)
    asked: list[LookAnswer] = field(default_factory=list)
    judgement: Judgement | None = None
    reasoning: float = 1.0
    by_model: bool = False
    question: str = ""
    program: Mapping[str, Any] | None = None
    compared: Decision | None = None
    writer: Writer | None = None
    code_plan: tuple[str, ...] = ()
    again: bool = False
    prompted: PromptedDetector | None = None

    def __post_init__(self) -> None:
        """Search for an annotation file with the name of the picture, if none is given."""
        if self.annotation_file is None and self.file is not None:
            self.annotation_file = find_annotation(self.file)

    @cached_property
    def picture(self) -> Frame:
        """Picture in full size.

        Raises:
            Failed: If no picture was given.
        """
        if self.file is None:
            raise Failed("NO_PICTURE", "no picture was given", retryable=False)
        return load_picture(self.file)

    @cached_property
    def second_picture(self) -> Frame:
        """Picture to compare with.

        Raises:
            Failed: If no second picture was given.
        """
        if self.second_file is None:
            raise Failed("SECOND_NEEDED", "there is no second picture", retryable=False)
        return load_picture(self.second_file)

    @cached_property
    def annotation(self) -> Annotation:
        """Content of the annotation.

        Raises:
            Failed: If there is no annotation.
        """
        if self.annotation_file is None or self.file is None:
            message = "there is no annotation"
            raise Failed("ANNOTATION_NEEDED", message, retryable=False, thing="things")
        height, width = self.picture.shape[:2]
        return read_annotation(self.annotation_file, self.file, (height, width))

    @cached_property
    def second_annotation(self) -> Annotation:
        """Content of the annotation file beside the second picture.

        Raises:
            Failed: If there is no annotation.
        """
        file = find_annotation(self.second_file) if self.second_file is not None else None
        if file is None or self.second_file is None:
            message = "there is no annotation of the second picture"
            raise Failed("ANNOTATION_NEEDED", message, retryable=False, thing="things")
        height, width = self.second_picture.shape[:2]
        return read_annotation(file, self.second_file, (height, width))

    def picture_named(self, name: PictureName) -> Frame:
        """Return one of the two pictures."""
        return self.picture if name == "first" else self.second_picture

    def annotation_named(self, name: PictureName) -> Annotation:
        """Return the annotation of one of the two pictures."""
        return self.annotation if name == "first" else self.second_annotation

    def annotated_classes(self) -> tuple[str, ...]:
        """Return the class names of the annotation."""
        return tuple(one for one in self._annotation_names() if one != "?")

    @property
    def can_read_text(self) -> bool:
        """Whether text recognition is available."""
        return can_read()

    def read_text(
        self, within: Sequence[Instance] | None, picture: PictureName = "first"
    ) -> Sequence[Instance]:
        """Return the lines of text in a picture, or in the boxes of some instances."""
        return read_text(self.picture_named(picture), within, self.reader_file)

    def detections_of(self, label: str, picture: PictureName = "first") -> Detected:
        """Return the detections of `label` in a picture; of every class if `label` is empty.

        Raises:
            Failed: If there is no detector.
        """
        if self.prompted is not None:
            shown = self.picture_named(picture)
            prompts, size = (tuple(label.split("|")) if label else ()), shown.shape
            try:
                detections = self.prompted.detect(shown.copy(), prompts)
            except Exception as error:  # a foreign model may raise anything
                why = f"{type(error).__name__}: {error}"[:_LONGEST]
                raise UsageError(f"the site's detector failed: {why}") from error
            found = accepted_detections(detections, prompts, (size[0], size[1]))
            kept, whole = select_label(found, label, self.least_score)
            kept = [replace(one, score=min(one.score, UNMEASURED)) for one in kept]
            return Detected(kept, min(whole, UNMEASURED))
        if self.detector is None:
            raise Failed("NO_DETECTOR", "this site has no detector", retryable=False)
        recalls = self.detector.recalls if isinstance(self.detector, NetworkDetector) else {}
        seen = detect_with_tiles(self.detector, self.picture_named(picture))
        recall = min(recalls.get(one, 1.0) for one in label.split("|"))
        kept, whole = select_label(seen.found, label, self.least_score, recall)
        return Detected(kept, whole if kept and not seen.tiled else min(whole, _ABSENT))

    def reset(self) -> None:
        """Reset the state for a new text."""
        self.earlier.clear()
        self._clear()

    def begin_next_question(self) -> None:
        """Reset the state for the next question of the same text, and keep the last answer."""
        if self.answer is not None:
            self.earlier.append(Answered(self.answer, self.judgement))
        self._clear()

    def _clear(self) -> None:
        self.sets.clear()
        self.steps.clear()
        self.answer = None
        self.asked.clear()
        self.judgement, self.reasoning, self.by_model = None, 1.0, False
        self.question, self.code_plan = "", ()
        self.program = None
        self.compared = None

    def empty_copy(self) -> Bench:
        """Return a bench with the same inputs and without results.

        Its output files are not set, so that it writes nothing.
        """
        new = Bench(
            self.file,
            self.annotation_file,
            self.detector,
            self.detector_names,
            reader_file=self.reader_file,
            second_file=self.second_file,
            least_score=self.least_score,
            only_by_name=self.only_by_name,
            prompted=self.prompted,
        )
        for name in ("picture", "second_picture", "annotation"):
            if name in self.__dict__:
                new.__dict__[name] = self.__dict__[name]
        return new

    def unverified_sets(self) -> list[str]:
        """Return the names of sets whose boxes are not yet verified on crops.

        An annotation that was not read counts as the set ``annotation``. Empty sets and sets that
        could not be cropped are not included.
        """
        waiting = [
            name
            for name, found in self.sets.items()
            if found.instances and not found.looked and not found.crop_failed
        ]
        return [*waiting, "annotation"] if self._is_unread() else waiting

    def _is_unread(self) -> bool:
        read = any(step.tool == "read_annotation" for step in self.steps)
        return not read and self._annotation_names() not in ((), ("?",))

    def candidates(self, name: str) -> Candidates:
        """Return a set.

        Raises:
            Failed: If the set does not exist.
        """
        if name not in self.sets:
            raise Failed("NOTHING_FOUND_YET", f"set {name!r} is empty: find objects first")
        return self.sets[name]

    def candidates_with_crops(self, name: str) -> tuple[Candidates, Sequence[Crop]]:
        """Return a set and its crops.

        Raises:
            Failed: If the set does not exist or is not cropped.
        """
        found = self.candidates(name)
        if found.crops is None:
            raise Failed("NOT_CROPPED", f"set {name!r} is not cropped: crop it first")
        return found, found.crops

    def facts(self) -> dict[str, str]:
        """Return the inputs and sets as facts for planners."""
        sources = {
            "picture": "given" if self.file is not None else "none",
            "annotation.names": "|".join(self._annotation_names()),
            "detector.names": "|".join(self.detector_names),
            "detector.asked": "by name" if self.only_by_name else "for all",
            "annotated_picture": "wanted" if self.out is not None else "none",
            "annotation": "unread" if self._is_unread() else "none",
            "second": "given" if self.second_file is not None else "none",
            "second.names": "|".join(self._second_annotation_names()),
            "reader": "ready" if self.can_read_text else "none",
            "crops.picture": "cut" if self.file is not None else "none",
            "program": "wanted" if self.program_file is not None else "none",
            "code_plan": "wanted" if self.program_file and self.writer else "none",
        }
        ready: dict[str, str] = {}
        waiting = self.unverified_sets()
        for name in SETS:
            found = self.sets.get(name)
            ready[f"boxes.{name}"] = "none" if found is None else "known"
            ready[f"crops.{name}"] = "none" if found is None or found.crops is None else "cut"
            ready[f"looked.{name}"] = "no" if name in waiting else "yes" if found else "none"
        return sources | ready

    def _second_annotation_names(self) -> tuple[str, ...]:
        """Return the class names of the second annotation; empty if it is missing or unreadable."""
        try:
            return self.second_annotation.names
        except (Failed, UsageError):
            return ()

    def _annotation_names(self) -> tuple[str, ...]:
        """Return the class names of the annotation; ``?`` if it is unreadable or has none."""
        if self.annotation_file is None:
            return ()
        try:
            return self.annotation.names or ("?",)
        except UsageError:
            return ("?",)

    def to_dict(self) -> dict[str, Any]:
        """Return boxes, scores and decisions by set, and the answer, as plain data."""
        sets = {
            name: [
                {
                    "number": number,
                    "label": one.label,
                    "bbox": list(one.bbox),
                    "score": round(one.score, 3),
                    "source": one.source,
                    "accepted": decision.holds,
                    "found": decision.found,
                    "confidence": round(decision.confidence, 3),
                }
                for number, (one, decision) in enumerate(
                    zip(found.instances, found.decisions, strict=True), 1
                )
            ]
            for name, found in self.sets.items()
        }
        judged = None if self.judgement is None else self.judgement.to_dict()
        said: dict[str, Any] = {
            "picture": str(self.file or ""),
            "answer": None if self.answer is None else self.answer.to_dict(),
            "judgement": judged,
            "instances": sets,
        }
        if self.earlier:
            said["earlier"] = [one.to_dict() for one in self.earlier]
        return said if self.program is None else {**said, "program": dict(self.program)}
