"""Layer 4, dry run: NEED_NOT_MET, from known facts and effects of skills."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.condition_expression import All, Is, Not
from bt_exec.spec.model import MissionSpec
from bt_exec.verify import verify_mission
from bt_exec.verify.dry_run import _consistent_states, certain_effects
from bt_exec.verify.effects_on_facts import established_facts, fill_arguments
from bt_exec.verify.fact_states_and_changes import (
    Change,
    ConcurrentChanges,
    limit_states,
    observation_change,
    state_from_facts,
)
from tests.bt_exec.spec.workshop import WORKSHOP
from tests.bt_exec.verify.layers import CATALOGUE, of_mission


class Chosen(NamedTuple):
    arm: str


@skill()
def choose(robot: Any) -> Steps[Chosen]:
    """Choose an arm."""
    yield Running()
    return Chosen("left")


@skill(effects={"hand.{arm}": "empty"})
def drop(robot: Any, arm: str) -> Steps:
    """Drop the held object."""
    yield Running()


def take(arm: str = "left", thing: str = "cup") -> dict[str, Any]:
    return {"do": "take", "with": {"arm": arm, "thing": thing}}


OPEN: dict[str, Any] = {"do": "open_lid", "with": {"arm": "right"}}
CHECK_OPEN: dict[str, Any] = {"check": {"lid_is": {"state": "open"}}}
LOOK: dict[str, Any] = {"do": "look", "save": {"thing": "seen"}}
CLOSED = {"lid": "closed", "hand.left": "empty"}
TAKEN: list[Any] = [OPEN, take(), {"do": "rest", "with": {"count": 1}}]
LIT: dict[str, Any] = {"sequence": [{"check": "lit"}, *TAKEN]}
DARK: dict[str, Any] = {"sequence": [{"check": {"not": "lit"}}, *TAKEN]}


def test_unmet_need_message_names_the_fact_and_its_value() -> None:
    assert of_mission(take(), facts={"lid": "closed"}) == [
        "NEED_NOT_MET root/do: take needs lid to be open or ajar, but it will be closed"
    ]


@pytest.mark.parametrize(
    ("root", "facts", "told"),
    [
        (take(), {}, 0),
        (take(), CLOSED, 1),
        (take(), {"lid": "ajar", "hand.left": "box"}, 1),
        ({"sequence": [OPEN, take()]}, CLOSED, 0),
        ({"sequence": [OPEN, take(), take()]}, CLOSED, 1),
        ({"sequence": [OPEN, {**take(), "repeat": 2}]}, CLOSED, 1),
        ({"sequence": [OPEN, {**take(), "repeat": 1}]}, CLOSED, 0),
        ({**take(), "repeat": 5}, {"lid": "closed"}, 2),
        ({"repeat": 2, "sequence": [OPEN, take()]}, CLOSED, 1),
        ({"repeat": 3, "sequence": [OPEN]}, CLOSED, 0),
        ({"sequence": [OPEN, take("left"), take("right")]}, CLOSED, 0),
        # skipped because the effect holds, or done: the same facts afterwards
        ({"sequence": [{**OPEN, "skip_if": {"lid_is": {"state": "open"}}}, take()]}, CLOSED, 0),
        # skipped for another reason: the facts afterwards are unknown
        ({"sequence": [{**OPEN, "skip_if": "lit"}, take()]}, CLOSED, 0),
        ({"sequence": [{**LOOK, "save": {}, "skip_if": "lit"}, take()]}, CLOSED, 1),
        ({"sequence": [{"fallback": [{"check": "lit"}, OPEN]}, take()]}, CLOSED, 0),
        ({"sequence": [{"fallback": [{"check": "lit"}, LOOK]}, take()]}, CLOSED, 1),
        ({"sequence": [{"fallback": [{"check": "lit"}, OPEN]}, take(), take()]}, CLOSED, 1),
        # skipped because of another known fact: the lid stays closed
        ({"sequence": [{**OPEN, "skip_if": "hand_empty"}, take()]}, CLOSED, 1),
        ({"sequence": [{"fallback": [{"check": "hand_empty"}, OPEN]}, take()]}, CLOSED, 1),
        # certainly skipped, so its needs do not matter
        ({**take(), "skip_if": {"lid_is": {"state": "closed"}}}, CLOSED, 0),
        ({"sequence": [CHECK_OPEN, take()]}, CLOSED, 0),
        ({"sequence": [{**CHECK_OPEN, "tell": True}, take()]}, CLOSED, 1),
        ({**take(), "while": {"lid_is": {"state": "open"}}}, CLOSED, 0),
        ({"sequence": [{"fallback": [CHECK_OPEN, OPEN]}, take()]}, CLOSED, 0),
        ({"sequence": [{"fallback": [OPEN, LOOK]}, take()]}, CLOSED, 0),
        ({"sequence": [{"fallback": [LOOK, LOOK]}, take()]}, CLOSED, 1),
        # a branch of a choice does not run after the other one failed
        ({"fallback": [LIT, DARK]}, CLOSED, 0),
        ({"fallback": [DARK, LIT]}, CLOSED, 0),
        ({"fallback": [{"sequence": [LOOK, *TAKEN]}, DARK]}, CLOSED, 1),
        ({"sequence": [{"fallback": [LIT, DARK]}, take()]}, CLOSED, 1),
        ({"sequence": [{"parallel": [OPEN, LOOK]}, take()]}, CLOSED, 0),
        ({"sequence": [{"parallel": [LOOK, {"check": "lit"}]}, take()]}, CLOSED, 1),
        # its effect is known only at run time: the hand holds something
        (
            {"sequence": [LOOK, {"do": "take", "with": {"arm": "left", "thing": "$seen"}}, take()]},
            {"hand.left": "empty"},
            0,
        ),
    ],
)
def test_contradicted_needs_are_found_from_known_facts(
    root: Any, facts: dict[str, str], told: int
) -> None:
    found = of_mission(root, facts=facts)
    assert len(found) == told, found
    assert all(line.startswith("NEED_NOT_MET") for line in found)


def test_skill_with_an_unknown_argument_invalidates_all_possible_effects() -> None:
    """The emptied hand is known only at run time, so no later need is contradicted."""
    catalogue = Catalogue([WORKSHOP, Pack(name="more", skills=(choose, drop))])
    root = {
        "sequence": [
            {"do": "choose", "save": {"arm": "arm"}},
            {"do": "drop", "with": {"arm": "$arm"}},
            take(),
        ]
    }
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": root})
    assert verify_mission(spec, catalogue, facts={"hand.left": "box", "lid": "open"}) == ()


def test_finished_step_is_not_run_again() -> None:
    root = {"sequence": [take(), {"do": "rest", "with": {"count": 1}}]}
    assert of_mission(root, facts=CLOSED, kept=("take",)) == []
    assert len(of_mission(root, facts=CLOSED)) == 1
    twice = {"sequence": [take(), {"do": "look"}, take()]}
    assert len(of_mission(twice, facts=CLOSED, kept=("look",))) == 3


def test_condition_establishes_only_certain_facts() -> None:
    lid = Is(name="lid_is", args={"state": "open"})
    assert established_facts(All(of=(lid, Is(name="hand_empty"))), CATALOGUE) == {
        "lid": "open",
        "hand.right": "empty",
    }
    assert established_facts(Not(of=lid), CATALOGUE) == {}
    assert established_facts(Is(name="lid_is", args={"state": "$state"}), CATALOGUE) == {}
    assert established_facts(Is(name="nothing"), CATALOGUE) == {}
    assert fill_arguments("hand.{arm}", {"arm": "left", "thing": "{x}"}) == "hand.left"


@pytest.mark.parametrize(
    ("root", "left"),
    [
        (OPEN, {"lid": "open"}),
        ({**OPEN, "skip_if": {"lid_is": {"state": "open"}}}, {"lid": "open"}),
        ({**OPEN, "skip_if": {"lid_is": {"state": "closed"}}}, {}),
        ({**OPEN, "skip_if": {"not": {"lid_is": {"state": "open"}}}}, {}),
        ({"sequence": [{**OPEN, "skip_if": "lit"}, LOOK]}, {}),
        ({"fallback": [CHECK_OPEN, OPEN]}, {"lid": "open"}),
        ({"fallback": [LOOK, OPEN]}, {}),
        ({"parallel": [LOOK, OPEN]}, {"lid": "open"}),
        ({"parallel": [LOOK, OPEN], "succeed_when": "any"}, {}),
    ],
)
def test_only_certain_effects_hold_after_a_plan(root: Any, left: dict[str, str]) -> None:
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": root})
    found = certain_effects(spec, CATALOGUE)
    assert {key: value for key, value in found.items() if key == "lid"} == left


@skill(effects={"lid": "closed"})
def shut(robot: Any) -> Steps:
    """Shut the lid."""
    yield Running()


@pytest.mark.parametrize(
    ("needed", "said"), [("all", "will"), (2, "will"), ("any", "may"), (1, "may")]
)
def test_cancelled_branch_may_have_had_its_effect(needed: Any, said: str) -> None:
    catalogue = Catalogue([WORKSHOP, Pack(name="own", summary="…", skills=(shut,))])
    both = {"parallel": [{"do": "shut"}, {"do": "look"}], "succeed_when": needed}
    root = {"sequence": [both, take()]}
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": root})
    (found,) = verify_mission(spec, catalogue, facts={"lid": "open", "hand.left": "empty"})
    assert str(found) == (
        "the plan: root/sequence[1]/do: take needs lid to be open or ajar, but it "
        f"{said} be closed (found lid=closed; allowed: lid=open, lid=ajar) [NEED_NOT_MET]"
    )


@pytest.mark.parametrize(
    ("children", "needed", "left"),
    [
        ([{"do": "shut"}, OPEN], "all", {}),  # the last one to end
        ([OPEN, {"do": "shut"}], "any", {}),
        ([{"sequence": [OPEN, {"do": "shut"}]}, LOOK], "all", {"lid": "closed"}),
        ([{"sequence": [OPEN, {"do": "shut"}]}, OPEN], "all", {}),
    ],
)
def test_contradicting_branches_leave_no_certain_fact(
    children: list[Any], needed: str, left: dict[str, str]
) -> None:
    catalogue = Catalogue([WORKSHOP, Pack(name="own", summary="…", skills=(shut,))])
    spec = MissionSpec.model_validate(
        {"mission": {"command": "x"}, "root": {"parallel": children, "succeed_when": needed}}
    )
    assert certain_effects(spec, catalogue) == left


@skill(needs={"lid": "open"})
def wipe(robot: Any) -> Steps:
    """Wipe the inside."""
    yield Running()


@pytest.mark.parametrize(
    ("modifiers", "told"),
    [({}, 0), ({"retry": 2}, 1), ({"repeat": 2}, 1), ({"retry": 2, "repeat": 2}, 1)],
)
@pytest.mark.parametrize("beside", [{"do": "shut"}, {"sequence": [{"do": "look"}, {"do": "shut"}]}])
def test_parallel_branches_act_between_attempts_but_not_between_check_and_start(
    modifiers: dict[str, int], told: int, beside: dict[str, Any]
) -> None:
    """The lid is checked in the tick in which the first attempt starts."""
    catalogue = Catalogue([WORKSHOP, Pack(name="own", summary="…", skills=(shut, wipe))])
    wiping = {"do": "wipe", "skip_if": {"lid_is": {"state": "closed"}}, **modifiers}
    spec = MissionSpec.model_validate(
        {"mission": {"command": "x"}, "root": {"parallel": [beside, wiping]}}
    )
    found = verify_mission(spec, catalogue, facts={"lid": "open"})
    assert len([problem for problem in found if problem.code == "NEED_NOT_MET"]) == told


@skill(effects={"place.{n}": "seen"})
def visit(robot: Any, n: str) -> Steps:
    """Visit a place."""
    yield Running()


OWN = Catalogue([WORKSHOP, Pack(name="own", summary="…", skills=(shut, wipe, visit))])
SHUT: dict[str, Any] = {"do": "shut"}
WIPE: dict[str, Any] = {"do": "wipe"}
MAY_OPEN: dict[str, Any] = {**OPEN, "skip_if": "lit"}
AGAIN: dict[str, Any] = {"sequence": [MAY_OPEN]}
VISIT: dict[str, Any] = {"do": "visit", "with": {"n": "1"}}
GOING: dict[str, Any] = {"sequence": [VISIT, OPEN]}
SECOND = "sequence[1]/fallback[1]"
IS_SHUT: dict[str, Any] = {"lid_is": {"state": "closed"}}
CHECK_SHUT: dict[str, Any] = {"check": IS_SHUT}
GUARDED: dict[str, Any] = {"lid_is": {"state": "open"}}


def contradicted(root: Any, facts: dict[str, str]) -> list[str]:
    """Return the skills that may start with an unmet need, and whether that is certain."""
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": root})
    found = verify_mission(spec, OWN, facts=facts)
    return [
        f"{one.place} {'will' if ' will be ' in one.message else 'may'} {one.found}"
        for one in found
        if one.code == "NEED_NOT_MET"
    ]


@pytest.mark.parametrize(
    ("root", "told"),
    [
        # a permanently unknown verdict ends a step; the next branch has the earlier facts
        ({"fallback": [{"sequence": [SHUT, MAY_OPEN]}, WIPE]}, ["fallback[1] may"]),
        # a timeout during an unknown verdict; the next attempt has these facts
        (
            {"sequence": [WIPE, SHUT, MAY_OPEN], "timeout": "5s", "retry": 2},
            ["sequence[0] may"],
        ),
        ({"sequence": [WIPE, SHUT, MAY_OPEN], "timeout": "5s"}, []),
        ({"sequence": [WIPE, SHUT, {**LOOK, "save": {}}], "retry": 2}, ["sequence[0] may"]),
        ({"sequence": [WIPE, SHUT, {**LOOK, "save": {}}], "retry": 1}, []),
        # a check is repeated after the answer no
        ({"sequence": [WIPE, SHUT, {"check": "lit"}], "retry": 2}, ["sequence[0] may"]),
        ({"sequence": [WIPE, SHUT, CHECK_SHUT], "retry": 2}, []),
        ({"sequence": [WIPE, SHUT], "repeat": 2}, ["sequence[0] will"]),
        # a step may have failed after an earlier iteration or attempt had changed the fact
        ({"fallback": [{"sequence": [SHUT, LOOK], "repeat": 2}, WIPE]}, ["fallback[1] may"]),
        (
            {"fallback": [{"sequence": [{"check": "lit"}, SHUT], "repeat": 2}, WIPE]},
            ["fallback[1] may"],
        ),
        ({"sequence": [{"sequence": [SHUT], "retry": 3}, WIPE]}, ["sequence[1] will"]),
        ({"sequence": [{"fallback": [SHUT, LOOK], "retry": 3}, WIPE]}, ["sequence[1] may"]),
        ({"sequence": [SHUT, {"fallback": [{**AGAIN, "retry": 2}, WIPE]}]}, [f"{SECOND} may"]),
        ({"sequence": [SHUT, {"fallback": [{**AGAIN, "repeat": 2}, WIPE]}]}, [f"{SECOND} may"]),
        ({"sequence": [SHUT, {"fallback": [{**GOING, "repeat": 2}, WIPE]}]}, [f"{SECOND} may"]),
        (
            {"sequence": [WIPE, SHUT, {**AGAIN, "repeat": 2}], "timeout": "5s", "retry": 2},
            ["sequence[0] may"],
        ),
        (
            {"sequence": [WIPE, SHUT, {**AGAIN, "retry": 2}], "timeout": "5s", "retry": 2},
            ["sequence[0] may"],
        ),
        (
            {"sequence": [SHUT, {"fallback": [VISIT, OPEN], "retry": 2}, WIPE]},
            ["sequence[2] may"],
        ),
        # a known fact is never unknown
        ({"fallback": [{"sequence": [SHUT, {**OPEN, "skip_if": IS_SHUT}]}, WIPE]}, []),
        # a step stopped by its guard has the facts of that time
        ({"fallback": [{**LOOK, "while": GUARDED}, WIPE]}, []),
        (
            {"sequence": [SHUT, {"fallback": [{**LOOK, "while": GUARDED}, WIPE]}]},
            ["sequence[1]/fallback[1] will"],
        ),
        ({"sequence": [SHUT, {**WIPE, "while": GUARDED}]}, []),
        (
            {"fallback": [{"sequence": [SHUT, LOOK], "while": GUARDED}, WIPE]},
            ["fallback[1] may"],
        ),
        # either answer is reported, so nothing is known afterwards
        ({"sequence": [{**CHECK_SHUT, "tell": True}, WIPE]}, []),
        # branches that run at the same time
        ({"sequence": [{"parallel": [SHUT, LOOK], "succeed_when": 1}, WIPE]}, ["sequence[1] may"]),
        ({"sequence": [{"parallel": [SHUT, LOOK]}, WIPE]}, ["sequence[1] will"]),
        ({"parallel": [{"sequence": [LOOK, SHUT]}, WIPE]}, ["parallel[1] may"]),
        (
            {"parallel": [SHUT, {"sequence": [{**LOOK, "save": {}}, WIPE]}]},
            ["parallel[1]/sequence[1] may"],
        ),
        (
            {"fallback": [{"parallel": [{"sequence": [SHUT, LOOK]}, {**LOOK, "save": {}}]}, WIPE]},
            ["fallback[1] may"],
        ),
        (
            {"fallback": [{"parallel": [SHUT, {"check": "lit"}]}, WIPE]},
            ["fallback[1] may"],
        ),
    ],
)
def test_contradicted_need_is_found_in_any_possible_state(root: Any, told: list[str]) -> None:
    found = contradicted(root, {"lid": "open"})
    assert found == [f"root/{line.replace(' ', '/do ', 1)} lid=closed" for line in told]


def test_too_many_states_are_reduced_to_common_facts() -> None:
    """The visited places are unknown in the end; that the lid is closed is known."""
    visits = [
        {"fallback": [{"do": "visit", "with": {"n": str(n)}}, {"check": "lit"}]} for n in range(8)
    ]
    will = ["root/sequence[1]/do will lid=closed"]
    for work in (
        {"sequence": visits},
        {"parallel": [{"sequence": visits}, {"do": "visit", "with": {"n": "x"}}]},
    ):
        assert contradicted({"sequence": [work, WIPE]}, {"lid": "closed"}) == will
        assert contradicted({"sequence": [work, WIPE]}, {"lid": "open"}) == []


def test_parallel_check_that_contradicts_a_known_fact_cannot_hold() -> None:
    """Of two facts one is unknown, but the lid is closed: the check cannot hold."""
    both = {"check": {"all": [{"lid_is": {"state": "open"}}, "hand_empty"]}}
    root = {"parallel": [both, {"sequence": [{"do": "look"}, WIPE]}]}
    told = ["root/parallel[1]/sequence[1]/do will lid=closed"]
    assert contradicted(root, {"lid": "closed"}) == told


def ways(*told: dict[str, str]) -> frozenset[frozenset[tuple[str, str]]]:
    return frozenset(frozenset(facts.items()) for facts in told)


def test_up_to_sixty_four_states_are_kept() -> None:
    many = [{"lid": "open", "n": str(n)} for n in range(65)]
    assert limit_states(ways(*many[:64])) == ways(*many[:64])
    assert limit_states(ways(*many)) == ways({"lid": "open"})


@pytest.mark.parametrize(
    ("branches", "count", "agreed"),
    [
        ([ways({"a": "1"}, {}), ways({"a": "1"})], 2, ways({"a": "1"})),
        ([ways({"a": "1"}), ways({"b": "1"})], 1, ways({"a": "1"}, {"b": "1"})),
        # too many states were merged, and these differ: the common facts stay
        ([ways({"a": "1", "b": "1"}), ways({"a": "1"})], 2, ways({"a": "1"})),
        ([ways({"a": "1"}), ways()], 2, ways()),
        ([ways({"a": "1"}), ways({"b": "1"}), ways()], 3, ways()),
    ],
)
def test_facts_common_to_branches_are_kept(branches: Any, count: int, agreed: Any) -> None:
    assert _consistent_states(branches, count) == agreed


@pytest.mark.parametrize(
    ("known", "after"),
    [
        ({}, {"a": "1", "b": "1"}),
        ({"a": "1", "c": "1"}, {"a": "1", "b": "1", "c": "1"}),
        ({"a": "2"}, {"a": "2"}),
        ({"a": "1", "b": "2"}, {"a": "1", "b": "2"}),
    ],
)
def test_fact_checked_by_a_parallel_branch_is_used_if_consistent(known: Any, after: Any) -> None:
    assert dict(observation_change({"a": "1", "b": "1"}).apply(frozenset(known.items()))) == after


def test_parallel_branch_is_disturbed_only_by_other_branches() -> None:
    """Only the other branches act beside a branch, even if there are thousands."""
    mine, other = observation_change({"a": "1"}), observation_change({"b": "1"})
    nothing = frozenset([frozenset()])
    first, second = ConcurrentChanges().disturbances_of_branches([(mine,), (other,)])
    assert first.disturbed_states(nothing) == ways({}, {"b": "1"})
    assert second.disturbed_states(nothing) == ways({}, {"a": "1"})
    twice, _, _ = ConcurrentChanges().disturbances_of_branches([(mine,), (mine,), (other,)])
    assert {"a": "1"} in map(dict, twice.disturbed_states(nothing))


@pytest.mark.parametrize("facts", ["one fact", "many facts"])
def test_facts_that_cannot_change_are_kept_in_merged_states(facts: str) -> None:
    """This holds with and without enumeration of the states."""
    names = ["at"] * 100 if facts == "one fact" else [f"at.{n}" for n in range(100)]
    writes = [
        Change(frozenset([(name, str(n))]), frozenset([name])) for n, name in enumerate(names)
    ]
    before = frozenset([state_from_facts({"lid": "open", "at": "0", "at.7": "1"})])
    kept = {"lid": "open"} | ({"at.7": "1"} if facts == "one fact" else {"at": "0"})
    found = next(
        ConcurrentChanges().disturbances_of_branches([(), tuple(writes)])
    ).disturbed_states(before)
    assert found == ways(kept)
    few_at_first = next(
        ConcurrentChanges().disturbances_of_branches([(), tuple(writes[:60]), tuple(writes[60:])])
    )
    assert few_at_first.disturbed_states(before) == ways(kept)


@pytest.mark.parametrize(
    ("modifiers", "problems"),
    [
        ({"repeat": 2, "until": {"lid_is": {"state": "open"}}}, 0),
        ({"repeat": 2, "until": {"not": {"lid_is": {"state": "open"}}}}, 0),  # never reached
        ({"for_each": {"one": ["a"]}}, 0),
        ({"for_each": {"one": []}}, 1),
    ],
)
def test_effects_of_a_loop_follow_from_its_condition_and_items(
    modifiers: dict[str, Any], problems: int
) -> None:
    opened = {"sequence": [OPEN], **modifiers}
    assert len(of_mission({"sequence": [opened, take()]}, facts=CLOSED)) == problems
