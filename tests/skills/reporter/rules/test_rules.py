"""Each rule by itself: plan before, command, plan after."""

from __future__ import annotations

import pytest

from bt_exec.observation import Situation
from bt_exec.pack import PassContext
from bt_exec_skills.reporter.places_and_people import make_map
from bt_exec_skills.reporter.rigs import ReporterSettings
from bt_exec_skills.reporter.rules.passes_and_checkers import continue_after_failures
from bt_exec_skills.reporter.rules.place_mentions import named_places
from bt_exec_skills.reporter.rules.place_passes import (
    answer_without_moving,
    go_before_looking,
    visit_places_in_order,
)
from bt_exec_skills.reporter.rules.professor_passes import (
    move_professor_first,
    remove_professor_steps,
)
from bt_exec_skills.reporter.rules.report_passes import (
    add_report_step,
    end_with_drive_home,
    end_with_report,
    keep_failure_report_after_failure,
)

ASKS = "복도 보고 와"
HOME, TELL, SUM = "navigate basecamp", "talk_to_person user", "summarize_mission"
GO, SEE = "navigate corridor_center", "observe_scene corridor_center light"
LOUNGE, LOOK = "navigate lounge", "observe_scene lounge people"
OFFICE, ASK = "navigate professor_office", "talk_to_person professor 언제?"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([GO, SEE], [GO, SEE, HOME, TELL, SUM]),
        ([GO, SEE, SUM], [GO, SEE, HOME, TELL, SUM]),
        ([GO, SUM, SEE, SUM], [GO, SUM, SEE, HOME, TELL, SUM]),
        ([SUM], [HOME, TELL, SUM]),
        ([GO, SEE, TELL], [GO, SEE, TELL]),
        ([GO, SEE, HOME, TELL, SUM], [GO, SEE, HOME, TELL, SUM]),
    ],
)
def test_report_step_is_added_as_documented(before, after, spec, context, row):
    found, changes = add_report_step(spec(*before), context(ASKS))
    assert row(found) == row(spec(*after))
    assert bool(changes) == (before != after)
    assert add_report_step(found, context(ASKS)) == (found, ())
    assert add_report_step(spec(*before), context("복도 순찰해")) == (spec(*before), ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([GO, SEE, TELL], [GO, SEE, HOME, TELL]),
        ([HOME, TELL, GO, SEE], [GO, SEE, HOME, TELL]),
        ([GO, SEE, HOME, TELL, LOUNGE, LOOK, SUM], [GO, SEE, LOUNGE, LOOK, HOME, TELL, SUM]),
        ([GO, SEE, SUM, HOME, TELL], [GO, SEE, HOME, TELL, SUM]),
        ([GO, SUM, SEE, SUM, HOME, TELL, SUM], [GO, SEE, HOME, TELL, SUM]),
        ([GO, SEE, TELL, HOME], [GO, SEE, HOME, TELL]),
        ([GO, SEE], [GO, SEE, HOME, TELL]),
        ([GO], [GO, HOME, TELL]),
        ([TELL, SUM], [TELL, SUM]),
        # a report before the end moves with the drive home before it, and with nothing else
        ([TELL, GO, SEE], [GO, SEE, HOME, TELL]),
        ([GO, SEE, TELL, LOUNGE, LOOK], [GO, SEE, LOUNGE, LOOK, HOME, TELL]),
    ],
)
def test_report_is_the_last_step(before, after, spec, context, row):
    found, changes = end_with_report(spec(*before), context(ASKS))
    assert row(found) == row(spec(*after))
    assert bool(changes) == (before != after)
    assert end_with_report(found, context(ASKS)) == (found, ())
    assert end_with_report(spec(*before), context("복도 순찰해")) == (spec(*before), ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([GO], [GO, HOME]),
        ([GO, HOME], [GO, HOME]),
        ([HOME, GO, LOUNGE], [HOME, GO, LOUNGE, HOME]),
        ([TELL], [TELL]),
    ],
)
def test_round_trip_ends_at_the_base(before, after, spec, context, row):
    found, changes = end_with_drive_home(spec(*before), context("복도 갔다 와"))
    assert row(found) == row(spec(*after))
    assert bool(changes) == (before != after)
    assert end_with_drive_home(found, context("복도 갔다 와")) == (found, ())
    assert end_with_drive_home(spec(*before), context("복도로 가")) == (spec(*before), ())


