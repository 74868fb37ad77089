"""Generated commands are done as their meanings demand, in every world, or refused.

The meanings are executed by reference simulators, which are independent of the grammar.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bt_exec.site.compile_command import compile_command
from bt_exec.spec.expand import expand
from tests.cases import examples
from tests.llm.offline.generated import (
    building_reference,
    building_sentences,
    door_reference,
    door_sentences,
)

pytestmark = pytest.mark.sampled

ANY = settings(
    max_examples=examples(9),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
LANGUAGES = st.sampled_from(["en", "ko"])
SEEDS = st.integers(0, 2**20)


def written_plan(sites, compilers, site: str, said: tuple[str, ...]):
    """Return the plan of the last command of a session, or None if it is refused."""
    *context, command = said
    found = compile_command(sites[site], command, compiler=compilers[site], context=context)
    return None if found.plan is None else found.written


@pytest.mark.parametrize("kind", door_sentences.KINDS)
@given(language=LANGUAGES, seed=SEEDS)
@ANY
def test_generated_door_command_has_its_meaning(sites, compilers, kind, language, seed) -> None:
    sample = door_sentences.draw(kind, language, random.Random(seed))
    plan = written_plan(sites, compilers, "door", sample.said)
    for world in door_reference.WORLDS if plan is not None else ():
        done = door_reference.run(plan, world)
        wanted = door_reference.done_by(sample.meaning, world)
        assert door_reference.matches(done, wanted), (sample.said, world)


@pytest.mark.parametrize("kind", building_sentences.KINDS)
@given(language=LANGUAGES, seed=SEEDS)
@ANY
def test_generated_building_command_has_its_meaning(sites, compilers, kind, language, seed) -> None:
    sample = building_sentences.draw(kind, language, random.Random(seed))
    plan = written_plan(sites, compilers, "building", sample.said)
    if plan is None:
        return
    plan = expand(plan, sites["building"].library)
    for world in building_reference.WORLDS:
        done = building_reference.run(plan, world)
        wanted = building_reference.events_of(sample.meaning, world, language)
        assert building_reference.matches(done, wanted), (sample.said, done)
