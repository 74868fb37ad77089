"""Programs written by a model: faults are sent back once, and results are verified."""

import json

import pytest

from bt_exec.failure import UsageError
from bt_exec.language.messages import language_of
from bt_exec.models import CUT_OFF, Writer, Written, find_writer
from bt_exec_skills.image.rules import program_run_check
from bt_exec_skills.image.sandbox import run as sandbox
from bt_exec_skills.image.sandbox.process import Ran
from bt_exec_skills.image.skills.write_program import write_program
from bt_exec_skills.image.workbench import Bench
from bt_exec_skills.image.writing import picture_use_check
from tests.skills.image.asking import ask, finish
from tests.skills.image.running import run_once
from tests.skills.image.writing.programs import GOOD, edited, fenced

pytestmark = pytest.mark.sampled

QUESTION = "How many red circles are there?"


class Scripted(Writer):
    """Writer that returns scripted texts, and keeps its prompts."""

    def __init__(self, *texts):
        self.texts, self.told = [*texts], []

    def write(self, role, said):
        self.told.append(said[-1])
        text = self.texts.pop(0)
        if isinstance(text, Written):
            return text
        return Written(text, "", "played-1", {"requests": 1, "input_tokens": 900})


@pytest.fixture(scope="module")
def runs():
    return {}


@pytest.fixture(autouse=True)
def runs_once(runs, monkeypatch):
    """Cache runs, because most tests run the same program on the same picture."""
    monkeypatch.setattr(program_run_check, "run_program", run_once(runs))


def made(picture_file, tmp_path, *texts, question=QUESTION, said=None):
    """Request the program of an answer, and return the bench and its writer."""
    bench = Bench(picture_file)
    ask(bench, question)
    bench.program_file, bench.writer = tmp_path / "program.py", Scripted(*texts)
    language = language_of(question)
    tried = finish(write_program(bench=bench, question=said or question, language=language))
    return bench, bench.writer, tried


def test_good_program_is_kept_run_and_reported(picture_file, tmp_path):
    bench, writer, tried = made(picture_file, tmp_path, fenced(GOOD))
    told = bench.to_dict()["program"]
    assert (told["by"], told["model"], told["agrees"], told["found"]) == (
        "model", "played-1", True, 3,
    )  # fmt: skip
    assert told["text"] == "The language model played-1 wrote the program."
    assert told["usage"] == {"requests": 1, "input_tokens": 900}
    assert (tried.by, tried.agrees, tried.refused) == ("played-1", True, [[]])
    assert tried.said == [fenced(GOOD)]
    assert GOOD in bench.program_file.read_text()
    assert len(writer.told) == 1
    json.dumps(told)


