"""Round trip of arbitrary events through the journal."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.events import (
    Aborting,
    Asked,
    Event,
    FactsKnown,
    Finished,
    MissionStarted,
    NodeChanged,
    Observed,
    PerceptionFailed,
    Planned,
    Planning,
    Refused,
    Rejected,
    SkillEnded,
    SkillStarting,
    Turn,
)
from bt_exec.failure import Failure, Problem, Refusal
from bt_exec.journal import Journal, RecordedObservation
from bt_exec.mission_outcome import Outcome
from bt_exec.skill import Verdict
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from tests.cases import examples

text = st.text(max_size=12)  # any Unicode except surrogates, including NUL
words = st.lists(text, max_size=3).map(tuple)
number = st.floats(allow_nan=False, allow_infinity=False)
tick = st.integers(0, 2**40)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
data = st.dictionaries(text, plain, max_size=3)
usage = st.dictionaries(text, number, max_size=2)
single = st.builds(
    Failure, text, text, text, st.sampled_from(["skill", "guard"]), text, data, data, st.booleans()
)
failure = st.builds(lambda a, b: a.with_cause(b), single, st.none() | single)
maybe = st.none() | failure
problem = st.builds(
    Problem, text, text, text, text, words, text, st.none() | tick, st.none() | tick
)
observation = st.builds(
    RecordedObservation, number, data, words, st.dictionaries(text, text, max_size=2), text
)
verdict = st.builds(Verdict, st.none() | st.booleans(), text, words, number)
outcome = st.builds(
    Outcome,
    text,
    text,
    st.sampled_from(["satisfied", "failed"]),
    text,
    text,
    skipped=st.lists(st.dictionaries(text, text, max_size=2), max_size=2).map(tuple),
    failures=st.lists(failure.map(Failure.to_dict), max_size=2).map(tuple),
    journal=st.none() | text,
    nearest=words,
    problems=words,
)


def _spec(command: str, version: int) -> MissionSpec:
    text = f"{{mission: {{command: {command}, plan_version: {version}}}, root: {{do: grasp}}}}"
    document = load_text(text).document
    assert isinstance(document, MissionSpec)
    return document


spec = st.builds(_spec, st.sampled_from(["open", "문을 열어"]), st.integers(1, 9))
state = st.sampled_from(["running", "done", "failed", "skipped", "kept", "stopped"])
at = (number, tick)
event: st.SearchStrategy[Event] = st.one_of(
    st.builds(MissionStarted, *at, text, text, text, text, data),
    st.builds(Observed, *at, text, observation),
    st.builds(PerceptionFailed, *at, text, text),
    st.builds(Planning, *at, text, maybe),
    st.builds(Planned, *at, spec, tick, usage),
    st.builds(Refused, *at, st.builds(Refusal, text, text, words, tick)),
    st.builds(Rejected, *at, st.none() | spec, st.lists(problem, max_size=2).map(tuple)),
    st.builds(NodeChanged, *at, text, state, text, maybe),
    st.builds(SkillStarting, *at, text, text, data, tick),
    st.builds(
        SkillEnded, *at, text, text, tick, st.sampled_from(["done", "stopped"]), number, data, maybe
    ),
    st.builds(FactsKnown, *at, st.sampled_from(["start", "end"]), data, data),
    st.builds(Asked, *at, text, st.sampled_from(["check", "while"]), text, verdict, st.booleans()),
    st.builds(Turn, *at, data),
    st.builds(Aborting, *at, st.sampled_from(["clean", "robot stop"]), text),
    st.builds(Finished, *at, outcome),
)


@settings(max_examples=examples(60))
@given(st.lists(event, max_size=25))
def test_arbitrary_events_are_unchanged_by_a_round_trip(events: list[Event]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal.open(Path(folder) / "journal.sqlite")
        with journal.begin(command="x") as recorder:
            for one in events:
                recorder.on(one)
        mission = journal.mission("last")
    assert mission.unreadable == ()
    assert list(mission.events) == events
    ends = [one.outcome for one in events if isinstance(one, Finished)]
    assert mission.outcome == (ends[-1] if ends else None)
    assert mission.status == (ends[-1].status if ends else "unfinished")
