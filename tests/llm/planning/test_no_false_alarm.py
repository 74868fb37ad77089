"""What the library says itself is never turned down: on every shipped site, for every utterance."""

from __future__ import annotations

import pytest
import yaml

from bt_exec.compiler import Plan
from bt_exec.compiling import request_of
from bt_exec.resources import site_names
from bt_exec.site import load_site
from bt_exec.spec.dump import to_data
from bt_exec_llm.model import Answer
from bt_exec_llm.planning.intent import meaning_of
from bt_exec_llm.planning.rounds import _judged
from tests.llm.planning.corpus import OFFLINE

SAID = [
    (name, text)
    for name in site_names()
    for tree in load_site(name).library
    for text in tree.utterances
]


@pytest.mark.parametrize(("site", "command"), SAID)
def test_the_plan_of_the_library_passes_as_an_answer(site, command):
    request = request_of(load_site_once(site), command)
    answer = OFFLINE.compile(request)
    if not isinstance(answer, Plan):
        pytest.skip("the offline compiler asks back")
    root = to_data(answer.spec)["root"]
    found = _judged(
        Answer(yaml.safe_dump({"root": root}, allow_unicode=True)),
        request,
        meaning_of(request, OFFLINE),
    )
    assert [str(problem) for problem in found.problems] == []


_SITES = {}


def load_site_once(name):
    if name not in _SITES:
        _SITES[name] = load_site(name)
    return _SITES[name]
