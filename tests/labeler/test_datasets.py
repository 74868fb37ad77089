from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow.parquet
import pytest

from bt_exec.events import PerceptionFailed
from bt_exec.failure import UsageError
from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.mission_outcome import Outcome
from bt_exec.site.site import load_site
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.output_and_answer_cache import read_lines
from bt_exec_labeler.datasets.rows import Memory, reply_rows
from bt_exec_labeler.datasets.write import write_rows
from bt_exec_labeler.episode import Episode, Reply
from bt_exec_labeler.labeler_items import Role
from bt_exec_labeler.plan_record import Record, read_record
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.sources.journal import _established_facts, _state, episode_of
from bt_exec_labeler.splits import Split
from bt_exec_labeler.testing.chat_playback_model import Playback
from bt_exec_labeler.testing.toy_game_episodes import make_game
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_labeler.vocabulary_draft import draft_vocabulary
from bt_exec_llm.testing.messages_server import MessagesServer
from tests.labeler.batch.recordings import answer

pytestmark = pytest.mark.sampled


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_game(tmp_path_factory.mktemp("game") / "game", episodes=4, seed=1)


def made(recording: Path, folder: Path, role: Role) -> tuple[Path, Path]:
    words = recording / "vocabulary.yaml"
    run = folder / f"run_{role}"
    cli_commands.run(
        recording,
        words,
        run,
        labeler="rules",
        role=role,
        no_cache=True,
    )
    cli_commands.dataset(run, recording, words, folder / role, keep_uncertain=False)
    return run, folder / role


def rows_in(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "data").glob("*.parquet"))
    return [row for file in files for row in pyarrow.parquet.read_table(file).to_pylist()]


def test_planner_set_contains_all_inputs_of_a_planner(
    recording: Path, tmp_path: Path, vocabulary: Vocabulary, capfd: pytest.CaptureFixture[str]
) -> None:
    _, folder = made(recording, tmp_path, "planner")
    assert capfd.readouterr() == ("", "")
    rows = rows_in(folder)
    assert len(rows) > 50
    for row in rows:
        assert len(row["recent_clip"]) <= 8
        assert len(row["summary_clip"]) <= 30
        assert max(row["recent_times"] + row["summary_times"]) <= 0
        picture = np.frombuffer(row["recent_clip"][0]["bytes"], np.uint8)
        assert cv2.imdecode(picture, cv2.IMREAD_COLOR) is not None
        plan = json.loads(row["plan_json"])
        assert plan["plan_id"] == f"plan_{row['episode']}_{row['t']:g}"
        bare = {k: v for k, v in plan.items() if k not in ("schema_version", "plan_id")}
        assert isinstance(read_record(bare, vocabulary, row["mid_step_id"]), Record)
    card = (folder / "README.md").read_text()
    assert "split: train" in card
    assert "`retrieved_memory`" in card


def test_memory_contains_only_earlier_records_or_training_episodes(
    recording: Path, tmp_path: Path
) -> None:
    _, folder = made(recording, tmp_path, "planner")
    rows = rows_in(folder)
    split_of = {row["episode"]: row["split"] for row in rows}
    remembered = 0
    for row in rows:
        for memory in json.loads(row["retrieved_memory"]):
            remembered += 1
            _, *episode, t = memory["plan_id"].split("_")
            name = "_".join(episode)
            assert name == row["episode"] or split_of[name] == "train"
            assert name != row["episode"] or float(t) < row["t"]
    assert remembered > 50


def test_controller_set_has_no_summary_clips_and_is_aligned_to_spans(
    recording: Path, tmp_path: Path
) -> None:
    _, folder = made(recording, tmp_path, "controller")
    rows = rows_in(folder)
    assert len(rows) > 50
    for row in rows:
        assert {"summary_clip", "retrieved_memory"}.isdisjoint(row)
        assert row["span_start"] <= row["t"] <= row["span_end"]
        reach = row["t"] + json.loads(row["plan_json"])["horizon_steps"] * 0.5
        assert reach < row["span_end"] + 0.5 + 1e-6


