"""Hostile servers (hanging, slow or sending false data): bounded time, a refusal, and no motion."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bt_exec.language.messages import language_of
from bt_exec_llm.client import ModelClient, ModelSettings
from bt_exec_llm.testing.messages_replies import (
    cut_off,
    drip,
    error,
    hang,
    html,
    huge,
    not_http,
    raw,
    refusal,
    reset,
    text,
)
from bt_exec_llm.testing.messages_server import MessagesServer
from tests.llm.model_compiler.fake_door import run_paper

BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    + ["root: {sequence: *a11}"]
)
HOSTILE = {
    "hang": (hang(60), "MODEL_TIMEOUT"),
    "drip": (drip(20), "MODEL_TIMEOUT"),
    "reset": (reset(), "MODEL_BROKEN_OFF|MODEL_UNREACHABLE"),
    "reset in the middle": (reset(50), "MODEL_BROKEN_OFF|MODEL_UNREACHABLE"),
    "a huge retry-after": (
        error(429, "rate_limit_error", headers={"retry-after": "864000"}),
        "MODEL_RATE_LIMITED",
    ),
    "overloaded": (error(529, "overloaded_error"), "MODEL_OVERLOADED"),
    "wrong key": (error(401, "authentication_error"), "MODEL_AUTH"),
    "html": (html(), "MODEL_NOT_JSON"),
    "not_http": (not_http(), "MODEL_BROKEN_OFF|MODEL_UNREACHABLE|MODEL_NOT_JSON"),
    "5 MB": (huge(5_000_000), "MODEL_TOO_BIG"),
    "JSON that is not a message": (raw(b'{"hello": 1}'), "MODEL_BAD_ANSWER"),
    "declines": (refusal(), "MODEL_REFUSED"),
    "always cut off": (cut_off("root: {sequ"), "PLAN_REJECTED"),
    "a YAML bomb": (text(BOMB), "PLAN_REJECTED"),
    "a hundred thousand brackets": (text("root: " + "[" * 100_000), "PLAN_REJECTED"),
    "a deep tree": (text('{"root": ' + '{"sequence": [' * 5000), "PLAN_REJECTED"),
    "a python object": (text("root: !!python/object/apply:os.system ['x']"), "PLAN_REJECTED"),
    "terminal escapes": (text('cannot: "\\e[2J\\e]0;owned\\a"'), "PLAN_REJECTED|MODEL_DECLINED"),
    "half characters": (text('root: {do: "\\ud800"}'), "PLAN_REJECTED"),
    "an empty answer": (text(" "), "MODEL_BAD_ANSWER"),
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_server_is_refused_without_motion(over_http, name):
    reply, codes = HOSTILE[name]
    command = "문을 열어" if len(name) % 2 else "open the door"
    limit = 0.7 if codes == "MODEL_TIMEOUT" else 10.0
    run = run_paper(command, over_http([reply], timeout_s=limit))
    assert (run.outcome.status, run.outcome.exit_code) == ("refused", 5)
    assert run.outcome.reason_code in codes.split("|")
    assert run.robot.moves == []
    assert language_of(run.outcome.message) == language_of(command)
    assert run.outcome.message.isprintable()


def test_unreachable_server_is_refused(over_http):
    from bt_exec_llm.model_compiler.compiler import ModelCompiler, PlanningSettings

    model = ModelClient(ModelSettings(base_url="http://127.0.0.1:9", retries=0, timeout_s=2))
    run = run_paper("open the door", ModelCompiler(model, PlanningSettings(first="model")))
    assert (run.outcome.status, run.outcome.reason_code) == ("refused", "MODEL_UNREACHABLE")


@pytest.mark.parametrize("name", ["hang", "html", "reset", "a YAML bomb"])
def test_hostile_server_falls_back_to_the_offline_compiler(over_http, name):
    compiler = over_http([HOSTILE[name][0]], timeout_s=0.5, fallback="offline")
    assert run_paper("open the door", compiler).outcome.status == "satisfied"


def test_hostile_repair_leaves_the_mission_blocked(over_http):
    replies = ["root: {tree: get_material}", html()]
    compiler = over_http(replies, repair="model")
    run = run_paper("get the material", compiler, faults=["grasp:1=GRASP_SLIPPED"])
    assert (run.outcome.status, run.outcome.reason_code) == ("blocked", "SKILL_FAILED")
    assert "The server at this address is not a language model" in run.outcome.message


SITE = """
site: hanging
packs:
  door: {robot: sim, detector: oracle}
compiler: {name: claude, first: model, base_url: URL, tier: text, model: slow, timeout_s: 3600}
limits: {plan_s: 600}
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are sent another way there")
def test_ctrl_c_does_not_wait_for_a_pending_request(tmp_path: Path):
    with MessagesServer([hang(3600)]) as server:
        site = tmp_path / "hanging.yaml"
        site.write_text(SITE.replace("URL", server.url))
        call = "from bt_exec.cli.app import main; main()"
        arguments = ["run", "open the door", "--site", str(site), "--no-journal", "--plain"]
        process = subprocess.Popen(
            [sys.executable, "-u", "-c", call, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        limit = time.monotonic() + 60
        while not server.requests and time.monotonic() < limit and process.poll() is None:
            time.sleep(0.02)
        assert server.requests, process.communicate()[0]
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if "stopping the mission" in line:
                break
        rest = process.stdout.read()
        process.wait(60)
        process.stdout.close()
    assert process.returncode == 130, rest
    assert "Stopped at your request." in "".join(said) + rest
