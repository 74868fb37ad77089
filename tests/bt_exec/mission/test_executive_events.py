"""Events of a mission, from the first one to the outcome, compared as a whole."""

from __future__ import annotations

import pytest

from bt_exec.events import Finished, MissionStarted, NodeChanged, Observed, Planned, Planning, Turn
from bt_exec.failure import PartBroken, Refusal
from bt_exec.language.meaning import Context
from bt_exec.language.meaning import Turn as Word
from bt_exec.language.messages import Messages
from bt_exec.mission.pack_reporters import Reporters
from bt_exec.mission_outcome import Ending, Outcome
from bt_exec.mission_reporter import MissionReporter
from bt_exec.pack import Pack
from bt_exec.rig import PackSettings
from bt_exec.site.site import Limits
from bt_exec.skill import Running, Steps, skill
from bt_exec.testing import scripted_condition, scripted_skill
from tests.bt_exec.mission.misbehaving_ground import raise_as_watchdog

THREE = "tree: t\nroot: {sequence: [{do: b, name: one}, {do: b, skip_if: c}, {do: a}]}"


def three_parts():
    """Return parts of which the second is skipped and the third fails once."""
    return [
        scripted_skill("a", [("2", "SLIPPED"), ("1", "done")]),
        scripted_condition("c", [True], skip_reason="already so"),
        scripted_skill("b"),
    ]


def test_mission_planned_twice_has_the_expected_events(stage):
    on = stage(three_parts(), THREE, perception_workers=True, executive={"mission_id": "m-1"})
    on.run()
    assert on.told() == [
        "10 0 MissionStarted m-1 go en test",
        "10 0 Observed test {'picture': '1'}",
        "10 0 FactsKnown start {'picture': '1'}",
        "10 0 Planning fixed",
        "10 0 Planned 1",
        "10 1 SkillStarting one b 1",
        "10 1 SkillEnded one b 1 done 0",
        "10 1 NodeChanged one done",
        "10 1 Asked b skip_if c True",
        "10 1 NodeChanged b skipped already so",
        "10 1 SkillStarting a a 1",
        "10 1 Progress a 0.0 running",
        "10 1 NodeChanged a running",
        "10 1 NodeChanged sequence running",
        "10.1 2 Progress a 0.5 running",  # a state is reported once, not at each tick
        "10.2 3 SkillEnded a a 1 failed 0.2 SLIPPED",
        "10.2 3 NodeChanged a failed as the script says SLIPPED",
        "10.2 3 NodeChanged sequence failed as the script says SLIPPED",
        "10.2 3 Observed test {'picture': '2'}",  # a new observation before replanning
        "10.2 3 Planning fixed SLIPPED",
        "10.2 3 Planned 1",
        "10.2 3 NodeChanged one kept",
        "10.2 3 NodeChanged b kept",
        "10.2 4 SkillStarting a a 2",
        "10.2 4 Progress a 0.0 running",
        "10.2 4 NodeChanged a running",
        "10.2 4 NodeChanged sequence running",
        "10.3 5 SkillEnded a a 2 done 0.1",
        "10.3 5 NodeChanged a done",
        "10.3 5 NodeChanged sequence done",
        "10.3 5 Observed test {'picture': '3'}",  # the final message uses the current state
        "10.3 5 FactsKnown end {'picture': '3'}",
        "10.3 5 Finished satisfied OK",
    ]


def test_outcome_contains_failures_counts_and_messages(stage):
    on = stage(three_parts(), THREE, executive={"mission_id": "m-1", "journal": "a/j.sqlite"})
    found = on.run()
    (failure,) = found.failures
    assert (failure["code"], failure["path"], failure["message"]) == (
        *("SLIPPED", "a", "as the script says"),
    )
    assert found == Outcome(
        "m-1",
        "go",
        "satisfied",
        "OK",
        "OK",
        planner_calls=2,
        replans=1,
        plan_version=2,
        ticks=5,
        sim_seconds=0.3,
        wall_seconds=found.wall_seconds,
        skipped=({"name": "b", "reason": "already so"},),
        failures=(failure,),
        journal="a/j.sqlite",
    )
    assert on.events[-1] == Finished(10.3, 5, found)