def test_chats_contain_batches_with_pictures_and_valid_records(
    recording: Path, tmp_path: Path, vocabulary: Vocabulary
) -> None:
    _, folder = made(recording, tmp_path, "controller")
    texts = (folder / "chat" / "train.jsonl").read_text().splitlines()
    taught = 0
    for text in texts:
        system, user, answer = json.loads(text)["messages"]
        assert "talk_gate_guard" in system["content"]
        shown = [part["image"] for part in user["content"] if part["type"] == "image"]
        assert shown
        assert all((folder / name).is_file() for name in shown)
        said = "\n".join(part["text"] for part in user["content"] if part["type"] == "text")
        assert "Command: bring me the gem" in said
        found = json.loads(answer["content"])["items"]
        assert [one["item"] for one in found] == list(range(1, len(found) + 1))
        assert f"Item {len(found)}: mid step" in said
        assert all(isinstance(read_record(one["record"], vocabulary), Record) for one in found)
        taught += len(found)
    assert taught == len([row for row in rows_in(folder) if row["split"] == "train"])


@pytest.mark.parametrize("role", ["controller", "planner"])
def test_chat_set_reproduces_its_labels_on_replay(
    recording: Path, tmp_path: Path, role: Role
) -> None:
    words = recording / "vocabulary.yaml"
    how: dict[str, Any] = {"role": role, "no_cache": True, "workers": 2}
    cli_commands.run(recording, words, tmp_path / "run", labeler="rules", **how)
    about = (tmp_path / "run", recording, words, tmp_path / "set")
    cli_commands.dataset(*about, keep_uncertain=True)
    lines = list(read_lines(tmp_path / "run" / "records.jsonl"))
    failures = [line for line in lines if line["kind"] == "failure"]
    model = Playback(tmp_path / "set" / "chat")
    with MessagesServer([model]) as server:
        options = {"client": {"base_url": server.url, "tier": "text"}, "retries": 0}
        again = cli_commands.run(
            recording, words, tmp_path / "again", labeler="model", options=options, **how
        )
        assert model.exact > 0
        assert model.unknown == len(failures)
    assert again["records"] >= 0.99 * (again["items"] - len(failures))
    taught = {
        line["item"]: line["record"] for line in read_lines(tmp_path / "run" / "records.jsonl")
    }
    disturbed = {line["episode"] for line in failures}  # their batches contain other moments
    for line in read_lines(tmp_path / "again" / "records.jsonl"):
        if line["episode"] not in disturbed:
            assert line["record"] == taught[line["item"]]


def test_chats_use_the_labeler_settings_of_their_run(tmp_path: Path) -> None:
    game = make_game(tmp_path / "game", episodes=1, seed=0)  # without failures
    words = game / "vocabulary.yaml"
    how: dict[str, Any] = {"labeler": "model", "role": "controller", "no_cache": True}
    options = {"language": "ko", "items": 3, "sheet": False, "retries": 0}
    with MessagesServer([answer]) as server:
        client = {"base_url": server.url, "tier": "text"}
        how["options"] = {**options, "client": client}
        cli_commands.run(game, words, tmp_path / "run", **how)
        about = (tmp_path / "run", game, words, tmp_path / "set")
        cli_commands.dataset(*about, keep_uncertain=True)
        sent = len(server.requests)
        model = Playback(tmp_path / "set" / "chat")
        server.script([model])
        found = cli_commands.run(game, words, tmp_path / "again", **how)
        assert (model.exact, model.unknown, found["dropped"]) == (sent, 0, 0)
        assert "열쇠로 걸어간다." in str(server.requests[0].body["system"])