def test_robot_returns_to_the_base_before_a_report(spec, context, row):
    found, _ = end_with_report(spec(TELL, SUM), context("알려줘", at="lounge"))
    assert row(found) == row(spec(HOME, TELL, SUM))


@pytest.mark.parametrize("command", ["오늘 있었던 일 요약해줘", "tell me what happened today"])
def test_earlier_missions_are_reported_without_driving(command, spec, context):
    plan = spec(TELL, SUM)
    assert end_with_report(plan, context(command, at="lounge")) == (plan, ())


@pytest.mark.parametrize(
    ("command", "before", "after"),
    [
        ("복도 보고 와", [OFFICE, ASK, GO, SEE], [GO, SEE]),
        ("복도 보고 와", [OFFICE, ASK], [TELL]),
        ("교수님께 여쭤봐", [OFFICE, ASK], [OFFICE, ASK]),
        ("", [OFFICE, ASK], [OFFICE, ASK]),
    ],
)
def test_plan_without_the_keyword_does_not_visit_the_professor(
    command, before, after, spec, context, row
):
    found, changes = remove_professor_steps(spec(*before), context(command))
    assert row(found) == row(spec(*after))
    assert bool(changes) == (before != after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([GO, SEE, OFFICE, ASK, HOME, TELL], [OFFICE, ASK, GO, SEE, HOME, TELL]),
        ([OFFICE, ASK, HOME, TELL], [OFFICE, ASK, HOME, TELL]),
        ([GO, "deliver_object professor 서류"], ["deliver_object professor 서류", GO]),
        ([GO, SEE], [OFFICE, "talk_to_person professor 교수님께 여쭤봐", GO, SEE]),
        ([HOME, TELL], [OFFICE, "talk_to_person professor 교수님께 여쭤봐", HOME, TELL]),
    ],
)
def test_plan_with_the_keyword_starts_with_a_visit_to_the_professor(
    before, after, spec, context, row
):
    found, changes = move_professor_first(spec(*before), context("교수님께 여쭤봐"))
    assert row(found) == row(spec(*after))
    assert bool(changes) == (before != after)
    assert move_professor_first(found, context("교수님께 여쭤봐")) == (found, ())


@pytest.mark.parametrize(
    ("command", "topic"),
    [
        ("교수님께  여쭤봐", "교수님께 여쭤봐"),
        ("$교수님께 여쭤봐", "$$교수님께 여쭤봐"),  # otherwise it would be a reference
        ("교수님 " + "x" * 600, "교수님 " + "x" * 496),
    ],
)
def test_text_of_the_command_is_the_message_to_the_professor(command, topic, spec, context):
    found, changes = move_professor_first(spec(GO, SEE), context(command))
    assert found.root.sequence[1].args["topic"] == topic
    assert changes == ("명령에 교수님이 나오므로 교수님께 먼저 갑니다",)


@pytest.mark.parametrize(
    ("left_out", "first"),
    [
        ((), True),
        (("people",), False),
        (("places",), False),
        (("people", "places"), False),
        (("map",), True),  # without a map the professor is unknown
    ],
)
def test_drive_to_the_professor_requires_a_known_place(left_out, first, spec, row, building):
    settings = building.packs["reporter"]
    if "map" in left_out:
        settings = ReporterSettings()
    people, places = dict(settings.people), dict(settings.places)
    if "people" in left_out:
        del people["professor"]
    if "places" in left_out:
        del places["professor_office"]
        people = {name: who.model_copy(update={"place": "lounge"}) for name, who in people.items()}
    settings = settings.model_copy(update={"people": people, "places": places})
    plan = spec(GO, SEE)
    found, changes = move_professor_first(plan, PassContext(Situation(), settings, "교수님께 가"))
    went = spec(OFFICE, "talk_to_person professor 교수님께 가", GO, SEE)
    assert row(found) == row(went if first else plan)
    assert bool(changes) is first


