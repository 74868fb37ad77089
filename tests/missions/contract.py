"""Checker of turn reports, for every rule that can be checked by code."""

import json

KEYS = [
    "mode",
    "plan_version",
    "step_index",
    "next_action",
    "full_action_list",
    "skip_log",
    "visibility_warnings",
    "explanation",
    "door_state_estimation",
    "observations",
    "gate_evaluations",
    "goal_status",
    "stop_signal",
    "arm_policy",
]
ARGS = {
    "open_door": {"arm", "object_label"},
    "close_door": {"arm", "object_label"},
    "move_arm": {"arm", "object_label"},
    "grasp": {"arm", "object_label"},
    "release": {"arm"},
    "return_home": set(),
}
LABELS = {
    "open_door": {"door", "door-handle"},
    "close_door": {"door", "door-handle"},
    "move_arm": {"material"},
    "grasp": {"material"},
}
REASONS = {
    "OK",
    "ALREADY_OPEN",
    "ALREADY_CLOSED",
    "MATERIAL_NOT_VISIBLE_AFTER_OPEN",
    "UNCERTAIN_PERCEPTION",
    "SKILL_FAILED",
}
MATERIAL_WORDS = ("material", "자재")


def check_action(action):
    assert list(action) == ["name", "args"]
    name, args = action["name"], action["args"]
    assert set(args) == ARGS[name]
    if "arm" in args:
        assert args["arm"] in ("left", "right")
    if "object_label" in args:
        assert args["object_label"] in LABELS[name]


def check_report(line, *, fetch):
    """Check one line of a turns file; `fetch` says whether the command is about material."""
    report = json.loads(line)
    assert line == json.dumps(report, ensure_ascii=False, separators=(",", ":")), "minified"
    status = report["goal_status"]["status"]
    blocked = status == "blocked"
    assert list(report) == [key for key in KEYS if key != "stop_signal" or blocked]
    assert report["mode"] == ("init" if report["step_index"] == 0 else "step")
    assert report["plan_version"] >= 1
    for action in report["full_action_list"]:
        check_action(action)
    if report["next_action"] is not None:
        check_action(report["next_action"])
        assert report["full_action_list"][0] == report["next_action"], "the list holds what is next"
        assert status == "in_progress"
    for entry in report["skip_log"]:
        assert list(entry) == ["skipped"]
        assert entry["skipped"]["reason"] in ("already open", "already closed")
        assert entry["skipped"]["name"] in ("open_door", "close_door")
    state = report["door_state_estimation"]
    assert list(state) == ["state", "confidence", "evidence"]
    assert state["state"] in ("open", "ajar", "closed", "uncertain")
    assert 0 <= state["confidence"] <= 1
    assert round(state["confidence"], 1) == state["confidence"]
    assert all(fact.startswith(("primary:", "proxy:")) for fact in state["evidence"])
    assert list(report["observations"]) == ["handle_present", "material_visible"]
    assert report["observations"]["material_visible"] in (True, False, "uncertain")
    for gate in report["gate_evaluations"]:
        assert list(gate) == ["gate", "result", "reason"]
        assert gate["gate"] in ("need_open_door", "material_visible_after_open")
        assert gate["result"] in (True, False, "uncertain")
    assert list(report["goal_status"]) == ["status", "reason_code", "message"]
    assert status in ("in_progress", "satisfied", "blocked")
    assert report["goal_status"]["reason_code"] in REASONS
    if blocked:
        signal = report["stop_signal"]
        assert list(signal) == ["should_stop", "reason_code", "notify", "message"]
        assert signal["should_stop"] is True
        assert signal["reason_code"] == report["goal_status"]["reason_code"] != "OK"
    if status != "in_progress":
        assert report["next_action"] is None
        assert report["full_action_list"] == []
    assert report["arm_policy"] == {"material_arm": "right"}
    if not fetch:
        prose = [report["explanation"], report["goal_status"]["message"]]
        prose += [gate["reason"] for gate in report["gate_evaluations"]]
        prose += [action["name"] for action in report["full_action_list"]]
        assert not any(word in text for word in MATERIAL_WORDS for text in prose)
        assert report["visibility_warnings"] == []
        assert report["observations"]["material_visible"] == "uncertain"
        assert all(gate["gate"] == "need_open_door" for gate in report["gate_evaluations"])
    return report


def check_turns(lines, *, fetch):
    """Check all turns of one mission and their order, and return them."""
    reports = [check_report(line, fetch=fetch) for line in lines]
    assert [report["step_index"] for report in reports] == list(range(len(reports)))
    versions = [report["plan_version"] for report in reports]
    assert versions == sorted(versions)
    assert all(r["goal_status"]["status"] == "in_progress" for r in reports[:-1])
    assert reports[-1]["goal_status"]["status"] != "in_progress"
    return reports