def test_wall_time_is_in_seconds_from_the_start(stage, monkeypatch):
    times = iter([100.0, 102.34567])
    on = stage([scripted_skill("a")])

    class Wall:
        @staticmethod
        def monotonic() -> float:
            return next(times)

    monkeypatch.setattr("bt_exec.mission.executive.time", Wall)
    on.executive._planner.plan = lambda request: refused()
    assert on.run().wall_seconds == 2.346


def refused():
    """Return the outcome of a refused mission; only the mission reads the wall clock."""
    refusal = Refusal(
        "NO", "No.", ("go",), did_you_mean=("go on",), missing=("cup",), question="Where?"
    )
    return Ending("refused", "NO", refusal=refusal, problems=("what",))


def test_refusal_is_the_outcome_without_a_plan(stage):
    on = stage([scripted_skill("a")], pack={"reporter": Reporter})
    on.executive._planner.plan = lambda request: refused()
    found = on.run("hm")
    assert found == Outcome(
        "",
        "hm",
        "refused",
        "NO",
        "No.",
        wall_seconds=found.wall_seconds,
        nearest=("go",),
        problems=("what",),
        did_you_mean=("go on",),
        missing=("cup",),
        question="Where?",
    )
    assert on.told() == [
        "10 0 MissionStarted hm en test",
        "10 0 FactsKnown start {}",
        "10 0 FactsKnown end {}",
        "10 0 Finished refused NO",
    ]


def telling(said):
    """Return a reporter whose robot said something to the operator."""

    class Tells(MissionReporter):
        def operator_messages(self):
            return said

    return Tells


class Reporter(MissionReporter):
    """Reporter that describes the current view."""

    def turn_report(self, view):
        return {
            "next": view.next_action.name if view.next_action else "",
            "status": view.status,
            "code": view.reason_code,
            "said": view.message,
            "failed": view.failure.code if view.failure else "",
        }


def test_turn_is_reported_before_each_skill_and_at_the_end(stage):
    on = stage([scripted_skill("a", ["done"])], pack={"reporter": Reporter})
    on.run()
    turns = [(event.t, event.tick, event.report) for event in on.events if isinstance(event, Turn)]
    going = {"next": "a", "status": "in_progress", "code": "OK", "said": "", "failed": ""}
    ended = {"next": "", "status": "satisfied", "code": "OK", "said": "OK", "failed": ""}
    assert turns == [(10.0, 1, going), (10.0, 1, ended)]


def test_last_turn_names_the_failure_that_ended_the_mission(stage):
    on = stage([scripted_skill("a", ["crash"])], pack={"reporter": Reporter})
    outcome = on.run()
    assert [event.report for event in on.events if isinstance(event, Turn)][-1] == {
        "next": "",
        "status": "failed",
        "code": "SKILL_CRASHED",
        "said": outcome.message,
        "failed": "SKILL_CRASHED",
    }


@pytest.mark.parametrize(
    ("command", "language", "expected"),
    [("go", "", "en"), ("가", "", "ko"), ("go", "ko", "ko"), ("가", "en", "en")],
)
def test_language_defaults_to_that_of_the_command(stage, command, language, expected):
    on = stage([scripted_skill("a")])
    on.run(command, language)
    (started,) = (event for event in on.events if isinstance(event, MissionStarted))
    assert started == MissionStarted(
        10.0,
        0,
        "",
        command,
        expected,
        "test",
        {"packs": {"test": {}}, "compiler": {"name": "offline", "of": {}}},
    )
    assert on.compiler.requests[0].language == expected


@pytest.mark.parametrize(
    ("script", "told", "expected"),
    [
        (["done"], "I am home.", "I am home."),
        (["crash"], "I am lost.", "SKILL_CRASHED I am lost."),
        (["crash"], "", "SKILL_CRASHED"),
        (["done"], "  ", "OK"),
    ],
)
def test_speech_of_the_robot_precedes_a_success_and_follows_a_failure(
    stage, script, told, expected
):
    on = stage([scripted_skill("a", script)], pack={"reporter": telling(told)})
    on.site.messages.explain_failure = lambda failure, language: failure.code
    assert on.run().message == expected