@pytest.mark.parametrize(
    ("command", "before", "after"),
    [
        ("복도랑 라운지 봐", [GO, SEE], [GO, SEE, LOUNGE, "observe_scene lounge situation"]),
        ("복도랑 라운지 봐", [LOUNGE, LOOK, GO, SEE], [GO, SEE, LOUNGE, LOOK]),
        ("복도 말고 라운지 봐", [LOUNGE, LOOK], [LOUNGE, LOOK]),
        ("look at the lounge, not the corridor", [LOUNGE, LOOK], [LOUNGE, LOOK]),
        ("라운지로 가", [LOUNGE], [LOUNGE]),
        ("라운지 갔다 와서 알려줘", [LOUNGE], [LOUNGE, "observe_scene lounge situation"]),
        ("교수님께 라운지로 오시라고 전해", [OFFICE, ASK], [OFFICE, ASK]),
        ("복도 봐", [LOUNGE, LOOK, GO, SEE], [LOUNGE, LOOK, GO, SEE]),
        (
            "라운지 갔다가 복도 들렀다가 다시 라운지로 가",
            [LOUNGE, GO, LOUNGE],
            [LOUNGE, GO, LOUNGE],
        ),
        ("복도 보고 라운지 보고 다시 복도 봐", [LOUNGE, GO], [GO, LOUNGE]),
        ("복도랑 라운지 봐", [LOUNGE, LOOK, GO, SEE, TELL], [GO, SEE, LOUNGE, LOOK, TELL]),
        ("", [LOUNGE, GO], [LOUNGE, GO]),
        ("복도 봐", [TELL, SUM], [GO, SEE.replace("light", "situation"), TELL, SUM]),
        ("오늘 복도랑 라운지에서 한 일 알려줘", [LOUNGE, GO], [LOUNGE, GO]),
    ],
)
def test_places_are_in_the_order_of_the_command(command, before, after, spec, context, row):
    found, changes = visit_places_in_order(spec(*before), context(command))
    assert row(found) == row(spec(*after))
    assert bool(changes) == (before != after)
    assert visit_places_in_order(found, context(command)) == (found, ())


def test_site_without_a_map_names_no_places(spec):
    def without_a_map(command):
        return PassContext(Situation(), ReporterSettings(), command)

    plan = spec(LOUNGE, GO)
    assert visit_places_in_order(plan, without_a_map("복도랑 라운지 봐")) == (plan, ())
    assert answer_without_moving(plan, without_a_map("오늘 한 일 알려줘"))[0] == spec(TELL)


@pytest.mark.parametrize(
    ("command", "places"),
    [
        ("화장실 앞, 휴게실 그리고 복도 중앙", "restroom_front break_room corridor_center"),
        ("the break room, the lounge and the hallway", "break_room lounge corridor_center"),
        ("휴게 라운지랑 휴게실", "lounge break_room"),
        ("복도 빼고 라운지", "lounge"),
        ("the lounge except the corridor", "lounge"),
        ("교수님 방, 기지", ""),
    ],
)
def test_places_named_in_a_command_are_found(command, places, building):
    settings = building.packs["reporter"]
    site = make_map(settings.model_copy(update={"rounds": {}}))
    assert named_places(command, site) == tuple(places.split())


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("쉼터 봐", {"lounge", "break_room"}),  # one word for both: neither hides the other
        ("쉼터랑 복도 봐", {"lounge", "break_room", "corridor_center"}),
        ("쉼터 안쪽 봐", {"restroom_front"}),  # a longer name hides the shorter one inside it
        ("안쪽 쉼터 봐", {"lounge", "break_room"}),
    ],
)
def test_longer_place_name_hides_only_shorter_names_inside_it(command, named, building):
    site = make_map(building.packs["reporter"].model_copy(update={"rounds": {}}))
    more = {"lounge": "쉼터", "break_room": "쉼터", "restroom_front": "쉼터 안쪽"}
    places = {
        name: place.model_copy(
            update={"aliases": (*place.aliases, *filter(None, [more.get(name)]))}
        )
        for name, place in site.places.items()
    }
    found = named_places(command, site.model_copy(update={"places": places}))
    assert (set(found), len(found)) == (named, len(named))


