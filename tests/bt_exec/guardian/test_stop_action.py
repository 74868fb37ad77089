"""Stop methods that a site or a driver may declare."""

from __future__ import annotations

import os

import pytest

from bt_exec.failure import SpecError
from bt_exec.guardian import Guard
from bt_exec.site.site import load_site


@pytest.mark.parametrize(
    ("stop", "data"),
    [
        ("estop --now 'arm 1'", {"command": ["estop", "--now", "arm 1"]}),
        (["estop", "--now"], {"command": ["estop", "--now"]}),
        (("estop",), {"command": ["estop"]}),
        ("lab.arm:stop", {"call": "lab.arm:stop", "args": []}),
        ("lab:Arm.stop", {"call": "lab:Arm.stop", "args": []}),
        (os.mkdir, {"call": "posix:mkdir", "args": []}),
        ("estop lab:stop", {"command": ["estop", "lab:stop"]}),
    ],
)
def test_stop_is_a_command_or_a_function(stop, data):
    assert Guard(stop).data == data


@pytest.mark.parametrize("stop", ["", "   ", [], [""], [1], lambda: None, "'open"])
def test_stop_method_of_an_unknown_form_is_refused(stop):
    with pytest.raises(ValueError, match=r"stop must be|No closing"):
        Guard(stop)


@pytest.mark.parametrize("stop", ["5", "null", "true", "[1, 2]", "{a: b}", "[]", "''"])
def test_invalid_stop_method_of_a_site_is_reported_once(stop, tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(f"site: s\nguard: {{stop: {stop}}}\npacks: {{door: {{}}}}\n")
    with pytest.raises(SpecError) as raised:
        load_site(file)
    (problem,) = raised.value.problems
    assert problem.message.startswith(
        "stop must be a command (a line, or a list of words) or module:function; found"
    )
    assert (problem.place, problem.found) == ("guard/stop", "")


@pytest.mark.parametrize("within_s", [0, -1, 0.01, 61, float("nan"), float("inf")])
def test_invalid_limit_is_refused(within_s):
    with pytest.raises(ValueError, match=r"within must be 0\.05 to 60 s"):
        Guard("estop", within_s=within_s)


def test_arguments_are_allowed_only_for_functions():
    assert Guard("lab:stop", ("arm", 1)).data["args"] == ["arm", 1]
    with pytest.raises(ValueError, match="args can be given only for a function"):
        Guard("estop", ("arm",))