def test_interrupted_export_leaves_no_files_and_can_be_repeated(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = recording / "vocabulary.yaml"
    cli_commands.run(
        recording, words, tmp_path / "run", labeler="rules", role="planner", no_cache=True
    )
    about = (tmp_path / "run", recording, words, tmp_path / "set")
    part = tmp_path / ".set.part"
    part.mkdir()
    (part / "half").write_text("a killed attempt left this")

    def break_down(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("bt_exec_labeler.datasets.write.chats_of", break_down)
        with pytest.raises(UsageError, match="cannot be written: No space left on device"):
            cli_commands.dataset(*about, keep_uncertain=False)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run"]
    cli_commands.dataset(*about, keep_uncertain=False)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run", "set"]
    assert not (tmp_path / "set" / "half").exists()


def test_near_duplicates_are_dropped_on_request(recording: Path, tmp_path: Path) -> None:
    words = recording / "vocabulary.yaml"
    cli_commands.run(recording, words, tmp_path / "run", labeler="rules", role="controller")
    about = (tmp_path / "run", recording, words)
    whole = cli_commands.dataset(*about, tmp_path / "whole", keep_uncertain=False)
    fewer = cli_commands.dataset(
        *about, tmp_path / "fewer", keep_uncertain=False, drop_duplicates=True
    )
    assert fewer["duplicates"] > 0
    assert sum(fewer["rows"].values()) < sum(whole["rows"].values())
    steps = [{row["mid_step_id"] for row in rows_in(tmp_path / n)} for n in ("whole", "fewer")]
    assert steps[0] == steps[1]


def test_failures_and_recoveries_are_written_to_a_separate_folder(tmp_path: Path) -> None:
    recording = make_game(tmp_path / "game", episodes=6, seed=2)
    run, folder = made(recording, tmp_path, "controller")
    kinds = Counter(line["kind"] for line in read_lines(run / "records.jsonl"))
    assert kinds["failure"] > 0
    assert kinds["recovery"] > 0
    assert {row["kind"] for row in rows_in(folder)} == {"step", "recovery"}
    files = sorted((folder / "recovery").glob("*.parquet"))
    special = [row for file in files for row in pyarrow.parquet.read_table(file).to_pylist()]
    assert Counter(row["kind"] for row in special) == {k: kinds[k] for k in ("failure", "recovery")}
    assert {row["code"] for row in special} == {"STUCK"}
    then = {json.loads(row["then"])["op"] for row in special if row["kind"] == "failure"}
    assert then == {"OPEN"}
    about = (run, recording, recording / "vocabulary.yaml", tmp_path / "again")
    lines = cli_commands.dataset(*about, keep_uncertain=False)["lines"]
    assert f"{kinds['failure']} moments of failures in the part recovery" in lines


def test_set_of_one_episode_reports_empty_splits_and_preserves_korean_text(tmp_path: Path) -> None:
    recording = make_game(tmp_path / "game", episodes=1, seed=1)
    (recording / "game_00").rename(recording / "게임")
    header = recording / "게임" / "episode.yaml"
    header.write_text(header.read_text().replace("bring me the gem", "보석을 가져와"))
    words, run, out = recording / "vocabulary.yaml", tmp_path / "run", tmp_path / "set"
    cli_commands.run(recording, words, run, labeler="rules", role="planner", no_cache=True)
    lines = cli_commands.dataset(run, recording, words, out, keep_uncertain=False)["lines"]
    assert any("! no records for val and test: 1 episodes have records" in line for line in lines)
    assert not any("moments of failures" in line for line in lines)
    (schema,) = {pyarrow.parquet.read_schema(path) for path in (out / "data").glob("*.parquet")}
    assert schema.field("recent_times").type == pyarrow.list_(pyarrow.float64())
    known = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert known["recent_times"]["feature"]["dtype"] == "float64"
    assert {known[name]["dtype"] for name in ("t", "episode")} == {"float64", "string"}
    assert "보석을 가져와" in (out / "chat" / "train.jsonl").read_text(encoding="utf-8")
    assert '"episode":"게임"' in (run / "records.jsonl").read_text(encoding="utf-8")


def test_data_set_requires_the_labelled_recording(recording: Path, tmp_path: Path) -> None:
    run, folder = made(recording, tmp_path, "controller")
    words = recording / "vocabulary.yaml"
    with pytest.raises(UsageError, match="is not empty"):
        cli_commands.dataset(run, recording, words, folder, keep_uncertain=False)
    with pytest.raises(UsageError, match="it is not the recording that was labelled"):
        cli_commands.dataset(
            run, recording / "game_00", words, tmp_path / "other", keep_uncertain=False
        )
    other = tmp_path / "v.yaml"
    other.write_text(words.read_text() + "# changed\n")
    with pytest.raises(UsageError, match="another vocabulary"):
        cli_commands.dataset(run, recording, other, tmp_path / "other", keep_uncertain=False)


@pytest.mark.slow
def test_records_of_changed_moments_are_left_out(recording: Path, tmp_path: Path) -> None:
    """Their pictures have changed, so they are left out until they are labelled again."""
    source, run = tmp_path / "game", tmp_path / "run"
    shutil.copytree(recording, source)
    words = source / "vocabulary.yaml"
    rules: dict[str, Any] = {"labeler": "rules", "role": "controller", "stride_s": 0.5}
    cli_commands.run(source, words, run, **rules)
    about = {"keep_uncertain": True}
    whole = cli_commands.dataset(run, source, words, tmp_path / "whole", **about)  # type: ignore[arg-type]
    assert whole["outdated"] == 0
    frames = sorted((source / "game_00").glob("*.png"))
    shutil.copy(frames[0], frames[12])
    made = cli_commands.dataset(run, source, words, tmp_path / "set", **about)  # type: ignore[arg-type]
    assert 0 < made["outdated"] <= 16
    assert any("the recording changed there" in line for line in made["lines"])
    rows = [sum(one["rows"].values()) + one["failures"] for one in (whole, made)]
    assert rows[0] - rows[1] == made["outdated"]
    cli_commands.run(source, words, run, **rules, resume=True)
    again = cli_commands.dataset(run, source, words, tmp_path / "again", **about)  # type: ignore[arg-type]
    assert (again["outdated"], again["rows"]) == (0, whole["rows"])


def test_uncertain_records_are_included_only_on_request(recording: Path, tmp_path: Path) -> None:
    words, run = recording / "vocabulary.yaml", tmp_path / "run"
    cli_commands.run(recording, words, run, labeler="rules", role="controller", no_cache=True)
    path = run / "records.jsonl"
    lines = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    steps = [line for line in lines if line["kind"] == "step"]
    doubted = {line["item"] for line in steps[::3]}
    for line in steps[::3]:
        line["record"]["uncertainty"] = "high"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    rows = {}
    for wanted in (False, True):
        out = tmp_path / f"set_{wanted}"
        cli_commands.dataset(run, recording, words, out, keep_uncertain=wanted)
        rows[wanted] = {row["id"] for row in rows_in(out)}
    assert doubted
    assert rows[True] - rows[False] == doubted


def test_declared_features_of_a_column_match_its_stored_type(tmp_path: Path) -> None:
    """The features for `datasets` agree with the schema of Parquet."""
    row = {"t": 1.5, "text": "a", "words": ["a"], "seen_times": [0.5]}
    empty = {"t": 0.0, "text": "", "words": [], "seen_times": []}
    write_rows(tmp_path / "rows.parquet", [empty, row])
    table = pyarrow.parquet.read_table(tmp_path / "rows.parquet")
    assert table.to_pylist() == [empty, row]
    known = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
    names = {"float64": pyarrow.float64(), "string": pyarrow.string()}
    for field in table.schema:
        feature = known[field.name]
        listed = feature.get("feature")
        wanted = pyarrow.list_(names[listed["dtype"]]) if listed else names[feature["dtype"]]
        assert field.type == wanted


def test_memory_without_earlier_steps_is_empty() -> None:
    lines: Sequence[dict[str, Any]] = [{"episode": "e", "t": 1.0, "mid_step_id": "m", "record": {}}]
    for split in ("train", "test"):
        assert Memory(lines, {}, {}, {"e": split}).entries_for(lines[0]) == []


def test_memory_recalls_only_steps_that_share_a_word() -> None:
    texts = {"open": "open the chest", "fly": "sail far away", "close": "close this chest"}
    said: dict[str, Any] = {"short_goal_dsl": [], "done_evidence": []}
    lines = [
        {"episode": step, "t": 1.0, "mid_step_id": step}
        | {"record": {"plan_id": step, "mid_step_id": step, **said}}
        for step in texts
    ]
    splits: dict[str, Split] = dict.fromkeys(texts, "train")
    found = {
        line["episode"]: [
            one["mid_step_id"] for one in Memory(lines, {}, texts, splits).entries_for(line)
        ]
        for line in lines
    }
    assert found == {"open": ["close"], "close": ["open"], "fly": []}


@pytest.fixture(scope="module")
def missions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Outcome]]:
    """Journal of four commands with their outcomes; the last one opens the door."""
    site, source = load_site("door"), tmp_path_factory.mktemp("journal") / "j.sqlite"
    packs = {"door": site.packs["door"].model_copy(update={"detector": "oracle"})}
    said = ("fly to the moon", "is the door open?", "close the door", "open the door")
    with Session(
        replace(site, packs=packs),
        world={"door": "closed"},
        fast=True,
        journal=Journal.open(source),
        frames=True,
    ) as session:
        return source, [session.run(command) for command in said]


