"""Cases found by random trees: each failed once, or detects a fault that no other case does.

Every row is run by the built nodes and by the reference. Both must give the written lines.
"""

import pytest

from bt_exec.events import NodeChanged
from bt_exec.skill import Verdict
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from tests.bt_exec.nodes.compare import compare
from tests.bt_exec.nodes.random_trees import Case
from tests.bt_exec.nodes.stage import Call, Script

YES, NO, WHAT = Verdict.yes(), Verdict.no(), Verdict.unknown()
DONE, CRASH, FOREVER = Call(), Call(0, "crash"), Call(99)


def stuck(ticks=0):
    return Call(ticks, "STUCK")


def slipped(ticks=0):
    return Call(ticks, "SLIPPED")


def case_of(root, *, abort_at=None, faults=None, kept=(), **script):
    """Return the case of a tree in YAML, with scripts of skills and conditions by name."""
    tree = load_text(f"tree: t\nroot: {root}").document
    calls = {name: entries for name, entries in script.items() if isinstance(entries[0], Call)}
    replies = {name: entries for name, entries in script.items() if name not in calls}
    spec = MissionSpec(mission=Mission(command="", kept=kept), root=tree.root)
    return Case(spec, Script(calls, replies), faults or {}, abort_at)


def lines(reference):
    """Return the states of nodes with codes and causes, one line each."""
    found = []
    for event in reference.events:
        if isinstance(event, NodeChanged) and not event.will_retry:
            chain = event.failure.chain() if event.failure is not None else ()
            why = " < ".join(failure.code for failure in chain)
            why = why or (event.detail if event.state == "skipped" else "")
            found.append(f"{event.tick} {event.path} {event.state} {why}".rstrip())
    return found


ENTERING_AGAIN = {
    "a parallel is tried again from the beginning, finished children too": (
        case_of("{parallel: [{do: a}, {do: b}], retry: 2}", b=[stuck(), DONE]),
        ["1 a done", "1 b failed STUCK", "1 parallel running", "2 b done", "2 parallel done"],
        ["a 0 start", "a closed", "b 0 start", "b closed"] * 2,
    ),
    "a parallel's failure of an earlier attempt is not the reason of the last": (
        case_of("{parallel: [{do: a}, {do: b}], retry: 2}", a=[DONE, slipped()], b=[stuck(), DONE]),
        [
            "1 a done",
            "1 b failed STUCK",
            "1 parallel running",
            "2 a failed SLIPPED",
            "2 b done",
            "2 parallel failed SLIPPED < STUCK",
        ],
        None,
    ),
    "a guard that is unknown when its node is entered again starts nothing": (
        case_of("{do: a, while: c, retry: 2}", a=[stuck(), DONE], c=[YES, WHAT, YES]),
        ["1 a running", "3 a done"],
        ["c?", "a 0 start", "a closed", "c?", "c?", "a 0 start", "a closed"],
    ),
    "patience begins anew with each attempt": (
        case_of("{do: a, while: c, retry: 2}", a=[stuck()], c=[WHAT, WHAT, YES, WHAT, WHAT, YES]),
        ["1 a running", "6 a failed STUCK < STUCK"],
        None,
    ),
    "skip_if is asked again when its node is entered again": (
        case_of(
            "{sequence: [{do: a, skip_if: c}, {do: b}], retry: 2}", b=[stuck(), DONE], c=[NO, YES]
        ),
        [
            "1 a done",
            "1 b failed STUCK",
            "1 sequence running",
            "2 b done",
            "2 sequence done",
        ],
        ["c?", "a 0 start", "a closed", "b 0 start", "b closed", "c?", "b 0 start", "b closed"],
    ),
    "skip_if that did not hold the first time may hold the next, and the other way round": (
        case_of("{sequence: [{do: a, skip_if: c}], repeat: 2}", c=[YES, NO]),
        ["1 a skipped already so", "1 sequence running", "2 sequence done"],
        ["c?", "c?", "a 0 start", "a closed"],
    ),
    "attempts are counted anew in each round": (
        case_of("{do: a, retry: 2, repeat: 2}", a=[stuck(), DONE, stuck(), DONE]),
        ["1 a running", "4 a done"],
        ["a 0 start", "a closed"] * 4,
    ),
    "rounds are counted anew when the node is entered again": (
        case_of("{sequence: [{do: a, repeat: 2}, {do: b}], retry: 2}", b=[stuck(), DONE]),
        [
            "1 a running",
            "1 sequence running",
            "2 a done",
            "2 b failed STUCK",
            "3 a running",
            "4 a done",
            "4 b done",
            "4 sequence done",
        ],
        [*["a 0 start", "a closed"] * 2, "b 0 start", "b closed"] * 2,
    ),
    "the timer begins anew with each attempt and each round": (
        case_of("{do: a, timeout: 150ms, repeat: 3}", a=[Call(2)]),
        ["1 a running", "9 a done"],
        ["a 0 start", "a closed"] * 3,
    ),
    "a fallback begins again with its first child": (
        case_of("{fallback: [{do: a}, {do: b}], repeat: 2}", a=[stuck(), DONE]),
        ["1 a failed STUCK", "1 b done", "1 fallback running", "2 a done", "2 fallback done"],
        ["a 0 start", "a closed", "b 0 start", "b closed", "a 0 start", "a closed"],
    ),
    "a node that was stopped and runs again is told of again": (
        case_of("{sequence: [{do: a}], timeout: 100ms, retry: 2}", a=[FOREVER, Call(1)]),
        [
            "1 a running",
            "1 sequence running",
            "3 a stopped",
            "4 a running",
            "5 a done",
            "5 sequence done",
        ],
        None,
    ),
    "a child that ends as before is not told of again, stopped branch or not": (
        case_of(
            "{parallel: [{sequence: [{do: a}, {do: s}]}, {do: b}], retry: 2}",
            s=[FOREVER],
            b=[stuck(), slipped()],
        ),
        [
            "1 a done",
            "1 s running",
            "1 sequence running",
            "1 b failed STUCK",
            "1 s stopped",
            "1 parallel running",
            "2 s running",
            "2 sequence running",
            "2 s stopped",
            "2 parallel failed SLIPPED < STUCK",
        ],
        None,
    ),
    "a fault on purpose in a later round is heeded": (
        case_of("{do: a, repeat: 3}", faults={("a", 2): "STUCK"}),
        ["1 a running", "2 a failed STUCK"],
        ["a 0 start", "a closed"],
    ),
    "causes of an earlier entry are forgotten": (
        case_of(
            "{sequence: [{do: a, retry: 2}, {check: c}], repeat: 2}",
            a=[stuck(), DONE, slipped(), CRASH],
        ),
        [
            "1 a running",
            "1 sequence running",
            "2 a done",
            "2 c done",
            "3 a running",
            "4 a failed SKILL_CRASHED < SLIPPED",
            "4 sequence failed SKILL_CRASHED < SLIPPED",
        ],
        None,
    ),
}

