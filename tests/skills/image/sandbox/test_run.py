"""Runs of programs with and without a sandbox, and messages about their results."""

import os
import struct
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from bt_exec_skills.image.doctor import check_machine
from bt_exec_skills.image.rules.program_run_check import check_program
from bt_exec_skills.image.sandbox import run
from bt_exec_skills.image.sandbox.blocked_system_calls import (
    _AUDIT,
    _CLONE,
    _CLONE3,
    _DENIED,
    _PRLIMIT,
    build_call_filter,
)
from bt_exec_skills.image.sandbox.limits import Limits
from bt_exec_skills.image.sandbox.process import Ran
from bt_exec_skills.image.sandbox.run import run_program
from bt_exec_skills.image.workbench import Answer, Bench

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits are those of POSIX")

ANSWERS_SEVEN = "def run(image_path):\n    return {'answer': 7}\n"


@pytest.fixture
def image(tmp_path):
    file = tmp_path / "picture.png"
    cv2.imwrite(str(file), np.full((8, 8, 3), 200, np.uint8))
    return file


@pytest.fixture
def no_room(monkeypatch):
    """Simulate a kernel without namespaces, and record the programs that run anyway."""
    real, launched = run.launch, []

    def launch(config, *rest):
        if config["namespaces"]:
            return Ran("not_run", None, "unshare: Operation not permitted", isolated=False)
        launched.append(config)
        return real(config, *rest)

    monkeypatch.setattr(run, "launch", launch)
    return launched


def test_program_of_a_model_is_not_run_without_a_sandbox(image, no_room):
    ran = run_program(ANSWERS_SEVEN, image)
    assert ran == Ran("not_run", None, "unshare: Operation not permitted", isolated=False)
    assert no_room == []


def test_generated_program_runs_within_limits_without_a_sandbox(image, no_room):
    ran = run_program(ANSWERS_SEVEN, image, trusted=True)
    assert ran == Ran("returned", {"answer": 7}, "", isolated=False)
    assert len(no_room) == 1


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        ("while True: pass", "time"),
        ("import time; time.sleep(60)", "time"),
        ("return 'x' * 10_000_000", "output"),
        ("return len(bytearray(900_000_000))", "memory"),
        ("import os; return os.environ['HOME'] == os.getcwd() and len(os.environ)", "returned"),
    ],
)
def test_limits_apply_without_a_sandbox(image, no_room, body, ending):
    wall_s = 1.0 if ending == "time" else 30.0  # a busy machine is slow
    limits = Limits(wall_s=wall_s, memory_bytes=400_000_000)
    ran = run_program(f"def run(image_path):\n    {body}\n", image, trusted=True, limits=limits)
    assert (ran.ending, ran.isolated) == (ending, False)
    assert ran.result in (None, 8)  # the given environment variables


def test_required_files_are_available_in_the_sandbox(image, tmp_path):
    beside = tmp_path / "boxes.txt"
    beside.write_text("0 0.5 0.5 0.2 0.2")
    text = (
        "from pathlib import Path\nfrom bt_exec_skills.image import tools\n"
        "def run(image_path):\n    Path('seen.txt').write_text('x')\n"
        f"    boxes = Path({str(beside)!r}).read_text()\n"
        "    return {'answer': [list(tools.load_picture(image_path).shape), boxes]}\n"
    )
    ran = run_program(text, image, [beside], trusted=True)
    assert ran.result == {"answer": [[8, 8, 3], "0 0.5 0.5 0.2 0.2"]}, ran
    assert not list(Path.cwd().glob("seen.txt"))


def test_sandbox_works_with_a_restrictive_umask(image):
    before = os.umask(0o077)
    try:
        ran = run_program("def run(image_path):\n    return 1\n", image)
    finally:
        os.umask(before)
    assert ran.ending in ("returned", "not_run")
    assert "Permission denied" not in ran.why


def test_program_reads_a_picture_with_a_relative_path(image, monkeypatch):
    monkeypatch.chdir(image.parent)
    ran = run_program(
        "def run(image_path):\n    return open(image_path, 'rb').read(4)[1:].decode()\n",
        Path("picture.png"),
        trusted=True,
    )
    assert ran.result == "PNG"


MEASURES = {
    "memory_bytes": "held = []\n    try:\n        while True: held.append(bytearray(1 << 22))\n"
    "    except MemoryError: return len(held) << 22",
    "file_bytes": "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); size = 0\n"
    "    with open('out', 'wb', 0) as file:\n        try:\n"
    "            while True: size += file.write(bytes(1 << 16))\n"
    "        except OSError: return size",
    "open_files": "held = []\n    try:\n        while True: held.append(open('/dev/null'))\n"
    "    except OSError: return held[-1].fileno() + 1",
}


