"""Output for scripts: valid JSON for any result of a skill."""

import io
import json
import threading

import numpy as np
import pytest

from bt_exec.cli.output import to_json

FILE = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": (1, "자재")}, '{"a":[1,"자재"]}'),
        ({"a": float("nan"), "b": 1e999}, '{"a":"NaN","b":"Infinity"}'),
        ({"a": np.float32(0.5), "b": np.arange(3)}, '{"a":0.5,"b":[0,1,2]}'),
        ({7: {"b"}}, '{"7":["b"]}'),
    ],
)
def test_values_become_json(value, text):
    assert to_json(value, file=FILE) == text


def test_value_that_is_not_data_is_described():
    lock = json.loads(to_json({"lock": threading.Lock()}, file=FILE))["lock"]
    assert lock.startswith("<unlocked")


def test_stream_with_a_limited_encoding_gets_escapes():
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert to_json({"a": "자재"}, file=ascii_only) == '{"a":"\\uc790\\uc7ac"}'