FAILURES = {
    "a fallback whose last branch takes time keeps every failure": (
        case_of("{fallback: [{do: a}, {do: b}]}", a=[stuck()], b=[slipped(2)]),
        [
            "1 a failed STUCK",
            "1 b running",
            "1 fallback running",
            "3 b failed SLIPPED",
            "3 fallback failed SLIPPED < STUCK",
        ],
        None,
    ),
    "a running branch of a fallback is not interrupted by those before it": (
        case_of("{fallback: [{do: a}, {do: b}]}", a=[stuck(), DONE], b=[Call(2)]),
        ["1 a failed STUCK", "1 b running", "1 fallback running", "3 b done", "3 fallback done"],
        ["a 0 start", "a closed", "b 0 start", "b closed"],
    ),
    "a parallel fails with what failed first in time": (
        case_of("{parallel: [{do: a}, {do: b}], succeed_when: any}", a=[stuck(2)], b=[slipped(1)]),
        [
            "1 a running",
            "1 b running",
            "1 parallel running",
            "2 b failed SLIPPED",
            "3 a failed STUCK",
            "3 parallel failed SLIPPED",
        ],
        None,
    ),
    "each failure counts once, however the attempts are nested": (
        case_of(
            "{fallback: [{do: a, retry: 2}, {do: b, retry: 2}], retry: 2}",
            a=[stuck()],
            b=[slipped()],
        ),
        [
            "1 a running",
            "1 fallback running",
            "2 a failed STUCK < STUCK",
            "2 b running",
            "3 b failed SLIPPED < SLIPPED",
            "4 a running",
            "5 a failed STUCK < STUCK",
            "5 b running",
            "6 b failed SLIPPED < SLIPPED",
            "6 fallback failed " + " < ".join(["SLIPPED", "SLIPPED", "STUCK", "STUCK"] * 2),
        ],
        None,
    ),
    "a check that does not hold is tried again, with what is done before it": (
        case_of("{sequence: [{do: a}, {check: c}], retry: 3}", c=[NO, NO, YES]),
        [
            "1 a done",
            "1 c failed CHECK_FAILED",
            "1 sequence running",
            "3 c done",
            "3 sequence done",
        ],
        ["a 0 start", "a closed", "c?"] * 3,
    ),
    "a check alone is asked again; the last answer counts": (
        case_of("{check: c, retry: 3}", c=[NO]),
        ["1 c running", "3 c failed CHECK_FAILED < CHECK_FAILED < CHECK_FAILED"],
        ["c?"] * 3,
    ),
    "doubt behind what was done is not a reason to do it again": (
        case_of("{sequence: [{do: a}, {check: e}], retry: 3}", e=[WHAT, YES]),
        ["1 a done", "1 e failed UNCERTAIN", "1 sequence failed UNCERTAIN"],
        ["a 0 start", "a closed", "e?"],
    ),
    "a failure that another attempt cannot mend is not tried again": (
        case_of("{do: a, retry: 3}", a=[Call(0, "HOPELESS"), DONE]),
        ["1 a failed HOPELESS"],
        ["a 0 start", "a closed"],
    ),
}

