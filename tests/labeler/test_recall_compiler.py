from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bt_exec.failure import Failure, Refusal, UsageError
from bt_exec.planning.compiler import Plan, Request
from bt_exec.site.site import load_site
from bt_exec.spec.model import Do, Sequence
from bt_exec_labeler import cli_commands
from bt_exec_labeler.recall_compiler import (
    Recalled,
    RecallingCompiler,
    _distinct_actions,
    _similarity,
    _tree,
    _words,
    create,
    load_recalled_missions,
)
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.testing.toy_game_episodes import make_game

MISSIONS = tuple(
    Recalled(name, command, frozenset(command.split()), goals)
    for name, command, goals in (
        ("m1", "open the door", (("open_door", {"arm": "left", "object_label": "door"}),)),
        ("m2", "go home", (("return_home", {}),)),
        (
            "m3",
            "문을 닫고 팔 접어",
            (("close_door", {"arm": "left", "object_label": "door"}), ("return_home", {})),
        ),
    )
)


@pytest.fixture
def ask() -> Callable[[str, str], Plan | Refusal]:
    site = load_site("door")

    def compile_for(command: str, language: str = "en") -> Plan | Refusal:
        request = Request(command, language, site.catalogue, site.library, site.messages)
        return RecallingCompiler(MISSIONS).compile(request)

    return compile_for


def test_plan_of_a_similar_command_is_reused_and_must_be_confirmed(
    ask: Callable[..., Plan | Refusal],
) -> None:
    plan = ask("Open the door!")
    assert isinstance(plan, Plan)
    assert isinstance(plan.spec.root, Do)
    assert plan.spec.root.do == "open_door"
    assert plan.unconfirmed == "This is what mission m1 did for “open the door”."
    korean = ask("팔 접어 문을 닫고", "ko")
    assert isinstance(korean, Plan)
    assert isinstance(korean.spec.root, Sequence)
    assert "수행했던 임무 m3" in korean.unconfirmed


def test_command_without_a_similar_mission_is_refused_with_the_nearest_ones(
    ask: Callable[..., Plan | Refusal],
) -> None:
    refusal = ask("please never open the wooden door for anybody")
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.nearest) == ("NOT_RECALLED", ("open the door",))
    assert refusal.message == "I remember no mission with a similar command."
    nothing = ask("날아가", "ko")
    assert isinstance(nothing, Refusal)
    assert nothing.message == "기억하는 임무 중에 이와 비슷한 명령이 없습니다."
    assert nothing.nearest == ()


def test_differing_facts_lower_the_similarity() -> None:
    found = Recalled("m", "", frozenset(), (), {"door": "open", "hand": "free", "light": "on"})
    assert found.fact_agreement({"door": "open", "hand": "full"}) == 0
    assert found.fact_agreement({"door": "open", "hand": "free", "seen": "yes"}) == 2
    assert found.fact_agreement({"door": "closed", "hand": "full"}) == -2


def test_earlier_plan_without_a_failure_is_not_repaired() -> None:
    site, compiler = load_site("door"), RecallingCompiler(MISSIONS)
    request = Request("go home", "en", site.catalogue, site.library, site.messages)
    first = compiler.compile(request)
    assert isinstance(first, Plan)
    assert compiler.compile(replace(request, previous=first.spec)) == first


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a game without failures, and both kinds of sets of it."""
    folder = tmp_path_factory.mktemp("sets")
    game = make_game(folder / "game", episodes=3, seed=0)
    words = game / "vocabulary.yaml"
    for role in ("planner", "controller"):
        cli_commands.run(game, words, folder / f"run_{role}", labeler="rules", role=role)
        about = (folder / f"run_{role}", game, words, folder / role)
        cli_commands.dataset(*about, keep_uncertain=True)
    return folder


def test_only_missions_of_the_training_split_are_recalled_with_their_actions(sets: Path) -> None:
    splits = json.loads((sets / "run_planner" / "splits.json").read_text())
    found = {mission.episode: mission for mission in load_recalled_missions(sets / "planner")}
    assert set(found) == {name for name, split in splits.items() if split == "train"}
    for episode in read_source(sets / "game"):
        if episode.id in found:
            done = tuple((action.op, dict(action.args)) for action in episode.actions)
            facts = dict(episode.start_facts)
            assert found[episode.id] == Recalled(
                episode.id, episode.command, frozenset(episode.command.split()), done, facts
            )
    compiler = create({"dataset": str(sets / "planner"), "alike": 1})
    assert isinstance(compiler, RecallingCompiler)
    assert (compiler.missions, compiler.alike) == (tuple(found.values()), 1)


def test_recalling_compiler_refuses_a_controller_set(sets: Path) -> None:
    with pytest.raises(UsageError, match="controller is not a planner set: "):
        load_recalled_missions(sets / "controller")


def test_failed_part_of_a_recalled_plan_is_repaired(ask: Callable[..., Plan | Refusal]) -> None:
    site = load_site("door")
    first = ask("open the door")
    assert isinstance(first, Plan)
    failure = Failure("STUCK", path="open_door", node="open_door", args={"arm": "left"})
    request = Request("open the door", "en", site.catalogue, site.library, site.messages)
    again = RecallingCompiler(MISSIONS).compile(
        replace(request, previous=first.spec, failure=failure)
    )
    assert isinstance(again, Plan)
    assert again.unconfirmed == ""
    assert again.spec.mission.compiler == "recalled"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "setting 'dataset'"),
        ({"dataset": "x", "alike": 2}, "setting 'alike'"),
        ({"dataset": "nowhere"}, "contains no planner set"),
    ],
)
def test_wrong_settings_are_refused(
    settings: dict[str, object], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=said):
        create(settings)


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [("", "", 0.0), ("a", "", 0.0), ("a", "b", 0.0), ("a b", "b c", 1 / 3), ("A, b!", "b a", 1.0)],
)
def test_similarity_is_the_share_of_common_words(one: str, other: str, share: float) -> None:
    assert _similarity(_words(one), _words(other)) == share


def test_goals_of_several_moments_are_recalled_once() -> None:
    def row(*goals: tuple[str, dict[str, str]]) -> dict[str, str]:
        said = [{"op": op, "args": args} for op, args in goals]
        return {"plan_json": json.dumps({"short_goal_dsl": said})}

    go, other = ("go", {"to": "a"}), ("go", {"to": "b"})
    assert _distinct_actions([row(go, other), row(other), row(other, go), row()]) == (go, other, go)
    assert _tree((go,)) == {"do": "go", "with": {"to": "a"}}
    assert _tree((("rest", {}), go)) == {
        "sequence": [{"do": "rest"}, {"do": "go", "with": {"to": "a"}}]
    }
