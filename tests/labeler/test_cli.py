"""Commands of the labeler on a recorded game and on a journal of real missions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bt_exec.cli.app import run_command_line
from bt_exec.failure import UsageError
from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from bt_exec_labeler import cli
from bt_exec_labeler.options import settings_of
from bt_exec_labeler.sources import read_source


def typed(capsys: pytest.CaptureFixture[str], *words: Any) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run_command_line(["label", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


def test_toy_game_is_labelled_and_exported_as_a_training_set(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, out = game / "vocabulary.yaml", tmp_path / "run"
    code, said, _ = typed(capsys, "check", game, "-v", words)
    assert code == 0
    assert said.splitlines()[-1].startswith("2 episodes, ")
    assert "flawed" not in said
    code, said, _ = typed(capsys, "run", game, "-v", words, "-o", out, "--json")
    told = json.loads(said)
    assert (code, told["left"], told["stopped"]) == (0, 0, "")
    assert told["records"] == told["items"] > 50
    assert "lines" not in told
    assert typed(capsys, "run", game, "-v", words, "-o", out)[0] == 2  # --resume is missing
    code, said, _ = typed(capsys, "report", out, "-v", words, "--source", game)
    assert code == 0
    assert "for review" in said
    assert "0 of them between splits" not in said
    assert "! no records for" in said  # two episodes are too few for three splits
    assert "uncertainty mid       0   0.0 %" in said
    code, said, _ = typed(
        capsys, "dataset", out, "--source", game, "-v", words, "-o", tmp_path / "set"
    )
    assert code == 0
    assert (tmp_path / "set" / "README.md").is_file()
    about = ("--source", game, "-v", words, "-o", tmp_path / "robot", "--format", "lerobot")
    assert typed(capsys, "dataset", out, *about, "--lerobot", "0.4")[0] == 0
    assert "LeRobot 0.4" in (tmp_path / "robot" / "README.md").read_text()


def test_records_can_be_reviewed_locally_and_in_label_studio(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, out = game / "vocabulary.yaml", tmp_path / "run"
    assert typed(capsys, "run", game, "-v", words, "-o", out)[0] == 0
    about = ("--source", game, "-v", words)
    code, said, _ = typed(capsys, "export", out, *about, "-o", tmp_path / "studio", "--json")
    assert code == 0
    tasks = json.loads((tmp_path / "studio" / "tasks.json").read_text())
    assert json.loads(said)["tasks"] == len(tasks) >= 10
    chosen = {"from_name": "decision", "to_name": "about", "type": "choices"}
    result = [{**chosen, "value": {"choices": ["accept"]}}]
    export = [
        {"data": task["data"], "annotations": [{"completed_by": 7, "result": result}]}
        for task in tasks
    ]
    (tmp_path / "export.json").write_text(json.dumps(export))
    for taken in (len(tasks), 0):  # nothing new at the second time
        code, said, _ = typed(capsys, "import", out, tmp_path / "export.json", *about, "--json")
        assert (code, json.loads(said)["taken"]) == (0, taken)
    code, _, err = typed(capsys, "review", out, *about, "-r", "ann", "--language", "fr")
    assert (code, "language" in err) == (2, True)
    code, said, _ = typed(capsys, "report", out, "-v", words)
    assert code == 0
    assert f"reviewed by studio-7: accept {len(tasks)}" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check", "nowhere"), "there is no such file or folder"),
        (("run", "GAME", "-o", "OUT", "--role", "actor"), "role"),
        (("run", "GAME", "-o", "OUT", "-l", "ruler"), "rules"),
        (("run", "GAME", "-o", "OUT", "-s", "items"), "write KEY=VALUE"),
        (("run", "GAME", "-o", "OUT", "-s", "speed=3"), "has no setting 'speed'"),
        (("run", "GAME", "-o", "OUT", "-l", "model", "-s", "items=0"), "setting 'items'"),
        (("run", "GAME", "-o", "OUT", "-l", "model"), "needs a key"),
        (("report", "OUT"), "OUT"),
        (("review", "OUT", "--source", "GAME", "-r", "ann"), "contains no run"),
        (("export", "OUT", "--source", "GAME", "-o", "there"), "contains no run"),
        (("import", "OUT", "export.json", "--source", "GAME"), "contains no run"),
        (("serve", "-l", "rules"), "reads recorded actions"),
        (("serve", "-l", "remote"), "setting 'url'"),
        (("serve", "-l", "remote", "-s", "url=http://x", "--frames", "nowhere"), "is not a folder"),
        (("serve", "-l", "remote", "-s", "url=http://x", "--host", "0.0.0.0"), "a token is needed"),
        (("replay", "OUT"), "contains no run"),
    ],
)
def test_usage_error_is_reported_in_one_line(
    game: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("BT_EXEC_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    given = [str(game) if word == "GAME" else word for word in words]
    if words[0] != "replay":
        given += ["-v", str(game / "vocabulary.yaml")]
    code, _, err = typed(capsys, *given)
    assert code == 2
    assert said in err
    assert "Traceback" not in err
    assert not (tmp_path / "OUT").exists()


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("journal") / "j.sqlite"
    missions = (
        ("close the door", {"door": "0.4"}, ()),
        ("open the door with the left arm", {"door": "closed"}, ("open_door:1=GRASP_SLIPPED",)),
    )
    site = load_site("door")
    packs = site.packs["door"].model_copy(update={"detector": "oracle"})
    for command, world, faults in missions:
        with Session(
            replace(site, packs={"door": packs}),
            world=world,
            fast=True,
            faults=faults,
            journal=Journal.open(path),
            frames=True,
        ) as session:
            session.run(command)
    return path


@pytest.mark.slow
def test_missions_are_labelled_by_rules_and_replayed(
    journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, out = tmp_path / "v.yaml", tmp_path / "run"
    assert typed(capsys, "vocabulary", "--site", "door", "-o", words)[0] == 0
    assert typed(capsys, "run", journal, "-v", words, "-o", out)[0] == 0
    lines = [json.loads(text) for text in (out / "records.jsonl").read_text().splitlines()]
    recorded = Journal.open(journal)
    for line in lines:
        runs = recorded.mission(line["episode"]).skills
        t = line["t"] + 1e-6  # moments are rounded
        ended = [r for r in runs if r.end is not None]
        under_way = [r for r in ended if r.start.t <= t < max(r.end.t, r.start.t + 2e-6)][:1]
        goal = line["record"]["short_goal_dsl"][0]
        assert [(r.start.skill, dict(r.start.args)) for r in under_way] == [
            (goal["op"], goal["args"])
        ]
        failed = under_way[0].end is not None and under_way[0].end.failure is not None
        assert (line["record"]["uncertainty"] == "high") == failed
    codes = {line["record"]["uncertainty"]: line["episode"] for line in lines}
    failed = next(e for e in read_source(journal) if e.id == codes["high"])
    ends = [run.end for run in recorded.mission(failed.id).skills if run.end is not None]
    failures = [end.failure.code for end in ends if end.failure is not None]
    assert [a.code for a in failed.actions if a.code] == failures
    assert failures[0] == "GRASP_SLIPPED"
    code, said, _ = typed(capsys, "replay", out, "--json")
    told = json.loads(said)
    assert (code, told["different"]) == (0, 0)
    assert len(told["goals"]) >= 2
    code, said, _ = typed(capsys, "replay", out, lines[0]["item"], "--json")
    again = json.loads(said)
    assert (code, {goal["of"] for goal in again["goals"]}) == (0, {lines[0]["item"]})
    code, _, err = typed(capsys, "replay", out, "controller:nowhere")
    assert code == 2
    assert "there is no record 'controller:nowhere'" in err


def test_dots_in_setting_names_create_nested_settings() -> None:
    texts = ["client.prices.input=2.5", "client.model=m:1", "items=4", "sheet=false", "odd=[1"]
    assert settings_of(texts) == {
        "client": {"prices": {"input": 2.5}, "model": "m:1"},
        "items": 4,
        "sheet": False,
        "odd": "[1",
    }
    assert settings_of(None) == {}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["items"], "write KEY=VALUE"),
        (["=4"], "write KEY=VALUE"),
        (["a=1", "a.b=2"], "a has a value"),
    ],
)
def test_setting_that_is_not_a_pair_is_refused(texts: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        settings_of(texts)


class Recorder:
    """Stand-in for the module of the commands that returns the arguments of each call.

    Args:
        said: Further keys of each result.
    """

    def __init__(self, **said: Any) -> None:
        self._said = said
        self.given: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **how: Any) -> dict[str, Any]:
            self.given.append((name, args, how))
            return {"lines": ["first", "second"], "stopped": "", "different": 0, **self._said}

        return call


RUN: dict[str, Any] = {
    "labeler": "rules",
    "role": "controller",
    "options": {},
    "stride_s": 0.5,
    "workers": 4,
    "budget": {"requests": None, "tokens": None, "cost": None},
    "cache": None,
    "no_cache": False,
    "resume": False,
    "engine": "threads",
}
SET = {
    "keep_uncertain": False,
    "form": "parquet",
    "fps": 2,
    "drop_duplicates": False,
    "lerobot": "",
    "replies": False,
}
GIVEN: list[tuple[str, str, tuple[Any, ...], dict[str, Any]]] = [
    ("check r -v v", "check", (Path("r"), Path("v")), {}),
    ("vocabulary --site door", "draft", ("door", Path("vocabulary.yaml")), {}),
    ("run r -v v -o o", "run", (Path("r"), Path("v"), Path("o")), RUN),
    (
        "run r -v v -o o -l model --role planner -s items=2 --stride 1.5 --workers 7 --requests 3 "
        "--tokens 5 --cost 0.5 --cache c --no-cache --resume --engine ray --strict",
        "run",
        (Path("r"), Path("v"), Path("o")),
        {
            "labeler": "model",
            "role": "planner",
            "options": {"items": 2, "strict": True},
            "stride_s": 1.5,
            "workers": 7,
            "budget": {"requests": 3, "tokens": 5, "cost": 0.5},
            "cache": Path("c"),
            "no_cache": True,
            "resume": True,
            "engine": "ray",
        },
    ),
    ("report o -v v", "report", (Path("o"), Path("v"), None, None, None), {}),
    (
        "report o -v v --source r --against p --html h",
        "report",
        (Path("o"), Path("v"), Path("r"), Path("p"), Path("h")),
        {},
    ),
    ("replay o", "replay", (Path("o"), None), {}),
    ("replay o item", "replay", (Path("o"), "item"), {}),
    ("dataset o --source r -v v -o s", "dataset", (*map(Path, "orvs"),), SET),
    (
        "dataset o --source r -v v -o s --keep-uncertain --format lerobot --fps 5 "
        "--drop-duplicates --lerobot 0.4 --replies",
        "dataset",
        (*map(Path, "orvs"),),
        {
            "keep_uncertain": True,
            "form": "lerobot",
            "fps": 5,
            "drop_duplicates": True,
            "lerobot": "0.4",
            "replies": True,
        },
    ),
]


@pytest.mark.parametrize(("words", "name", "args", "how"), GIVEN)
def test_options_of_a_command_reach_its_implementation(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    name: str,
    args: tuple[Any, ...],
    how: dict[str, Any],
) -> None:
    tool = Recorder()
    monkeypatch.setattr(cli, "_commands_module", lambda: tool)
    assert typed(capsys, *words.split()) == (0, "first\nsecond\n", "")
    assert tool.given == [(name, args, how)]


@pytest.mark.parametrize(
    ("words", "said"),
    [("run r -v v -o o", {"stopped": "the budget"}), ("replay o", {"different": 1})],
)
def test_incomplete_run_or_replay_exits_with_code_four(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    said: dict[str, Any],
) -> None:
    monkeypatch.setattr(cli, "_commands_module", lambda: Recorder(**said))
    assert typed(capsys, *words.split())[0] == 4
    assert json.loads(typed(capsys, *words.split(), "--json")[1]).items() >= said.items()


@pytest.mark.parametrize(("refused", "code"), [([], 0), (["task 1: is odd"], 4)])
def test_import_with_refused_annotations_exits_with_code_four(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    refused: list[str],
    code: int,
) -> None:
    found = {"refused": refused, "lines": ["1 decision"]}
    monkeypatch.setattr("bt_exec_labeler.review.command.import_decisions", lambda *_: found)
    said = typed(capsys, *["import", "r", "f", "--source", "s", "-v", "v"])
    assert said == (code, "1 decision\n", "")
