"""One motion at a time."""

from bt_exec_skills.motion.one_motion import OneMotion


def moving(periods):
    for k in range(periods):
        yield k / periods, "reaching"


def test_new_motion_ends_the_previous_one():
    frozen = []
    body = OneMotion(lambda: frozen.append(True))
    assert (body.idle, body.doing, body.advance()) == (True, "", None)
    first = body.start(moving(5))
    body.advance()
    assert (body.idle, body.doing) == (False, "reaching")
    second = body.start(moving(2))
    assert (first.done, first.failure.code, len(frozen)) == (True, "STOPPED", 1)
    assert [body.advance() for _ in range(3)] == [(0.0, "reaching"), (0.5, "reaching"), None]
    assert second.done
    assert body.idle


def test_stop_is_executed_once_and_at_rest():
    frozen = []
    body = OneMotion(lambda: frozen.append(True))
    body.ask_to_stop()
    body.obey()
    body.obey()
    assert len(frozen) == 1
    motion = body.start(moving(5))
    body.ask_to_stop()
    assert not motion.done
    body.obey()
    assert motion.failure.code == "STOPPED"