DOUBT = {
    "a condition that crashed once and then answers does not end the node": (
        case_of(
            "{do: a, while: {any: [c, d]}}", a=[Call(3)], c=["crash", WHAT], d=[YES, WHAT, YES]
        ),
        ["1 a running", "4 a done"],
        None,
    ),
    "all is given up with the first whose patience ends, and says so": (
        case_of("{check: {all: [d, c]}}", d=[WHAT], c=[WHAT]),
        ["1 check running", "3 check failed DARK"],
        None,
    ),
    "any is given up when none is left to wait for; the first to end is the reason": (
        case_of("{check: {any: [c, d]}}", d=[WHAT], c=[WHAT]),
        ["1 check running", "6 check failed DARK"],
        None,
    ),
    "any waits for the patient one although another crashed": (
        case_of("{check: {any: [c, d]}}", c=["crash"], d=[WHAT, YES]),
        ["1 check running", "2 check done"],
        None,
    ),
    "each condition's patience counts from its own doubt": (
        case_of("{check: {all: [c, d]}}", c=[WHAT, WHAT, YES], d=[YES, YES, WHAT, YES]),
        ["1 check running", "4 check done"],
        None,
    ),
    "an answer in between begins patience anew": (
        case_of("{do: a, while: c}", a=[Call(5)], c=[YES, WHAT, WHAT, YES, WHAT, WHAT, YES]),
        ["1 a running", "6 a done"],
        None,
    ),
    "doubt is not tried again": (
        case_of("{check: e, retry: 3}", e=[WHAT, YES]),
        ["1 e failed UNCERTAIN"],
        None,
    ),
    "a skip is explained only by what made it hold": (
        case_of("{do: a, skip_if: {any: [{all: [c, d]}, e]}}", d=[NO]),
        ["1 a skipped condition not met"],
        ["c?", "d?", "e?"],
    ),
    "a skip is explained by everything that made it hold, each once": (
        case_of("{do: a, skip_if: {all: [c, d, c, {not: e}]}}", e=[NO]),
        ["1 a skipped already so, already thus"],
        ["c?", "d?", "c?", "e?"],
    ),
}

ROWS = {**ENTERING_AGAIN, **FAILURES, **DOUBT}


@pytest.mark.parametrize("name", ROWS)
def test_plan_has_the_listed_node_states(name):
    case, expected, log = ROWS[name]
    reference, _ = compare(case)
    assert lines(reference) == expected
    if log is not None:
        assert reference.log == log


def test_retried_attempt_is_reported_with_its_failure():
    reference, _ = compare(case_of("{do: a, retry: 3}", a=[stuck(), slipped(1), DONE]))
    again = [
        event for event in reference.events if isinstance(event, NodeChanged) and event.will_retry
    ]
    assert [(event.tick, event.path, event.detail, event.failure.code) for event in again] == [
        (1, "a", "attempt 1 of 3", "STUCK"),
        (3, "a", "attempt 2 of 3", "SLIPPED"),
    ]


