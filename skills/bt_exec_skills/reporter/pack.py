"""Reporter pack: navigation, observation, conversation, delivery and reports."""

from __future__ import annotations

from pathlib import Path

from bt_exec.pack import Pack
from bt_exec.site.shipped_data import data_path
from bt_exec_skills.reporter.perception.vlm_place_questions import PictureAnswers
from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.plan_json import PLAN_JSON
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.place_comparison import Order
from bt_exec_skills.reporter.reporting.reporter_and_written_report import NotebookReporter
from bt_exec_skills.reporter.reporting.speech_interface import Speaker
from bt_exec_skills.reporter.rigs import BuildingStart, ReporterSettings, make_sim_rig
from bt_exec_skills.reporter.robot import Count, PersonName, PlaceName, Words
from bt_exec_skills.reporter.rules.passes_and_checkers import PASSES, check_known_names
from bt_exec_skills.reporter.site_lexicon import display_names, lexicon_values
from bt_exec_skills.reporter.skills.conditions import CONDITIONS
from bt_exec_skills.reporter.skills.deliver_object import deliver_object
from bt_exec_skills.reporter.skills.navigate import navigate
from bt_exec_skills.reporter.skills.observe_scene import observe_scene
from bt_exec_skills.reporter.skills.summarize_mission import fail_and_report, summarize_mission
from bt_exec_skills.reporter.skills.talk_to_person import talk_to_person

__all__ = ["PACK"]

PACK = Pack(
    name="reporter",
    summary="Mobile robot in a building: drives, observes, talks, delivers, returns and reports.",
    skills=(
        navigate,
        observe_scene,
        talk_to_person,
        deliver_object,
        summarize_mission,
        fail_and_report,
    ),
    conditions=CONDITIONS,
    types={
        "Place": PlaceName,
        "OtherPlace": PlaceName,
        "Order": Order,
        **dict.fromkeys(("LeastCount", "MostCount"), Count),
        **dict.fromkeys(("Person", "Giver"), PersonName),
        **dict.fromkeys(("Aspect", "Question", "Message", "Item"), Words),
    },
    facts={"at": ("{Place}",), "passing": ("{Place}",), "tray": ("empty", "{Item}")},
    passes=PASSES,
    checkers=(check_known_names,),
    prompt=Path(__file__).with_name("prompt.md"),
    trees=data_path("trees", "reporter"),
    lexicon=data_path("configs", "lexicon", "reporter.yaml"),
    words=lexicon_values,
    names=display_names,
    formats={"plan-json": PLAN_JSON},
    messages=Path(__file__).with_name("messages.yaml"),
    robots={"sim": make_sim_rig},
    services={
        "site_map": SiteMap,
        "notebook": Notebook,
        "speaker": Speaker,
        "visual_qa": PictureAnswers,
    },
    settings=ReporterSettings,
    world=BuildingStart,
    reporter=NotebookReporter,
)
"""Pack object, registered under the entry point ``reporter``."""