@pytest.mark.parametrize(
    ("before", "after", "at"),
    [
        ([SEE], [GO, SEE], "basecamp"),
        ([SEE], [SEE], "corridor_center"),
        ([GO, SEE, LOOK], [GO, SEE, LOUNGE, LOOK], "basecamp"),
        ([GO, "deliver_object professor x", SEE], [GO, "deliver_object professor x", GO, SEE], ""),
        ([GO, SEE], [GO, SEE], "basecamp"),
    ],
)
def test_drive_precedes_an_observation(before, after, at, spec, context, row):
    found, changes = go_before_looking(spec(*before), context("", at=at))
    assert row(found) == row(spec(*after))
    assert bool(changes) == (before != after)


@pytest.mark.parametrize(
    ("command", "before", "after"),
    [
        ("오늘 있었던 일 요약해줘", [GO, SEE, HOME, TELL, SUM], [TELL, SUM]),
        ("what happened today?", [LOUNGE, LOOK], [TELL]),
        ("오늘 있었던 일 요약해줘", [TELL, SUM], [TELL, SUM]),
        ("라운지에서 있었던 일 알려줘", [LOUNGE, LOOK], [LOUNGE, LOOK]),
        ("라운지 보고 와", [LOUNGE, LOOK], [LOUNGE, LOOK]),
    ],
)
def test_question_about_the_past_moves_nothing(command, before, after, spec, context, row):
    found, changes = answer_without_moving(spec(*before), context(command))
    assert row(found) == row(spec(*after))
    assert bool(changes) == (before != after)


def test_fail_and_report_is_removed_from_a_mission_without_failure(spec, context, row):
    bad = spec(GO, SEE, "fail_and_report 보고")
    found, changes = keep_failure_report_after_failure(bad, context(ASKS))
    assert row(found) == row(spec(GO, SEE))
    assert changes == ("실패한 임무가 아니므로 fail_and_report를 뺐습니다",)
    alone = spec("fail_and_report x")
    assert keep_failure_report_after_failure(alone, context("복도 순찰해")) == (alone, ())
    assert row(keep_failure_report_after_failure(alone, context(ASKS))[0]) == "tell user"


def test_failed_work_is_noted_and_the_mission_continues(spec, context, row):
    found, changes = continue_after_failures(
        spec(GO, SEE, OFFICE, ASK, HOME, TELL, SUM), context(ASKS)
    )
    assert row(found) == row(spec(GO, SEE, OFFICE, ASK, HOME, TELL, SUM))
    kinds = [type(step).__name__ for step in found.root.sequence]
    assert kinds == ["Fallback", "Fallback", "Fallback", "Do", "Do"]
    assert str(found.root.sequence[0].fallback[1].check) == "failure_noted"
    assert [change.partition(":")[0] for change in changes] == [
        "observe_scene",
        "talk_to_person",
        "navigate",
    ]
    assert continue_after_failures(found, context(ASKS)) == (found, ())
    assert continue_after_failures(spec(GO, SEE), context(ASKS)) == (spec(GO, SEE), ())


def test_changes_of_rules_are_described_in_the_language_of_the_command(spec, context):
    bad = spec(GO, SEE, "fail_and_report x")
    _, changes = keep_failure_report_after_failure(
        bad, context("check the corridor and report back")
    )
    assert changes == ("fail_and_report was removed, because it is only for missions that failed",)
