"""The public names are these, and importing the package imports none of their modules."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import bt_exec


def test_every_public_name_is_there():
    assert sorted(bt_exec.__all__) == bt_exec.__all__
    assert set(bt_exec._HOME) == set(bt_exec.__all__)
    for name in bt_exec.__all__:
        assert getattr(bt_exec, name) is not None


def test_importing_costs_nothing():
    code = "import bt_exec, sys; print([m for m in sys.modules if m.startswith('bt_exec.')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_wrong_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Sessoin"):
        bt_exec.Sessoin  # noqa: B018


def test_all_lists_what_exists():
    """Every module's __all__ names things that are there."""
    for info in pkgutil.walk_packages(bt_exec.__path__, "bt_exec."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name in getattr(module, "__all__", ()):
            assert hasattr(module, name), f"{info.name} lists {name}"
