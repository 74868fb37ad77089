"""Public names of the package, imported lazily."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import bt_exec
from tests.cases import some


def test_public_names_exist():
    assert sorted(bt_exec.__all__) == bt_exec.__all__
    assert set(bt_exec._HOME) == set(bt_exec.__all__)
    for name in some(bt_exec.__all__):
        assert getattr(bt_exec, name) is not None


def test_import_of_the_package_imports_none_of_its_modules():
    code = "import bt_exec, sys; print([m for m in sys.modules if m.startswith('bt_exec.')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # a handler of Ctrl-C, without imports
    assert found.stdout.strip() == "['bt_exec.early_interrupt']"


@pytest.mark.parametrize(
    "first",
    [
        "",
        "import bt_exec.skill",
        "from bt_exec.skill import Running",
        "from bt_exec import Session",
    ],
)
def test_decorators_are_public_whatever_was_imported_before(first):
    """`bt_exec.skill` is also a module: `from bt_exec.skill import …` still works."""
    code = f"""
{first}
from bt_exec import Running, Steps, Verdict, condition, skill
import bt_exec, bt_exec.skill as module
from bt_exec.skill import skill as same

@skill
def bare(robot) -> Steps:
    'Go.'
    yield Running()

@skill(fails=["STUCK"])
def called(robot) -> Steps:
    'Go.'
    yield Running()

@condition
def near(robot) -> Verdict:
    'Whether it is near.'
    return Verdict.yes()

assert bare == same(bare.function) and called.fails == {{"STUCK"}} and near.name == "near"
assert module.Running is Running and bt_exec.skill is module is skill
print(bare.name)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("bare\n", "")


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Sessoin"):
        bt_exec.Sessoin  # noqa: B018


def test_dunder_all_lists_existing_names():
    """Covers every module of the package."""
    names = [info.name for info in pkgutil.walk_packages(bt_exec.__path__, "bt_exec.")]
    listed = {
        (name, each)
        for name in names
        if not name.endswith("__main__")
        for each in getattr(importlib.import_module(name), "__all__", ())
    }
    for name, each in some(listed, least=100):
        assert hasattr(importlib.import_module(name), each), f"{name} lists {each}"