def test_speech_of_several_robots_is_joined_in_one_line(stage):
    on = stage([scripted_skill("a")])
    said = ["Here. ", "", " There."]
    packs = [Pack(f"p{n}", reporter=telling(text)) for n, text in enumerate(said)]
    on.executive._reporters = Reporters(packs, {})
    assert on.run().message == "Here. There."


def test_node_kept_from_an_earlier_plan_is_reported_once(stage):
    on = stage(three_parts(), THREE)
    on.run()
    after = on.events[max(n for n, e in enumerate(on.events) if isinstance(e, Planned)) :]
    kept = [e.state for e in after if isinstance(e, NodeChanged) and e.path in ("one", "b")]
    assert kept == ["kept", "kept"]


def test_listeners_are_called_in_order_and_a_failing_one_is_logged_once(stage, caplog):
    heard = []

    class Listens:
        def __init__(self, name):
            self.name = name

        def on(self, event):
            heard.append((self.name, type(event)))

    class Broken:
        calls = 0

        def on(self, event):
            self.calls += 1
            raise ValueError("no ears")

    broken = [Broken(), Broken()]
    on = stage([scripted_skill("a")], executive={"listeners": [Listens(1), *broken, Listens(2)]})
    assert on.run().status == "satisfied"
    assert heard[:2] == [(1, MissionStarted), (2, MissionStarted)]
    assert [kind for name, kind in heard if name == 1] == [k for name, k in heard if name == 2]
    assert caplog.messages == ["Broken missed an event: no ears"] * 2  # once for each of them
    assert broken[0].calls == broken[1].calls == len(heard) / 2


def test_compile_request_contains_all_known_facts(stage):
    exchanges = []
    on = stage(
        three_parts(), THREE, perception_workers=True, executive={"record": exchanges.append}
    )
    on.run("go", "ko")
    first, second = on.compiler.requests
    assert (first.command, first.language, first.catalogue) == ("go", "ko", on.site.catalogue)
    assert (first.library, first.messages) == (on.site.library, on.site.messages)
    assert (first.settings, first.record) == ({"test": PackSettings()}, exchanges.append)
    assert (first.situation.labels, first.situation.facts) == (("thing",), {"picture": "1"})
    assert (first.previous, first.failure, first.done, first.tried) == (None, None, (), ())
    assert second.situation.facts == {"picture": "2"}
    assert second.previous == next(e.spec for e in on.events if isinstance(e, Planned))
    assert second.failure.code == "SLIPPED"
    assert [(done.path, done.skipped) for done in second.done] == [("one", ""), ("b", "already so")]
    assert second.tried == (second.failure,)
    assert second.settings == {"test": PackSettings()}


def test_final_message_uses_the_facts_of_the_newest_observation(stage, tmp_path):
    words = tmp_path / "words.yaml"
    words.write_text("'picture=2': {en: 'The second picture.', ko: 둘}\nOK: {en: Done., ko: 끝.}\n")
    skill = scripted_skill("a", effects={"picture": "2"})
    on = stage([skill], perception_workers=True)
    messages = Messages.load([words])
    object.__setattr__(on.site, "messages", messages)
    assert on.run().message == "The second picture."


@pytest.mark.parametrize(("verdict", "code"), [(True, "ALREADY_SO"), (False, "OK")])
def test_reason_code_of_a_mission_without_actions_is_the_skip_reason(stage, verdict, code):
    tree = "tree: t\nroot: {do: a, skip_if: c}"
    so = scripted_condition("c", [verdict], skip_reason="already so")
    outcome = stage([scripted_skill("a"), so], tree).run()
    assert (outcome.status, outcome.reason_code) == ("satisfied", code)


def test_planning_event_contains_the_failure_that_caused_it(stage):
    on = stage(three_parts(), THREE)
    on.run()
    asked = [event.failure for event in on.events if isinstance(event, Planning)]
    assert [failure and failure.code for failure in asked] == [None, "SLIPPED"]


def test_mission_time_is_rounded_to_milliseconds(stage):
    on = stage([scripted_skill("a", [("3", "done")])])
    on.executive.clock.period_s = 0.10006
    assert on.run().sim_seconds == 0.3