@pytest.mark.slow
def test_mission_with_outdated_arguments_becomes_an_episode(
    missions: tuple[Path, list[Outcome]],
) -> None:
    source, _ = missions
    journal, site = Journal.open(source), load_site("door")
    record = journal.mission(journal.missions(None)[0].id)
    blind = PerceptionFailed(0.0, 0, "door", "no camera")
    episode = episode_of(replace(record, events=(blind, *record.events)), site, source)
    assert episode == episode_of(record, site, source)
    assert episode == next(one for one in read_source(source) if one.id == record.id)
    assert [act.op for act in episode.actions] == [run.start.skill for run in record.skills]
    assert {"door": "open"}.items() <= episode.actions[-1].facts.items()
    starts = [replace(run.start, args={"wings": 2}) for run in record.skills]
    runs = [replace(run, start=start) for run, start in zip(record.skills, starts, strict=True)]
    old = [_established_facts(run, site) for run in runs]
    assert old == [{}] * len(runs)
    assert {_established_facts(run, None) == {} for run in record.skills} == {True}
    assert [_state(replace(run, end=None)) for run in record.skills] == ["unknown"] * len(runs)


def test_replies_contain_command_observation_and_answer(
    missions: tuple[Path, list[Outcome]], tmp_path: Path
) -> None:
    source, outcomes = missions
    words = tmp_path / "words.yaml"
    words.write_text(draft_vocabulary("door"), encoding="utf-8")
    cli_commands.run(
        source, words, tmp_path / "run", labeler="rules", role="controller", no_cache=True
    )
    about = (tmp_path / "run", source, words)
    without = cli_commands.dataset(*about, tmp_path / "without", keep_uncertain=False)
    assert without["replies"] == 0
    assert not (tmp_path / "without" / "replies").exists()
    made = cli_commands.dataset(*about, tmp_path / "set", keep_uncertain=False, replies=True)
    rows = [
        row
        for path in sorted((tmp_path / "set" / "replies").glob("*.parquet"))
        for row in pyarrow.parquet.read_table(path).to_pylist()
    ]
    found = {row["command"]: row for row in rows}
    assert made["replies"] == len(rows) == 3
    kinds = {command: (row["kind"], row["code"]) for command, row in found.items()}
    assert kinds == {
        "fly to the moon": ("refused", "UNKNOWN_ACTION"),
        "is the door open?": ("answered", "OK"),
        "close the door": ("nothing_to_do", "ALREADY_CLOSED"),
    }
    assert found["fly to the moon"]["missing"] == ["fly"]
    assert found["is the door open?"]["checks"][0].startswith("door_is")
    assert [found[one.command]["reply"] for one in outcomes[:3]] == [
        o.message for o in outcomes[:3]
    ]
    for row in rows:
        assert json.loads(row["facts"])["door"] == "closed"
        assert row["recent_clip"]
    splits = json.loads((tmp_path / "run" / "splits.json").read_text())
    assert {row["episode"]: row["split"] for row in rows}.items() <= splits.items()
    assert "config_name: replies" in (tmp_path / "set" / "README.md").read_text()


