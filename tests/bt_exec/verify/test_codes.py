"""Codes of the layers: each one is listed in its module and has a test."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest

from bt_exec.spec import expand, library, load, yaml_mistakes, yaml_source
from bt_exec.verify import (
    argument_values,
    arguments_and_bindings,
    bounds_and_claims,
    dry_run,
    grounding,
    likely_mistakes,
    vocabulary,
)
from tests.bt_exec.spec.workshop import DATA

LAYERS = (
    vocabulary,
    arguments_and_bindings,
    grounding,
    dry_run,
    bounds_and_claims,
    likely_mistakes,
)
FURTHER_TESTS = {"bounds_and_claims": ("resources",), "vocabulary": ("fact_values",)}
CODE = re.compile(r"``([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)``")
GIVEN = re.compile(r'"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|TAG|ANCHOR|EMPTY|UNBOUND|UNREADABLE)"')
TESTS = DATA.parent / "bt_exec"


def listed(module: ModuleType) -> set[str]:
    """Return the codes listed in the docstring of a module."""
    return set(CODE.findall(inspect.getsource(module)))


def given(module: ModuleType) -> set[str]:
    """Return the codes reported by a module and its helper."""
    parts = (module, argument_values) if module is arguments_and_bindings else (module,)
    found = GIVEN.findall("".join(map(inspect.getsource, parts)))
    return {code for code in found if not hasattr(module, code)}


def named(module: ModuleType) -> set[str]:
    """Return the codes that a module reports by a constant: ``NEED_NOT_MET = "NEED_NOT_MET"``."""
    return {name for name in vars(module) if name.isupper() and vars(module)[name] == name}


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__.split(".")[-1])
def test_layer_lists_the_codes_that_it_reports(layer: ModuleType) -> None:
    assert given(layer) | named(layer) == set(CODE.findall(layer.__doc__ or ""))


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__.split(".")[-1])
def test_every_code_of_a_layer_has_a_test(layer: ModuleType) -> None:
    corpus = (DATA / "malformed" / "expected.yaml").read_text()
    name = layer.__name__.split(".")[-1]
    files = (name, *FURTHER_TESTS.get(name, ()))
    tests = "".join((TESTS / "verify" / f"test_{one}.py").read_text() for one in files)
    missing = {code for code in listed(layer) if f"{code} " not in corpus + tests}
    assert missing == set()


def test_every_code_of_reading_and_loading_has_a_test() -> None:
    modules = (yaml_source, load, library, expand, yaml_mistakes)
    codes = {code for module in modules for code in given(module)}
    told = {code for module in modules for code in listed(module)}
    assert codes == told
    tests = "".join(
        path.read_text()
        for path in (DATA / "malformed" / "expected.yaml", *(TESTS / "spec").glob("test_*.py"))
    )
    assert {code for code in codes if code not in tests} == set()
