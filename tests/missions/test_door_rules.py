"""Rule table of the door, row by row: actions, outcome and turn reports."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bt_exec.mission.session import Session
from tests.cases import cases

pytestmark = pytest.mark.sampled

_spec = importlib.util.spec_from_file_location("contract", Path(__file__).with_name("contract.py"))
contract = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(contract)

OPEN, CLOSE = "Open the door.", "Close the door."
GET = "Get the material inside the door."
FETCH = ["move_arm", "grasp", "close_door", "return_home"]

ROWS = {
    "open, open": (OPEN, "open", "present", [], "satisfied", "ALREADY_OPEN"),
    "open, closed": (OPEN, "closed", "present", ["open_door"], "satisfied", "OK"),
    "open, ajar": (OPEN, "ajar", "present", ["open_door"], "satisfied", "OK"),
    "close, closed": (CLOSE, "closed", "present", [], "satisfied", "ALREADY_CLOSED"),
    "close, open": (CLOSE, "open", "present", ["close_door"], "satisfied", "OK"),
    "close, ajar": (CLOSE, "ajar", "present", ["close_door"], "satisfied", "OK"),
    "get, closed": (GET, "closed", "present", ["open_door", *FETCH], "satisfied", "OK"),
    "get, ajar": (GET, "ajar", "present", ["open_door", *FETCH], "satisfied", "OK"),
    "get, open, seen": (GET, "open", "present", FETCH, "satisfied", "OK"),
    "get, open, not seen": (
        (GET, "open", "absent", [], "blocked", "MATERIAL_NOT_VISIBLE_AFTER_OPEN")
    ),
    "get, closed, not seen": (
        (GET, "closed", "absent", ["open_door"], "blocked", "MATERIAL_NOT_VISIBLE_AFTER_OPEN")
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_mission_has_the_actions_and_outcome_of_its_rule_table_row(known, row):
    command, door, material, actions, status, reason = ROWS[row]
    ran = known(command, door=door, material=material, seed=11)
    assert (ran.actions, ran.outcome.status, ran.outcome.reason_code) == (actions, status, reason)
    assert ran.outcome.planner_calls == 1
    turns = contract.check_turns(ran.turns, fetch=command == GET)
    assert [t["next_action"]["name"] for t in turns if t["next_action"]] == actions
    last = turns[-1]["goal_status"]
    assert (last["status"], last["reason_code"]) == (status, reason)
    if command == GET and door == "open":
        skipped = {"skipped": {"name": "open_door", "reason": "already open"}}
        assert turns[-1]["skip_log"] == [skipped]
    if "ALREADY" in reason:
        name, state = ("open_door", "open") if command == OPEN else ("close_door", "closed")
        assert turns[0]["skip_log"] == [{"skipped": {"name": name, "reason": f"already {state}"}}]


@pytest.mark.parametrize("command", [OPEN, CLOSE, GET])
def test_uncertain_door_is_observed_again_and_then_blocks(run_door, command):
    ran = run_door(command, door="closed", fault="dark", seed=11)
    assert (ran.outcome.status, ran.outcome.reason_code) == ("blocked", "UNCERTAIN_PERCEPTION")
    assert ran.actions == []
    turns = contract.check_turns(ran.turns, fetch=command == GET)
    assert turns[0]["goal_status"]["status"] == "in_progress"
    assert turns[0]["door_state_estimation"]["state"] == "uncertain"
    assert turns[-1]["stop_signal"]["reason_code"] == "UNCERTAIN_PERCEPTION"


def test_material_stays_in_the_hand_while_the_door_is_closed(known):
    ran = known(GET, door="closed", material="present", seed=11)
    assert ran.facts["hand.right"] == "material"
    assert ran.facts["door"] == "closed"


@pytest.mark.parametrize(
    ("command", "door", "answer"),
    [
        ("is the door open?", "open", "Yes. The door is open."),
        ("is the door open?", "closed", "No. The door is closed."),
        ("문 열려 있니?", "ajar", "아니요. 문이 조금 열려 있습니다."),
        ("where is the material?", "open", "The material is in view."),
        ("자재 어디 있어?", "open", "자재가 보입니다."),
        ("what is in your left hand?", "closed", "The left hand holds nothing."),
        ("왼손에 뭐 있어?", "closed", "왼손에 아무것도 없습니다."),
        ("오른손 비었어?", "closed", "오른손에 아무것도 없습니다."),
    ],
)
def test_questions_are_answered_without_moving(run_door, command, door, answer):
    ran = run_door(command, door=door, seed=3)
    assert (ran.actions, ran.outcome.status, ran.outcome.message) == ([], "satisfied", answer)
    contract.check_turns(ran.turns, fetch=False)


@pytest.mark.parametrize("command", ["Don't open the door", "창문 열어", "", "Open the fridge"])
def test_refused_command_moves_nothing(run_door, command):
    ran = run_door(command, seed=3)
    assert (ran.outcome.status, ran.outcome.exit_code, ran.actions) == ("refused", 5, [])
    assert ran.turns == []


@pytest.mark.slow
def test_both_commands_of_a_sequence_are_done(run_door):
    ran = run_door("문을 열고 나서 다시 닫아 줘", seed=7)
    assert ran.actions == ["open_door", "close_door"]
    assert ran.facts["door"] == "closed"


def test_failed_grasp_causes_a_replan_without_opening_again(run_door):
    ran = run_door(GET, seed=2, faults=["grasp:1=GRASP_SLIPPED"])
    assert (ran.outcome.status, ran.outcome.planner_calls, ran.outcome.replans) == (
        "satisfied",
        2,
        1,
    )
    assert ran.actions.count("open_door") == 1
    contract.check_turns(ran.turns, fetch=True)


SKILLS = {
    "open_door": "DOOR_STUCK",
    "move_arm": "UNREACHABLE",
    "grasp": "GRASP_SLIPPED",
    "close_door": "DOOR_STUCK",
    "return_home": "UNREACHABLE",
}


@pytest.mark.parametrize("skill", SKILLS)
def test_permanent_fault_blocks_the_mission_within_the_budget(run_door, skill):
    door = "closed" if skill == "open_door" else "open"  # so that no other skill is needed first
    ran = run_door(GET, seed=2, door=door, faults=[f"{skill}={SKILLS[skill]}"])
    found = ran.outcome
    assert (found.status, found.reason_code) == ("blocked", "SKILL_FAILED")
    assert found.replans <= 3
    assert SKILLS[skill] in {failure["code"] for failure in found.failures}
    turns = contract.check_turns(ran.turns, fetch=True)
    assert turns[-1]["goal_status"]["message"]


@pytest.mark.parametrize(("code", "args"), [("UNREACHABLE", ("arm", "left"))])
def test_alternatives_of_the_library_are_used_after_failures(run_door, code, args):
    ran = run_door(OPEN, seed=2, faults=[f"open_door:1={code}"])
    assert ran.outcome.status == "satisfied"
    starts = [e for e in ran.events if type(e).__name__ == "SkillStarting"]
    assert starts[-1].args[args[0]] == args[1]


@pytest.mark.slow
def test_same_seed_world_and_command_give_the_same_ticks(run_door, known):
    world = {"door": "closed", "material": "present", "seed": 11}

    def trace(ran):
        return [
            (type(e).__name__, e.t, e.tick, getattr(e, "path", ""), getattr(e, "state", ""))
            for e in ran.events
        ]

    assert trace(known(GET, **world)) == trace(run_door(GET, **world))


commands = st.sampled_from(
    [
        OPEN,
        CLOSE,
        GET,
        "문 열어 줘",
        "문 닫아",
        "자재 가져와",
        "is the door open?",
        "open the door with your left arm",
        "왼팔로 문을 닫아 주세요",
        "open the door and then close it",
    ]
)
worlds = st.fixed_dictionaries(
    {
        "door": st.one_of(
            st.sampled_from(["closed", "ajar", "open"]),
            st.floats(0, 1.5).map(lambda angle: f"{angle:.2f}"),
        ),
        "material": st.sampled_from(["present", "absent"]),
        "seed": st.integers(0, 10_000),
        "fault": st.sampled_from(["none", "none", "jammed", "slippery", "dark", "frozen"]),
    }
)


def check_any(run_door, command, world):
    ran = run_door(command, **world)
    fetch = "material" in command.lower() or "자재" in command
    turns = contract.check_turns(ran.turns, fetch=fetch)
    found = ran.outcome
    assert found.status in ("satisfied", "blocked")
    assert found.planner_calls == 1 + found.replans
    assert [t["next_action"]["name"] for t in turns if t["next_action"]] == ran.actions
    if world["material"] == "absent":
        assert "material" not in (ran.facts["hand.left"], ran.facts["hand.right"])
    if found.status == "satisfied" and fetch:
        assert ran.facts["hand.right"] == "material"


@pytest.mark.slow
@given(command=commands, world=worlds)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_turn_reports_satisfy_their_rules(run_door, command, world):
    check_any(run_door, command, world)


@pytest.mark.slow
@pytest.mark.timeout(900)
@given(command=commands, world=worlds)
@settings(max_examples=cases(80, 30), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_turn_reports_satisfy_their_rules_in_many_worlds(run_door, command, world):
    check_any(run_door, command, world)


def test_both_clocks_give_the_same_ticks(door_site):
    """Real time waits for the wall clock, lockstep does not. The events are the same."""

    def trace(fast):
        ears = []

        class Ears:
            def on(self, event):
                ears.append((type(event).__name__, event.t, event.tick, getattr(event, "path", "")))

        world = {"door": "ajar", "seed": "8"}
        with Session(door_site, world=world, fast=fast, listeners=[Ears()]) as session:
            outcome = session.run("Is the door open?")
        return ears, outcome.ticks, outcome.sim_seconds, outcome.message

    assert trace(fast=True) == trace(fast=False)


@pytest.mark.slow
@pytest.mark.parametrize("slips", ["grasp:1=GRASP_SLIPPED", "move_arm:1=BLOCKED"])
@pytest.mark.parametrize(
    "command",
    [
        "if the door is ajar, open it wide and get the material",
        "if the door is ajar, open it wide and get the material, otherwise bring your arms home",
        "문이 조금 열려 있으면 활짝 열고 자재를 가져와",
    ],
)
def test_replan_does_not_ask_again_whether_an_entered_condition_holds(command, slips):
    world = {"door": "ajar", "material": "present"}
    with Session("door", world=world, fast=True, faults=[slips]) as session:
        outcome = session.run(command)
        assert outcome.status == "satisfied"
        assert session.facts()["hand.right"] == "material"