def test_reply_to_a_mission_without_events_is_at_its_start(
    missions: tuple[Path, list[Outcome]],
) -> None:
    source, _ = missions
    journal, site = Journal.open(source), load_site("door")
    records = [journal.mission(mission.id) for mission in journal.missions(None)]
    asked = [record for record in records if not record.skills]
    assert asked
    for record in asked:
        reply = episode_of(record, site, source).reply
        assert reply is not None
        assert reply.t == max(event.t for event in record.events)
        silent = episode_of(replace(record, events=()), site, source).reply
        assert silent == replace(reply, t=0.0, checks=silent.checks if silent else ())


def test_missions_without_a_reply_are_left_out_of_the_replies() -> None:
    """The facts of the remaining reply are stored unescaped, in any language."""
    reply = Reply("refused", "NOT_UNDERSTOOD", "모르겠어요.", 0.0)
    episodes = [
        Episode("done", ()),
        Episode("refused", (), reply=reply, start_facts={"문": "닫힘"}),
    ]
    (row,) = reply_rows(episodes, {"done": "train", "refused": "train"}, lambda frame: frame.name)
    assert (row["id"], row["facts"]) == ("reply:refused", '{"문": "닫힘"}')


def test_reply_set_is_refused_for_a_recording_without_replies(
    recording: Path, tmp_path: Path
) -> None:
    run, _ = made(recording, tmp_path, "controller")
    about = (run, recording, recording / "vocabulary.yaml", tmp_path / "other")
    with pytest.raises(UsageError, match="no commands that were refused or answered"):
        cli_commands.dataset(*about, keep_uncertain=False, replies=True)
    with pytest.raises(UsageError, match="requires --format parquet"):
        cli_commands.dataset(*about, keep_uncertain=False, replies=True, form="lerobot")