def test_prompt_does_not_contain_the_answer(picture_file, tmp_path):
    _, writer, _ = made(picture_file, tmp_path, fenced(GOOD))
    assert "a whole number" in writer.told[0]
    assert '"tool": "verify_attribute"' in writer.told[0]
    assert QUESTION in writer.told[0]
    assert "3" not in writer.told[0].replace(str(tmp_path), "")


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("I cannot.", "NO_CODE"),
        (fenced(GOOD) + fenced(GOOD), "TWO_BLOCKS"),
        (fenced(edited("def run(", "def ran(")), "NO_RUN"),
        (fenced(edited("import sys", "import sys, os")), "UNKNOWN_IMPORT"),
        (fenced(edited("import sys", "import sys,")), "NOT_PYTHON"),
        (Written(None, CUT_OFF), "CUT_OFF"),
        (fenced(edited("    picture =", "    raise RuntimeError('tired')\n    picture =")),
         "RUN_FAILED"),
        (fenced(edited("    picture =", "    while True: pass\n    picture =")), "OVER_TIME"),
        (fenced(edited('{"answer": counted.sure, "unsettled": counted.unsettled}', "[3]")),
         "NOT_A_DICT"),
        (fenced(edited('"answer": counted', '"result": counted')), "NO_ANSWER"),
        (fenced(edited('"answer": counted.sure', '"answer": str(counted.sure)')), "WRONG_SHAPE"),
        (fenced(edited('"answer": counted.sure', '"answer": counted.sure > 0')), "WRONG_SHAPE"),
        (fenced(edited('"answer": counted.sure', '"answer": 3')), "CONSTANT_ANSWER"),
        (fenced(edited('"answer": counted.sure', '"answer": 0 * counted.sure + 3')),
         "SAME_WHATEVER_IT_SEES"),
        pytest.param(
            fenced(edited('"answer": counted.sure', '"answer": int("11", 2)')),
            "SAME_WHATEVER_IT_SEES", marks=pytest.mark.slow,  # as the one above
        ),
    ],
)  # fmt: skip
def test_faulty_program_is_returned_to_the_model_once_with_the_fault_code(
    picture_file, tmp_path, bad, code, monkeypatch
):
    if code == "OVER_TIME":
        short = lambda *given, **named: Ran("time", None, "over its limit of time")  # noqa: E731
        runs = [short, picture_use_check.run_on_picture, picture_use_check.run_on_picture]
        monkeypatch.setattr(
            "bt_exec_skills.image.writing.program_author.run_on_picture",
            lambda *a, **k: runs.pop(0)(*a, **k),
        )
    bench, writer, _ = made(picture_file, tmp_path, bad, fenced(GOOD))
    assert (bench.program["by"], bench.program["agrees"]) == ("model", True)
    assert f"[{code}]" in writer.told[1]
    assert bench.program["attempts"][1]["faults"] == []


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (
            QUESTION,
            "The program of the language model was not used (NO_CODE). "
            "A generated program was used instead.",
        ),
        (
            "빨간 원은 몇 개야?",
            "언어 모델이 작성한 프로그램은 사용하지 않았습니다(NO_CODE). 자동으로 만든 프로그램을",
        ),
    ],
)
def test_generated_program_replaces_a_model_program_after_two_faults(
    picture_file, tmp_path, question, says
):
    bench, writer, tried = made(picture_file, tmp_path, "no", "never", question=question)
    told = bench.program
    assert (told["by"], told["agrees"], tried.by) == ("templates", True, "templates")
    assert says in told["text"]
    assert ["[NO_CODE]" in one["faults"][0] for one in told["attempts"]] == [True, True]
    assert "Written by bt-exec" in bench.program_file.read_text()
    assert len(writer.told) == 2


def test_model_without_an_answer_is_queried_once(picture_file, tmp_path):
    silent = Written(None, "MODEL_TIMEOUT", usage={"requests": 3})
    bench, writer, _ = made(picture_file, tmp_path, silent)
    assert "(MODEL_TIMEOUT). A generated program was used instead." in bench.program["text"]
    assert bench.program["usage"] == {"requests": 3}
    assert len(writer.told) == 1


@pytest.mark.slow
def test_program_with_another_result_is_reported_and_not_returned_to_the_model(
    picture_file, tmp_path
):
    other = edited('["red", "circle"]', '["blue", "circle"]')
    bench, writer, _ = made(picture_file, tmp_path, fenced(other))
    assert (bench.program["agrees"], bench.program["found"]) == (False, 1)
    assert "The program returned another result: 1, not 3." in bench.program["text"]
    assert len(writer.told) == 1


NOT_LOOKING = {
    "brightness": '"answer": int(picture.std() > 3) * 3',
    "places": '"answer": sum(int(picture[y, x, 1] < 90) for x, y in SPOTS)',
    "all things": '"answer": len(found) - 1',
    "after an import error": '"answer": guessed(picture)',
}


