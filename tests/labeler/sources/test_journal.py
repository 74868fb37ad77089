"""Episodes of recorded missions, from records without a journal."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.events import SkillEnded, SkillStarting
from bt_exec.failure import Failure
from bt_exec.journal.recorded_mission import SkillRun
from bt_exec.site.site import load_site
from bt_exec_labeler.episode import Action, Episode, FileFrame, Flaw, Reply
from bt_exec_labeler.sources import journal as module
from bt_exec_labeler.sources.journal import episode_of


def look(t: float, file: str | None = None, **facts: str) -> Any:
    frame = None if file is None else Path(file)
    observation = SimpleNamespace(t=t, frame_file=frame, facts=lambda: facts)
    return SimpleNamespace(observation=observation)


def mission(**parts: Any) -> Any:
    line = SimpleNamespace(site="door", language="en")
    about = {"id": "m1", "line": line, "observations": (), "unreadable": (), "frames_dropped": 0}
    about |= {"skills": (), "command": "open the door", "outcome": None, "verdicts": ()}
    return SimpleNamespace(**{**about, "events": (), **parts})


def read(**parts: Any) -> Episode:
    return episode_of(mission(**parts), None, Path("j.sqlite"))


def run(skill: str, args: dict[str, Any], state: Any = "done", code: str = "") -> SkillRun:
    failure = Failure(code, "it slipped") if code else None
    end = SkillEnded(3.5, 0, "root", skill, 1, state, 1.0, {}, failure) if state else None
    return SkillRun(1, SkillStarting(2.0, 0, "root", skill, args, 1), end)


def test_frames_and_initial_facts_come_from_the_observations() -> None:
    looks = [
        SimpleNamespace(),
        look(-0.1, "a.png"),
        look(0.5, door="closed"),
        look(1.0, "b.png", door="open"),
    ]
    episode = read(observations=looks)
    assert episode.frames == (FileFrame(0.0, Path("a.png")), FileFrame(1.0, Path("b.png")))
    assert episode.start_facts == {"door": "closed"}
    assert (episode.id, episode.command, episode.language) == ("m1", "open the door", "en")
    assert episode.origin == {"journal": "j.sqlite", "mission": "m1", "site": "door"}
    assert (episode.flaws, episode.reply) == ((), None)


def test_gap_is_a_pause_of_more_than_two_seconds() -> None:
    shown = [look(0.0, "a.png"), look(2.0, "b.png"), look(4.1, "c.png")]
    flaws = read(observations=shown, frames_dropped=3, unreadable=("a cell",)).flaws
    assert flaws == (
        Flaw("damaged", "m1", "a cell"),
        Flaw("gap", "m1", "3 frames were dropped"),
        Flaw("gap", "c.png", "no frame between 2 s and 4.1 s"),
    )


def test_mission_without_frames_has_one_flaw() -> None:
    why = "was recorded without frames; run with --frames"
    assert read(observations=[look(0.0, door="open")], frames_dropped=3).flaws == (
        Flaw("no_frames", "m1", why),
    )


@pytest.mark.parametrize(
    ("state", "code", "wanted"),
    [
        ("done", "", Action(2.0, 3.5, "open_door", {"arm": "left"}, "done", "", {"x": "y"})),
        ("failed", "STUCK", Action(2.0, 3.5, "open_door", {"arm": "left"}, "failed", "STUCK")),
        ("stopped", "", Action(2.0, 3.5, "open_door", {"arm": "left"}, "stopped")),
        ("", "", Action(2.0, None, "open_door", {"arm": "left"}, "unknown")),
    ],
)
def test_action_has_the_effects_of_its_skill_only_on_success(
    state: str, code: str, wanted: Action, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_established_facts", lambda run, site: {"x": "y"})
    assert module._action_of_run(run("open_door", {"arm": "left"}, state, code), None) == wanted


def test_effects_are_taken_from_the_installed_skill() -> None:
    site = load_site("door")
    args = {"arm": "left", "object_label": "material"}
    found = module._established_facts(run("move_arm", args), site)
    assert found == {"at.left": "material", "doorway": "left"}
    assert module._established_facts(run("move_arm", args), None) == {}
    assert module._established_facts(run("dance", {}), site) == {}
    assert module._established_facts(run("move_arm", {"arm": "tail"}), site) == {}


def outcome(status: str, code: str, **more: Any) -> Any:
    about = {"message": "Well.", "missing": ("room",), "did_you_mean": ("a",), "nearest": ("b",)}
    return SimpleNamespace(status=status, reason_code=code, **{**about, **more})


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        ("refused", "UNKNOWN_WORDS", "refused"),
        ("refused", "OK", "refused"),
        ("satisfied", "OK", "answered"),
        ("satisfied", "HOLDS_ALREADY", "nothing_to_do"),
    ],
)
def test_mission_without_actions_has_a_reply(status: str, code: str, kind: Any) -> None:
    asked = SimpleNamespace(question="open?", verdict=SimpleNamespace(holds=True, why="seen"))
    verdicts = [asked, asked]
    for holds in (False, None):
        verdict = SimpleNamespace(holds=holds, why="dark")
        verdicts.append(SimpleNamespace(question="lit?", verdict=verdict))
    events = (SimpleNamespace(t=1.5), SimpleNamespace(t=0.5))
    checks = ("open?: yes (seen)", "lit?: no (dark)", "lit?: unknown (dark)")
    wanted = Reply(kind, code, "Well.", 1.5, ("room",), ("a", "b"), checks)
    assert read(outcome=outcome(status, code), verdicts=verdicts, events=events).reply == wanted
    assert read(outcome=outcome(status, code)).reply == Reply(
        kind, code, "Well.", 0.0, ("room",), ("a", "b")
    )


def test_mission_that_acted_or_failed_has_no_reply() -> None:
    skills = (run("return_home", {}),)
    assert read(outcome=outcome("satisfied", "OK"), skills=skills).reply is None
    assert read(outcome=outcome("failed", "STUCK")).reply is None
    assert read().reply is None


def test_site_is_loaded_once_and_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, Any] = {}
    assert module._site("nowhere", known) is None
    found = module._site("door", known)
    assert found is not None
    assert list(known) == ["nowhere", "door"]
    monkeypatch.setattr(module, "load_site", None)
    assert (module._site("door", known), module._site("nowhere", known)) == (found, None)


def test_finished_missions_are_read_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def line(name: str, ended: Any) -> Any:
        return SimpleNamespace(id=name, ended_at=ended, site="nowhere")

    opened = SimpleNamespace(
        missions=lambda limit: (
            [line("c", 1), line("b", None), line("a", 1)] if limit is None else []
        ),
        mission=lambda name: mission(id=name),
    )
    monkeypatch.setattr(module, "Journal", SimpleNamespace(open=lambda path: opened))
    assert [one.id for one in module.read_journal(Path("j.sqlite"))] == ["a", "c"]
