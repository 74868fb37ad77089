"""Names that packages register: found, named when missing, never the last one wins."""

from importlib.metadata import EntryPoint

import pytest

from bt_exec import plugins
from bt_exec.compiler import find_compiler
from bt_exec.failure import RegistrationError, UnknownName, UsageError
from bt_exec.plugins import load_plugin, plugin_names


@pytest.fixture
def registered(monkeypatch):
    """Register (name, value) pairs in every group."""

    def register(*pairs):
        points = [EntryPoint(name, value, "any") for name, value in pairs]
        monkeypatch.setattr(plugins.importlib.metadata, "entry_points", lambda **_: points)

    return register


def test_what_is_registered_is_found(registered):
    registered(("root", "math:sqrt"), ("path", "os:sep"))
    assert plugin_names("g", "thing") == ("path", "root")
    assert load_plugin("g", "thing", "root")(9) == 3


def test_a_wrong_name_lists_the_nearest(registered):
    registered(("offline", "math:sqrt"))
    with pytest.raises(UnknownName, match=r"there is no thing 'ofline'; known.*: offline"):
        load_plugin("g", "thing", "ofline")


def test_what_cannot_be_imported_is_said_with_its_place(registered):
    registered(("broken", "no_such_module_here:x"))
    with pytest.raises(UsageError, match=r"thing 'broken' \(no_such_module_here:x\) cannot be"):
        load_plugin("g", "thing", "broken")


def test_one_name_for_two_things_is_refused(registered):
    registered(("offline", "math:sqrt"), ("offline", "math:cos"))
    with pytest.raises(RegistrationError, match="compiler 'offline' is registered twice: math:sq"):
        find_compiler("offline", {})


def test_the_same_registration_twice_is_one(registered):
    registered(("root", "math:sqrt"), ("root", "math:sqrt"))
    assert plugin_names("g", "thing") == ("root",)