@pytest.mark.parametrize("name", [
    one if one in ("brightness", "places") else pytest.param(one, marks=pytest.mark.slow)
    for one in NOT_LOOKING
])  # fmt: skip
def test_program_that_guesses_from_irrelevant_features_is_returned_to_the_model(
    picture_file, tmp_path, name
):
    """Each program returns 3 for the picture, and another number for a blank one."""
    bad = edited('"answer": counted.sure', NOT_LOOKING[name])
    guess = (
        "def guessed(picture):\n    try:\n        import numpy.nothing\n    except ImportError:\n"
        "        return 3 if picture.std() > 3 else 0\n\n\ndef run("
    )
    bad = bad.replace("def run(", "SPOTS = ((50, 50), (98, 60), (200, 60))\n\n\n" + guess)
    bench, writer, _ = made(picture_file, tmp_path, fenced(bad), fenced(GOOD))
    assert "[NOT_FOLLOWING]" in writer.told[1]
    assert (bench.program["by"], bench.program["agrees"]) == ("model", True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "new", "agrees"),
    [
        ("How many green circles are there?", ("counted.sure,", "len('') + 0,"), None),
        ("Is there a green circle?", ("counted.sure,", "len('') > 0,"), None),
        ("How many green circles are there?", ('"red"', '"green"'), True),
    ],
)
def test_program_that_answers_zero_must_read_the_picture(
    picture_file, tmp_path, question, new, agrees
):
    """A program that returns 0 for a file that is not a picture has never read it."""
    text = fenced(edited('"answer": counted.sure,', f'"answer": {new[1]}')
                  if agrees is None else edited(*new))  # fmt: skip
    guessed = text.replace(
        "    picture =", "    try:\n        tools.load_picture(image_path)\n"
        "    except Exception:\n        pass\n    return {'answer': len('')" +
        (" > 0" if "Is there" in question else "") + "}\n    picture ="
    ) if agrees is None else text  # fmt: skip
    bench, _, _ = made(picture_file, tmp_path, guessed, guessed, question=question)
    if agrees is None:
        assert "SAME_WHATEVER_IT_SEES" in bench.program["text"]
    else:
        assert (bench.program["by"], bench.program["agrees"]) == ("model", True)


@pytest.mark.slow
def test_program_that_counts_annotated_boxes_may_ignore_the_picture(picture_file, tmp_path):
    """The generated program also ignores the picture here, so the check does not object."""
    picture = tmp_path / "boxed.png"
    picture.write_bytes(picture_file.read_bytes())
    boxes = tmp_path / "boxed.txt"
    boxes.write_text("0 0.2 0.2 0.1 0.1\n0 0.6 0.3 0.1 0.1\n")
    (tmp_path / "classes.txt").write_text("ball\n")
    program = edited(
        "tools.separate_touching(tools.segment_colour(picture))",
        f"tools.read_annotation({str(boxes)!r}, image_path, picture.shape[:2]).instances",
    ).replace('["red", "circle"]', "[]")
    bench, _, _ = made(picture, tmp_path, fenced(program), question="How many balls are there?")
    assert (bench.program["by"], bench.program["agrees"]) == ("model", True)


def test_program_is_not_run_without_a_sandbox_and_the_reason_reported(
    picture_file, tmp_path, monkeypatch
):
    monkeypatch.setattr(program_run_check, "run_program", sandbox.run_program)
    monkeypatch.setattr(
        sandbox, "launch",
        lambda config, *_: Ran("not_run", None, "no namespaces here", isolated=False),
    )  # fmt: skip
    bench, _, _ = made(picture_file, tmp_path, fenced(GOOD))
    assert (bench.program["ending"], bench.program["agrees"]) == ("not_run", None)
    assert "no sandbox is available on this machine (no namespaces here)" in bench.program["text"]


def test_program_with_external_access_is_contained(picture_file, tmp_path):
    """The program passes the check of its form, but the sandbox contains it."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    text = edited(
        "    picture =", f"    import numpy\n    numpy.fromfile({str(secret)!r})\n    picture ="
    )
    _, writer, _ = made(picture_file, tmp_path, fenced(text), fenced(GOOD))
    assert "[RUN_FAILED]" in writer.told[1]
    assert "No such file" in writer.told[1]


@pytest.mark.slow
def test_encoding_comment_of_a_program_has_no_effect(picture_file, tmp_path):
    bench, _, _ = made(picture_file, tmp_path, fenced(GOOD), said="coding: utf-7\nimport os")
    lines = bench.program_file.read_text().splitlines()
    assert all(line.startswith("#") and "coding" not in line for line in lines[:2])
    assert lines[2] == "# Model: played-1. Question: coding: utf-7 import os"


def test_writer_is_selected_by_its_registered_name():
    with pytest.raises(UsageError, match="writer"):
        find_writer("nobody", {})
    with pytest.raises(UsageError, match="the writer model claude has no setting 'modl'"):
        find_writer("claude", {"modl": "x"})
