"""Program written by a model over HTTP, from the last turn of a conversation to the journal."""

import json

import pytest
import yaml

from bt_exec.cli.app import run_command_line
from bt_exec_llm.testing.messages_replies import cut_off, error
from bt_exec_skills.image.rules import program_run_check
from tests.llm.turns import say
from tests.llm.turns.conftest import QUESTION
from tests.skills.image.running import run_once
from tests.skills.image.writing.programs import GOOD, edited, fenced

PLAN = ["load the picture", "segment_colour, then separate_touching", "crop, verify red", "count"]
RED = edited('["red", "circle"]', '["red"]')


@pytest.fixture(scope="module")
def runs():
    return {}


@pytest.fixture
def ask(models, make_site, picture, tmp_path, monkeypatch, capsys, runs):
    """Return a function that asks a question on the command line and returns exit code and data."""
    monkeypatch.setattr(program_run_check, "run_program", run_once(runs))
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    make_site(tmp_path)
    file = tmp_path / "looking.yaml"
    site = yaml.safe_load(file.read_text())
    site["packs"]["image"]["writer"] = {
        "name": "claude", "base_url": models.server.url, "retries": 0, "model": "writer",
    }  # fmt: skip
    file.write_text(yaml.safe_dump(site))

    def run(question=QUESTION["en"], *more):
        program = str(tmp_path / "program.py")
        words = [str(picture), question, "--site", str(file), "--json", "--program", program]
        code = run_command_line(["ask", *words, *(more or ("--program-by", "model"))])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else err

    return run


def script(models, *programs, plan=PLAN):
    final = say.final_data("There are 3 of them.")
    if plan is not None:
        final["code_plan"] = plan
    models.script(
        [say.analysis(), say.calls(say.SEGMENT, say.SEPARATE),
         say.calls(say.CROP, say.VERIFY, say.COUNT), say.tagged(final),
         say.tagged({**final, "code_plan": PLAN})],
        judge=[say.verdict("right", "3")],
    )  # fmt: skip
    models.says["writer"] = [*programs]


@pytest.mark.slow
def test_final_code_plan_becomes_a_program_that_runs(ask, models, tmp_path, capsys):
    script(models, fenced(RED))
    code, said = ask()
    assert code == 0, said
    told = said["program"]
    assert (told["by"], told["ending"], told["agrees"], told["found"]) == (
        "model", "returned", True, 3,
    )  # fmt: skip
    assert told["usage"]["requests"] == 1
    assert told["usage"]["output_tokens"] > 100
    asked = models.asked("writer")[0]
    for number, step in enumerate(PLAN, 1):
        assert f"{number}. {step}" in asked
    assert '"tool": "verify_attribute"' in asked
    assert said["message"].endswith("The language model writer wrote the program.")
    assert run_command_line(["why"]) == 0
    assert "The language model writer wrote" in " ".join(capsys.readouterr().out.split())
    kept = b"".join(
        one.read_bytes() for one in (tmp_path / "XDG_DATA_HOME").rglob("*") if one.is_file()
    )
    assert b"Counts red circles." in kept  # the journal contains the program


def test_answer_without_code_plan_is_sent_back(ask, models):
    script(models, fenced(RED), plan=None)
    code, said = ask()
    assert (code, said["program"]["agrees"]) == (0, True)
    assert "NO_CODE_PLAN" in models.objections()[0]


@pytest.mark.slow
def test_default_program_needs_no_model(ask, models):
    script(models, "never asked", plan=None)
    code, said = ask(QUESTION["en"], "--program-by", "templates")
    assert (code, said["program"]["by"], said["program"]["agrees"]) == (0, "templates", True)
    assert models.asked("writer") == []
    assert models.objections() == []


@pytest.mark.slow
def test_program_is_written_for_an_answer_from_tools(ask, models):
    models.script(["never asked"])
    models.says["writer"] = [fenced(GOOD)]
    code, said = ask("빨간 원은 몇 개야?")
    assert (code, said["program"]["by"], said["program"]["agrees"]) == (0, "model", True)
    assert said["message"].endswith("프로그램은 언어 모델 writer이(가) 작성했습니다.")
    assert '"attributes": ["red", "circle"]' in models.asked("writer")[0]


@pytest.mark.parametrize(
    ("reply", "why", "asked"),
    [
        (cut_off("```python\nimport sys"), "CUT_OFF", 2),
        (error(529, "overloaded_error"), "MODEL_OVERLOADED", 1),
        ("답: 3", "NO_CODE", 2),
        (fenced(edited("import sys", "import sys, ctypes")), "UNKNOWN_IMPORT", 2),
    ],
)
def test_failing_program_writer_is_asked_at_most_twice(ask, models, reply, why, asked):
    script(models, reply)
    code, said = ask()
    assert (code, said["program"]["by"], said["program"]["agrees"]) == (0, "templates", True)
    assert f"was not used ({why}). A generated program was used instead." in said["message"]
    assert len(models.asked("writer")) == asked


@pytest.mark.slow
def test_replay_gives_the_same_program(ask, models, tmp_path):
    file, tape = tmp_path / "looking.yaml", tmp_path / "tape.jsonl"
    site = yaml.safe_load(file.read_text())
    site["packs"]["image"]["writer"]["record"] = str(tape)
    file.write_text(yaml.safe_dump(site))
    models.script(["never asked"])
    models.says["writer"] = ["no", fenced(GOOD)]
    _, first = ask("How many red circles are there?")
    site["packs"]["image"]["writer"] = {"name": "claude", "replay": str(tape)}
    file.write_text(yaml.safe_dump(site))
    models.server.requests.clear()
    _, second = ask("How many red circles are there?")
    assert models.server.requests == []
    assert second["program"] == first["program"]
    assert [bool(one["faults"]) for one in first["program"]["attempts"]] == [True, False]
