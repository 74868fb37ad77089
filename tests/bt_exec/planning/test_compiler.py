"""What a compiler is asked with."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from bt_exec.failure import UsageError
from bt_exec.pack import Catalogue, Pack, PackSettings
from bt_exec.planning.compiler import Request, find_compiler
from bt_exec.spec.library import Library
from bt_exec.spec.model import Do, Mission, MissionSpec


class Own(PackSettings):
    speed: float = 1.0


PACK = Pack("own", settings=Own)


def request(**more: object) -> Request:
    return Request("go", "en", Catalogue([PACK]), Library(), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("before", "version"), [(None, 1), (1, 2), (2, 3), (7, 8)])
def test_each_plan_is_one_version_after_the_one_before(before: int | None, version: int) -> None:
    header = Mission(command="go", plan_version=before or 1)
    previous = MissionSpec(mission=header, root=Do(do="look")) if before else None
    assert request(previous=previous).plan_version == version


def test_requests_for_the_same_are_equal_whoever_waits_for_the_answer() -> None:
    """Each has its own word to give up; where raw answers are kept is not part of the question."""
    catalogue, library = Catalogue([PACK]), Library()
    one = Request("go", "en", catalogue, library, limit_s=2.0)
    assert one.cancel is not replace(one, cancel=threading.Event()).cancel
    assert one == replace(one, cancel=threading.Event(), record=lambda **_: None)
    assert one != replace(one, limit_s=3.0)
    assert not one.cancel.is_set()


def test_the_settings_of_a_pack_are_the_sites_or_its_defaults() -> None:
    assert request().settings_of(PACK) == Own(speed=1.0)
    assert request(settings={"own": Own(speed=2.0)}).settings_of(PACK) == Own(speed=2.0)
    assert request(settings={"other": PackSettings()}).settings_of(PACK) == Own(speed=1.0)


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), ValueError("no key")])
def test_compiler_whose_factory_raises_is_named(monkeypatch, error) -> None:
    def factory(_):
        raise error

    monkeypatch.setattr("bt_exec.planning.compiler.load_plugin", lambda *_: factory)
    with pytest.raises(UsageError, match=rf"compiler 'own' cannot be made: {type(error).__name__}"):
        find_compiler("own", {})