def test_failure_of_a_question_names_the_deciding_condition():
    for root, name in (
        ("{check: {all: [c, d]}}", "d"),
        ("{check: {not: {any: [e, c, d]}}}", "c"),
        ("{check: {all: [c, {any: [e, d]}]}}", "e"),
        ("{do: a, while: {all: [c, d]}}", "d"),
    ):
        case = case_of(root, c=[YES], d=[NO], e=[NO])
        failure = compare(case)[0].events[-1].failure
        assert (failure.code, failure.node) in (("CHECK_FAILED", name), ("GUARD_BROKEN", name))


def test_evidence_of_an_expression_has_the_age_of_the_oldest_part():
    old, new = Verdict(True, "old", ("1",), 3.0), Verdict(True, "new", ("2", "3"), 0.5)
    for expression, verdict in {
        "{all: [c, d]}": Verdict(True, "old; new", ("1", "2", "3"), 3.0),
        "{all: [d, c]}": Verdict(True, "new; old", ("2", "3", "1"), 3.0),
        "{any: [d, c]}": new,  # the first verdict that holds is the whole evidence
        "{not: {all: [c, d]}}": Verdict(False, "old; new", ("1", "2", "3"), 3.0),
    }.items():
        reference, _ = compare(case_of(f"{{check: {expression}}}", c=[old], d=[new]))
        assert reference.events[0].verdict == verdict, expression


@pytest.mark.parametrize(
    ("root", "script"),
    [
        ("{do: a, with: {value: 7}, while: c, timeout: 100ms}", {"a": [FOREVER]}),
        ("{do: a, with: {value: 7}, while: c, timeout: 100ms}", {"c": [YES, WHAT], "a": [FOREVER]}),
        ("{do: a, with: {value: 7}, while: {any: [d]}, timeout: 100ms}", {"d": [WHAT]}),
        ("{do: a, with: {value: 7}, timeout: 100ms, retry: 2}", {"a": [FOREVER]}),
    ],
)
def test_timeout_names_the_arguments_of_the_attempt(root, script):
    reference, _ = compare(case_of(root, **script))
    failure = [event for event in reference.events if isinstance(event, NodeChanged)][-1].failure
    assert (failure.code, failure.node, failure.args) == ("TIMEOUT", "a", {"value": 7})


def test_timeout_names_the_arguments_at_the_start_of_the_attempt():
    save = "{do: b, save: {value: r}}"
    slow = "{do: a, with: {value: $r}, timeout: 100ms}"
    root = f"{{sequence: [{save}, {{parallel: [{slow}, {save}]}}]}}"
    case = case_of(root, a=[FOREVER], b=[Call(0, "done", 1), Call(0, "done", 2)])
    failure = compare(case)[0].events[-1].failure
    assert (failure.code, failure.args) == ("TIMEOUT", {"value": 1})


def test_timeout_names_the_written_arguments_when_a_result_is_missing():
    root = "{do: a, with: {value: $r}, while: d, timeout: 100ms}"
    failure = compare(case_of(root, d=[WHAT]))[0].events[-1].failure
    assert (failure.code, failure.args) == ("TIMEOUT", {"value": "$r"})


@pytest.mark.parametrize(
    ("root", "finished"),
    [
        ("{sequence: [{do: a}, {do: b}]}", ["a"]),
        ("{parallel: [{do: a}, {do: b}]}", ["a"]),
        ("{sequence: [{fallback: [{sequence: [{do: a}, {check: c}]}, {do: s}]}, {do: b}]}", ["s"]),
        ("{fallback: [{sequence: [{do: a}, {check: c}]}, {sequence: [{do: s}, {do: b}]}]}", []),
        ("{fallback: [{sequence: [{do: a}, {check: c}], retry: 2, name: n}, {do: b}]}", []),
    ],
)
@pytest.mark.parametrize("ticks", [0, 3])
def test_finished_leaves_are_recorded_when_a_plan_fails(root, finished, ticks):
    """The duration of the branch after a failed one has no effect."""
    case = case_of(root, b=[stuck(ticks)], s=[Call(ticks)], c=[NO])
    reference, _ = compare(case)
    assert [path.rpartition("/")[2] for path, *_ in reference.finished] == finished


def test_message_of_a_guard_depends_on_whether_it_held_before():
    for replies, said in (
        ([NO], "c does not hold"),
        ([Verdict.no("dark")], "c does not hold: dark"),
        ([YES, Verdict.no("dark")], "c no longer holds: dark"),
    ):
        reference, _ = compare(case_of("{do: a, while: c}", a=[FOREVER], c=replies))
        assert reference.events[-1].failure.message == said