@pytest.mark.parametrize("name", MEASURES)
def test_measured_sandbox_limit_is_within_a_tenth_of_the_setting(image, name):
    limits = Limits(memory_bytes=1_500_000_000)
    ran = run_program(f"def run(image_path):\n    {MEASURES[name]}\n", image, limits=limits)
    if ran.ending == "not_run":
        pytest.skip(ran.why)
    most = getattr(limits, name)
    assert 0.9 * most <= ran.result <= most, ran


@pytest.mark.parametrize(
    ("text", "language", "agrees", "says"),
    [
        (ANSWERS_SEVEN, "en", True, ""),
        (ANSWERS_SEVEN.replace("7", "8"), "en", False, "returned another result: 8, not 7."),
        (ANSWERS_SEVEN.replace("7", "8"), "ko", False, "프로그램의 결과가 다릅니다: 8 (답: 7)."),
        (ANSWERS_SEVEN.replace("7", "'7'"), "en", False, 'another result: "7", not 7.'),
        (ANSWERS_SEVEN.replace("7", "7 / 0"), "en", None, "the program failed (ZeroDivisionError"),
        (
            ANSWERS_SEVEN.replace("7", "7 / 0"),
            "ko",
            None,
            "확인하지 못했습니다: 프로그램이 실패함",
        ),
        ("def go(): pass", "en", None, "no function run(image_path)"),
        ("def run(", "ko", None, "SyntaxError"),
        ("\udcff\0", "en", None, "the program failed"),
    ],
)
def test_program_result_that_differs_from_the_answer_is_reported(
    image, text, language, agrees, says
):
    bench = Bench(image)
    bench.answer = Answer("7.", 7, 1.0)
    checked = check_program(bench, text, language, trusted=True)
    assert checked.agrees is agrees
    assert says in checked.text
    assert bool(says) == bool(checked.text)


@pytest.mark.parametrize(
    ("language", "says"), [("en", "no sandbox is available"), ("ko", "격리 실행")]
)
def test_reason_why_a_program_was_not_run_is_reported(image, no_room, language, says):
    bench = Bench(image)
    bench.answer = Answer("7.", 7, 1.0)
    checked = check_program(bench, ANSWERS_SEVEN, language)
    assert (checked.agrees, checked.ending) == (None, "not_run")
    assert says in checked.text
    assert "Operation not permitted" in checked.text


ALLOWED, NOT_PERMITTED, NO_SUCH_CALL = 0x7FFF0000, 0x00050001, 0x00050026


def judge(machine, number, argument=0):
    """Return the result of the filter, interpreted like the kernel does."""
    rows = list(struct.iter_unpack("=HBBI", build_call_filter(machine)))
    data = {4: _AUDIT[machine], 0: number, 16: argument}
    at, value = 0, 0
    while True:
        code, yes, no, k = rows[at]
        holds = {0x15: value == k, 0x25: value > k, 0x45: bool(value & k)}
        if code == 0x06:
            return k
        if code == 0x20:
            value, step = data[k], 0
        else:
            step = yes if holds[code] else no
        at += 1 + step


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_system_call_filter_refuses_exactly_the_listed_calls(machine):
    column = list(_AUDIT).index(machine)
    denied = {pair[column] for pair in _DENIED.values()} - {None}
    special = {_CLONE[machine], _PRLIMIT[machine], _CLONE3}
    assert all(judge(machine, number) == NOT_PERMITTED for number in denied)
    others = set(range(460)) - denied - special
    assert all(judge(machine, number) == ALLOWED for number in others)
    assert judge(machine, 0x40000000) == NOT_PERMITTED
    assert build_call_filter("sparc") == b""


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_system_call_filter_allows_threads_but_no_new_processes(machine):
    assert judge(machine, _CLONE[machine], 0x003D0F00) == ALLOWED  # pthread_create
    assert judge(machine, _CLONE[machine], 0x01200011) == NOT_PERMITTED  # fork
    assert judge(machine, _CLONE[machine], 0x00004111) == NOT_PERMITTED  # vfork
    assert judge(machine, _CLONE3) == NO_SUCH_CALL
    assert judge(machine, _PRLIMIT[machine], 0) == ALLOWED
    assert judge(machine, _PRLIMIT[machine], 1) == NOT_PERMITTED


def test_doctor_reports_whether_the_sandbox_works(no_room):
    _, (name, state, detail, fix) = check_machine()
    assert (name, state, detail) == ("sandbox", "optional", "unshare: Operation not permitted")
    assert "user namespaces" in fix


def test_doctor_tries_the_sandbox():
    weights, (name, state, *_) = check_machine()
    assert weights[:2] == ("weights", "ok")
    assert (name, state) in (("sandbox", "ok"), ("sandbox", "optional"))