def test_pending_stop_is_executed_before_the_first_observation(stage):
    order = []
    on = stage([scripted_skill("a")], perception_workers=True)
    step, capture = on.simulation.step, on.camera.capture
    on.simulation.step = lambda seconds: (order.append(seconds), step(seconds))
    on.camera.capture = lambda: (order.append("look"), capture())[1]
    on.run()
    assert order == [0.0, "look", 0.0, "look"]  # and again before the first tick of a plan


def test_observations_continue_between_ticks(stage):
    @skill()
    def a(world) -> Steps:
        """Wait for four ticks."""
        for _ in range(4):
            situation.append(world.observation.facts()["picture"])
            yield Running()

    situation = []
    on = stage([a], perception_workers=True)
    on.run()
    # a picture taken after a tick is available at the next one
    assert situation == ["1", "1", "2", "3"]
    assert on.told(Observed) == [
        "10 0 Observed test {'picture': '1'}",
        "10.2 2 Observed test {'picture': '2'}",
        "10.3 3 Observed test {'picture': '3'}",
        "10.4 4 Observed test {'picture': '4'}",
        "10.4 5 Observed test {'picture': '5'}",
    ]


def test_unreadable_facts_are_omitted_at_the_end(stage, caplog):
    answers = iter([{"door": "closed"}])
    skill = scripted_skill("a", effects={"door": "open"})
    on = stage([skill], rig={"facts": lambda: next(answers)})
    outcome = on.run()
    assert (outcome.status, outcome.message) == ("satisfied", "OK")
    assert caplog.messages == [
        "the effects of the plan could not be checked",
        "a robot could not report its facts",
    ]


def hanging(method: str, code: str = "STEP_HUNG"):
    """Return a reporter that fails at the end of a mission with an error of the watchdog."""

    def broken(self, *view):
        if not view or view[0].status != "in_progress":
            raise_as_watchdog(PartBroken("the reporter of test", "hangs", code))

    return type("Broken", (MissionReporter,), {method: broken})


@pytest.mark.parametrize(
    ("method", "code", "script", "reason", "failures"),
    [
        ("operator_messages", "STEP_HUNG", "done", "STEP_HUNG", ["STEP_HUNG"]),
        # only the message of the reporter is lost
        ("operator_messages", "PART_BROKEN", "done", "OK", []),
        # the first failure is kept
        ("operator_messages", "STEP_HUNG", "crash", "SKILL_CRASHED", ["SKILL_CRASHED"]),
        # the last report is lost, the outcome is not changed
        ("turn_report", "STEP_HUNG", "done", "OK", []),
    ],
)
def test_part_that_hangs_at_the_end_fails_a_mission_that_has_not_failed_yet(
    stage, caplog, method, code, script, reason, failures
):
    on = stage([scripted_skill("a", [script])], pack={"reporter": hanging(method, code)})
    found = on.run()
    assert (found.reason_code, [one["code"] for one in found.failures]) == (reason, failures)
    assert "the final report failed" in caplog.messages
    assert on.told()[-1].endswith(f"Finished {found.status} {reason}")


def test_first_of_several_parts_that_hang_at_the_end_is_reported(stage):
    on = stage([scripted_skill("a", ["SLIPPED"])], limits=Limits(replans=0))
    broken = iter([PartBroken(f"part {n}", "hangs", "STEP_HUNG") for n in (1, 2)])

    def hangs(*_):
        raise next(broken)

    on.executive._reporters.operator_messages = on.executive._perception_loop.old_facts = hangs
    found = on.run()
    assert [one["message"] for one in found.failures] == ["as the script says", "part 1 hangs"]
    assert found.failures[-1].get("cause") is None
    assert (found.status, found.reason_code) == ("failed", "STEP_HUNG")


def test_conversation_is_passed_to_the_compiler(stage):
    said = Context((Word("go", "satisfied"),))
    for given, expected in ((said, said), (None, Context())):
        on = stage(three_parts(), THREE, executive={"context": given})
        on.run()
        assert [request.context for request in on.compiler.requests] == [expected] * 2
