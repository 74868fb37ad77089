"""Compile requests."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from bt_exec.failure import Interrupted, UsageError
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
def test_each_plan_has_the_next_version_number(before: int | None, version: int) -> None:
    header = Mission(command="go", plan_version=before or 1)
    previous = MissionSpec(mission=header, root=Do(do="look")) if before else None
    assert request(previous=previous).plan_version == version


def test_requests_with_equal_content_are_equal() -> None:
    """The cancel event and the record function are not compared."""
    catalogue, library = Catalogue([PACK]), Library()
    one = Request("go", "en", catalogue, library, limit_s=2.0)
    assert one.cancel is not replace(one, cancel=threading.Event()).cancel
    assert one == replace(one, cancel=threading.Event(), record=lambda **_: None)
    assert one != replace(one, limit_s=3.0)
    assert not one.cancel.is_set()


def test_request_contains_the_pack_settings_of_the_site() -> None:
    assert request().settings_of(PACK) == Own(speed=1.0)
    assert request(settings={"own": Own(speed=2.0)}).settings_of(PACK) == Own(speed=2.0)
    assert request(settings={"other": PackSettings()}).settings_of(PACK) == Own(speed=1.0)


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), ValueError("no key")])
def test_compiler_is_reported_by_name_if_its_factory_raises(monkeypatch, error) -> None:
    def factory(_):
        raise error

    monkeypatch.setattr("bt_exec.planning.compiler.load_plugin", lambda *_: factory)
    with pytest.raises(UsageError, match=rf"compiler 'own' cannot be made: {type(error).__name__}"):
        find_compiler("own", {})


def test_only_an_operator_interrupt_propagates_from_a_compiler_factory(monkeypatch) -> None:
    def factory(_):
        raise raised

    monkeypatch.setattr("bt_exec.planning.compiler.load_plugin", lambda *_: factory)
    monkeypatch.setattr("bt_exec.declarations.exception_description.is_command_line", lambda: True)
    raised = KeyboardInterrupt()
    with pytest.raises(UsageError, match="compiler 'own' cannot be made: KeyboardInterrupt"):
        find_compiler("own", {})
    raised = Interrupted()
    with pytest.raises(Interrupted):
        find_compiler("own", {})
