"""Interrupted or killed runs over recordings that change between resumes."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.output_and_answer_cache import Output, read_lines
from bt_exec_labeler.batch.run import BATCH, Progress, label_moments
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.labeler_items import Item, items_of
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.testing.toy_game_episodes import make_game
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.testing.messages_server import MessagesServer
from tests.labeler.batch.recordings import ChangingRecording, answer

KILLS = int(os.environ.get("BT_EXEC_LABEL_KILLS", "20"))
FILES = ("records", "drops")


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_game(tmp_path_factory.mktemp("pool") / "game", episodes=3, seed=7)


def files_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.jsonl").read_bytes() for name in FILES}


def labelled(
    source: Path, vocabulary: Vocabulary, folder: Path, stop_after: int | None
) -> Progress:
    """Run the rules over a recording until the given number of batches has started."""
    items = [
        item
        for episode in read_source(source)
        for item in items_of(episode, vocabulary, "controller")
    ]
    begun = iter(range(10**6))
    with Output(folder).create_or_resume({"role": "controller"}, resume=True) as output:
        progress = label_moments(
            items,
            RulesLabeler(vocabulary),
            vocabulary,
            output,
            workers=1,
            stop=lambda: stop_after is not None and next(begun) >= stop_after,
        )
        output.write_json_lines()
    return progress


@pytest.mark.parametrize("seed", range(6))
def test_interrupted_run_with_changed_recordings_matches_an_undisturbed_run(
    pool: Path, vocabulary: Vocabulary, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    recording = ChangingRecording(pool, tmp_path / "recording", seed)
    for _ in range(5):
        labelled(recording.folder, vocabulary, tmp_path / "run", chance.randrange(3))
        recording.change()
    labelled(recording.folder, vocabulary, tmp_path / "run", None)
    labelled(recording.folder, vocabulary, tmp_path / "whole", None)
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")
    lines = [line for name in FILES for line in read_lines(tmp_path / "run" / f"{name}.jsonl")]
    assert max(Counter(line["item"] for line in lines).values()) == 1


def test_resumed_run_labels_only_new_and_changed_moments(
    pool: Path, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    folder = tmp_path / "recording"
    ChangingRecording(pool, folder, 0)
    first = labelled(folder, vocabulary, tmp_path / "run", None)
    assert first.changes.new == first.changes.total
    shutil.copytree(pool / "game_01", folder / "game_01")
    second = labelled(folder, vocabulary, tmp_path / "run", None)
    assert (second.changes.kept, second.changes.gone) == (first.changes.total, 0)
    assert second.items == second.changes.total
    shutil.copy(folder / "game_00" / "000020.png", folder / "game_00" / "000012.png")
    third = labelled(folder, vocabulary, tmp_path / "run", None)
    assert 0 < third.changes.changed == third.changes.new <= 16


def test_resume_summary_lists_changes(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = ChangingRecording(pool, tmp_path / "recording", 0)
    words, out = recording.folder / "vocabulary.yaml", tmp_path / "run"
    rules: dict[str, Any] = {"labeler": "rules", "role": "controller"}
    before = cli_commands.run(recording.folder, words, out, **rules)["items"]
    (recording.folder / "game_00").rename(tmp_path / "aside")
    (tmp_path / "aside").rename(recording.folder / "game_01")
    found = cli_commands.run(recording.folder, words, out, **rules, resume=True)
    assert found["changed"] == {"new": before, "changed": 0, "gone": before}
    assert f"{before} are new, 0 changed in the recording, {before} are gone" in found["lines"][1]
    assert (found["left"], found["stopped"]) == (0, "")


def test_output_in_use_is_refused_to_a_second_writer(tmp_path: Path) -> None:
    first = Output(tmp_path / "out").create_or_resume({"role": "planner"}, resume=False)
    with pytest.raises(UsageError, match=f"is being written by process {os.getpid()} on "):
        Output(tmp_path / "out").create_or_resume({"role": "planner"}, resume=True)
    first.close()
    with Output(tmp_path / "out").create_or_resume({"role": "planner"}, resume=True):
        pass


def test_batches_never_cross_episodes(
    episodes: Sequence[Episode], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    class Noting(RulesLabeler):
        def label(self, items: Sequence[Item]) -> Any:
            assert len({item.episode.id for item in items}) == 1
            assert len(items) <= BATCH
            return super().label(items)

    items = [item for one in episodes for item in items_of(one, vocabulary, "controller")]
    with Output(tmp_path / "out").create_or_resume({}, resume=False) as output:
        assert label_moments(items, Noting(vocabulary), vocabulary, output).items == len(items)


ZYGOTE = """
import json, os, sys
from bt_exec_labeler import cli_commands
from pathlib import Path
for line in sys.stdin:
    how = json.loads(line)
    child = os.fork()
    if child == 0:
        paths = [Path(how.pop(name)) for name in ("source", "words", "out")]
        how["cache"] = Path(how["cache"])
        try:
            found = cli_commands.run(*paths, **how)
            end = {"stopped": found["stopped"], "left": found["left"]}
        except BaseException as error:
            end = {"error": repr(error)}
        print(json.dumps(end), flush=True)
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


