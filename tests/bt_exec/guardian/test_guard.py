"""Stop methods that a site or a driver may declare."""

from __future__ import annotations

import os

import pytest

from bt_exec.guardian import Guard


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


@pytest.mark.parametrize("stop", ["", "   ", [], [""], [1], lambda: None, "'open", 3])
def test_other_stops_are_refused(stop):
    with pytest.raises((ValueError, TypeError)):
        Guard(stop)


@pytest.mark.parametrize("within_s", [0, -1, 0.01, 61, float("nan"), float("inf")])
def test_invalid_limit_is_refused(within_s):
    with pytest.raises(ValueError, match=r"within must be 0\.05 to 60 s"):
        Guard("estop", within_s=within_s)


def test_arguments_are_allowed_only_for_functions():
    assert Guard("lab:stop", ("arm", 1)).data["args"] == ["arm", 1]
    with pytest.raises(ValueError, match="args are for a function"):
        Guard("estop", ("arm",))
