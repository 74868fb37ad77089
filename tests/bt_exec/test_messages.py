from __future__ import annotations

import pytest

from bt_exec.failure import Failure, RegistrationError
from bt_exec.messages import Messages

OWN = "OK: {en: Done., ko: 끝.}\n"
ARM = "STUCK: {en: 'The arm is stuck.', ko: 팔이 안 움직입니다.}\nwords: {x: {en: arm, ko: 팔}}\n"
BASE = "STUCK: {en: 'Blocked by {x}.', ko: 길이 막혔습니다.}\nwords: {x: {en: way, ko: 길}}\n"


@pytest.fixture
def files(tmp_path):
    def files(**texts):
        found = {}
        for name, text in texts.items():
            found[name] = tmp_path / f"{name}.yaml"
            found[name].write_text(text, encoding="utf-8")
        return found

    return files


def test_packs_may_say_the_same_code_differently(files):
    paths = files(own=OWN, arm=ARM, base=BASE)
    messages = Messages.load([paths["own"]], {"arm": paths["arm"], "base": paths["base"]})
    failure = Failure("STUCK", evidence={"x": "x"})
    assert messages.of("arm").explain(failure, "en") == "The arm is stuck."
    assert messages.of("base").explain(failure, "en") == "Blocked by way."
    assert messages.of("nobody").explain(failure, "en") == "The arm is stuck."
    assert messages.of("base").say("OK", "ko") == messages.say("OK", "ko") == "끝."
    assert messages.codes() == {"OK", "STUCK"}


def test_a_pack_may_not_change_what_the_executive_says(files):
    paths = files(own=OWN, bad="OK: {en: Fine., ko: 좋아요.}\n")
    with pytest.raises(RegistrationError, match="OK already has other sentences"):
        Messages.load([paths["own"]], {"bad": paths["bad"]})


def test_two_common_files_may_not_contradict_each_other(files):
    paths = files(arm=ARM, base=BASE)
    with pytest.raises(RegistrationError, match="STUCK already has other sentences"):
        Messages.load([paths["arm"], paths["base"]])
