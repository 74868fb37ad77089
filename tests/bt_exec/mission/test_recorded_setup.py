"""Recorded setup of a mission."""

from __future__ import annotations

import json
import platform

from bt_exec.journal.json_text import to_json
from bt_exec.mission.recorded_setup import file_digests, setup_data
from bt_exec.site.site import load_site


def test_setup_of_a_site_contains_the_settings_for_a_replay() -> None:
    site = load_site("door")
    setup = json.loads(to_json(setup_data(site, {"door": "open"}, "offline")))
    assert setup["compiler"] == {"name": "offline"}
    assert setup["rates"]["tick_hz"] == site.rates.tick_hz
    assert setup["limits"]["replans"] == site.limits.replans
    assert setup["worlds"]["door"]["door"] == "open"
    assert setup["worlds"]["door"]["seed"] == 0  # the default is recorded, too
    assert setup["versions"]["python"] == platform.python_version()
    assert {"bt-exec", "mujoco"} <= setup["versions"].keys()
    assert all(len(digest) == 64 for digest in setup["digests"].values())


def test_setup_digests_differ_between_sites_and_agree_between_loads() -> None:
    door, again, building = load_site("door"), load_site("door"), load_site("building")
    assert file_digests(door) == file_digests(again)
    assert not set(file_digests(door).values()) & set(file_digests(building).values())