class Killable:
    """Runs in separate processes, forked from one that has imported everything."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-c", ZYGOTE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def start(self, **how: Any) -> int:
        assert self._parent.stdin is not None
        self._parent.stdin.write(json.dumps(how) + "\n")
        self._parent.stdin.flush()
        return int(self._line())

    def is_running(self, child: int) -> bool:
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return False
        return True

    def kill(self, child: int) -> None:
        if self.is_running(child):
            os.kill(child, signal.SIGKILL)

    def end(self) -> dict[str, Any] | None:
        """Wait for the end of the run, and return its summary, or None if it was killed."""
        said = None
        while (line := self._line()) != "ended":
            said = json.loads(line)
        return said

    def close(self) -> None:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.close()
        self._parent.wait(30)
        self._parent.stdout.close()

    def _line(self) -> str:
        assert self._parent.stdout is not None
        return self._parent.stdout.readline().strip()


@pytest.fixture
def killable() -> Iterator[Killable]:
    made = Killable()
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(max(1, KILLS // 10)))
def test_killed_and_resumed_run_matches_an_undisturbed_run_within_budget(
    pool: Path, tmp_path: Path, killable: Killable, seed: int
) -> None:
    """Each seed has ten kills and five changes of the recording; the server counts the requests."""
    chance = random.Random(seed)
    recording = ChangingRecording(pool, tmp_path / "recording", seed)
    requests = chance.randrange(8, 40)
    with MessagesServer([answer]) as server:
        client = {"base_url": server.url, "tier": "text"}
        how: dict[str, Any] = {
            "source": str(recording.folder),
            "words": str(recording.folder / "vocabulary.yaml"),
            "labeler": "model",
            "role": "planner",
            "options": {"client": client, "items": 4},
            "workers": 3,
            "cache": str(tmp_path / "cache.sqlite"),
            "no_cache": bool(seed % 2),
            "resume": True,
        }
        run_ = {**how, "out": str(tmp_path / "run"), "budget": {"requests": requests}}
        for kill in range(10):
            seen = len(server.requests)
            child = killable.start(**run_)
            wanted = seen + chance.randrange(4)
            while len(server.requests) < wanted and killable.is_running(child):
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.05))
            killable.kill(child)
            killable.end()
            assert len(server.requests) <= requests
            if kill % 2:
                recording.change()
        run_["budget"] = {}
        killable.start(**run_)
        assert killable.end() == {"stopped": "", "left": 0}
        killable.start(**{**how, "out": str(tmp_path / "whole"), "no_cache": True})
        assert killable.end() == {"stopped": "", "left": 0}
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")
    lines = [line for name in FILES for line in read_lines(tmp_path / "run" / f"{name}.jsonl")]
    assert max(Counter(line["item"] for line in lines).values()) == 1
