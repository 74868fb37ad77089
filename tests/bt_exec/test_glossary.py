"""Public names use the words of the glossary in ARCHITECTURE.md."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import bt_exec
import bt_exec_llm
import bt_exec_skills
from tests.cases import some

REPLACED = {
    "sight": "observation",
    "scene": "observation",
    "seen": "observation, or situation",
    "eye": "perception",
    "eyes": "perception",
    "account": "progress",
    "rules": "checkers, or passes",
    "worth": "replan policy",
    "asker": "visual qa",
    "opinion": "answer",
    "judge": "estimator",
    "lens": "camera",
    "votes": "temporal voting",
    "doubt": "uncertainty",
    "practice": "dataset",
    "telling": "phrasing",
    "unseen": "occlusion",
    "paced": "pacing",
    "lookout": "perception loop",
}
KEPT = {
    "bt_exec_skills.door.rules": "a room: checkers and passes of a domain",
    "bt_exec_skills.reporter.rules": "a room: checkers and passes of a domain",
    "bt_exec_skills.image.rules": "a room: how questions are read and planned",
    "judge": "a skill: second ways judge an answer, as the literature on models has it",
    "bt_exec_skills.image.skills.conclude_and_judge": "the file of that skill",
    "observe_scene": "an action's name in the plans of others",
    "bt_exec_skills.reporter.skills.observe_scene": "the file of that action",
    "SceneSource": "a rendered scene of a data set, before anybody observes it",
    "bt_exec_skills.door.dataset.scenes": "the rendered scenes of a data set",
}


def words_of(name: str) -> list[str]:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.rpartition(".")[2]).lower().split("_")


@pytest.fixture(scope="module")
def public_names() -> list[tuple[str, str]]:
    found = []
    for package in (bt_exec, bt_exec_skills, bt_exec_llm):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if info.name.endswith("__main__"):
                continue
            found.append((info.name, info.name))
            module = importlib.import_module(info.name)
            found += [(info.name, name) for name in getattr(module, "__all__", ())]
    return found


@pytest.mark.parametrize("word", REPLACED)
def test_public_names_contain_no_word_replaced_in_the_glossary(word, public_names):
    for module, name in some(public_names, 500):
        if name not in KEPT:
            assert word not in words_of(name), f"{module}: {name}: say {REPLACED[word]}"


def test_glossary_exceptions_still_exist(public_names):
    names = {name for _, name in public_names}
    assert set(KEPT) <= names
