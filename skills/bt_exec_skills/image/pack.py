"""The image pack: questions about a picture, answered by skills that process it; no robot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from bt_exec.mission_reporter import MissionReporter
from bt_exec.pack import Pack
from bt_exec.site.shipped_data import data_path
from bt_exec_skills.image.doctor import check_machine
from bt_exec_skills.image.perception.colours import ColourName
from bt_exec_skills.image.perception.vision_model_queries import Looker
from bt_exec_skills.image.rigs import make_rig
from bt_exec_skills.image.rules.after_answer_pass import AFTER_ANSWER
from bt_exec_skills.image.rules.crop_first import CROP_FIRST, check_crops_precede_picture_queries
from bt_exec_skills.image.rules.set_answers import final_report
from bt_exec_skills.image.settings import ImageSettings, PictureStart
from bt_exec_skills.image.skills.ask import Place, ask_vqa, crops_checked
from bt_exec_skills.image.skills.compare_pictures_and_sets import (
    compare_degrees,
    compare_pictures,
    compare_things,
    sort,
)
from bt_exec_skills.image.skills.conclude_and_judge import conclude, judge
from bt_exec_skills.image.skills.count_and_answer import answer, count, draw_overlay
from bt_exec_skills.image.skills.crop_skills import (
    check_part,
    crop,
    measure_places,
    verify_attribute,
)
from bt_exec_skills.image.skills.find_instances import (
    detect,
    read_annotation,
    segment_colour,
    separate_touching,
)
from bt_exec_skills.image.skills.read_text_and_codes import match_text, read_codes, read_text
from bt_exec_skills.image.skills.several_questions import answered, next_question
from bt_exec_skills.image.skills.value_answer_skills import (
    answer_bar,
    answer_measure,
    answer_value,
)
from bt_exec_skills.image.skills.write_program import write_program
from bt_exec_skills.image.workbench import Bench, PictureName, SetName

__all__ = ["PACK"]


class AnswerReporter(MissionReporter):
    """Mission reporter that reports the answer at the end."""

    def __init__(self, services: Mapping[str, Any]) -> None:
        super().__init__(services)
        self._bench: Bench = services["bench"]
        self._bench.reset()

    def operator_messages(self) -> str:
        """Return the answer, the judges' objections, and messages about the answer's program."""
        bench = self._bench
        said = [
            final_report(bench),
            str(bench.program["text"]) if bench.program is not None else "",
        ]
        return " ".join(filter(None, said))


PACK = Pack(
    name="image",
    summary="Questions about a picture: find, crop, verify, count, measure, answer.",
    skills=(
        read_annotation,
        detect,
        segment_colour,
        separate_touching,
        crop,
        verify_attribute,
        measure_places,
        check_part,
        count,
        answer,
        next_question,
        draw_overlay,
        ask_vqa,
        conclude,
        judge,
        read_text,
        read_codes,
        match_text,
        answer_value,
        answer_bar,
        answer_measure,
        compare_pictures,
        compare_things,
        compare_degrees,
        sort,
        write_program,
    ),
    conditions=(crops_checked, answered),
    passes=(CROP_FIRST, AFTER_ANSWER),
    checkers=(check_crops_precede_picture_queries,),
    types={
        "Set": SetName,
        "Picture": PictureName,
        "Place": Place,
        "Colour": ColourName | Literal["any"],
    },
    facts={
        "boxes.{Set}": ("none", "known"),
        "crops.{Place}": ("none", "cut"),
        "looked.{Place}": ("none", "no", "yes"),
        "answer": ("told",),
        "picture": ("given", "none"),
        "second": ("given", "none"),
        "second.names": ("{text}",),
        "annotation": ("unread", "none"),
        "annotation.names": ("{text}",),
        "annotated_picture": ("wanted", "none"),
        "detector.names": ("{text}",),
        "detector.asked": ("by name", "for all"),
        "reader": ("ready", "none"),
        "program": ("wanted", "none"),
        "code_plan": ("wanted", "none"),
    },
    trees=data_path("trees", "image"),
    messages=Path(__file__).with_name("messages.yaml"),
    services={"bench": Bench, "looker": Looker},
    robots={"none": make_rig},
    settings=ImageSettings,
    world=PictureStart,
    reporter=AnswerReporter,
    doctor=check_machine,
)
"""Pack object, registered under the entry point ``image``."""
