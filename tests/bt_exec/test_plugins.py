"""Names registered by packages: found, reported when missing, never overridden."""

import sys
import types
from importlib.metadata import EntryPoint

import pytest

from bt_exec import plugins
from bt_exec.failure import RegistrationError, UnknownName, UsageError
from bt_exec.pack import Pack, find_pack
from bt_exec.plugins import load_plugin, plugin_names


@pytest.fixture
def registered(monkeypatch):
    """Register (name, value) pairs in every group."""

    def register(*pairs):
        points = [EntryPoint(name, value, "any") for name, value in pairs]
        installed = types.SimpleNamespace(select=lambda **_: points)
        monkeypatch.setattr(plugins, "_all_entry_points", lambda _: installed)

    return register


def test_registered_name_is_found(registered):
    registered(("root", "math:sqrt"), ("path", "os:sep"))
    assert plugin_names("g") == ("path", "root")
    assert load_plugin("g", "thing", "root")(9) == 3


def test_unknown_name_error_lists_the_nearest(registered):
    registered(("offline", "math:sqrt"))
    with pytest.raises(UnknownName, match=r"there is no thing 'ofline'; known.*: offline"):
        load_plugin("g", "thing", "ofline")


def test_failed_import_is_reported_with_its_location(registered):
    registered(("broken", "no_such_module_here:x"))
    with pytest.raises(UsageError, match=r"thing 'broken' \(no_such_module_here:x\) cannot be"):
        load_plugin("g", "thing", "broken")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero (its_module.py, line 1)"),
        (
            "from bt_exec import Pack\n\nx = Pack('x', sumary='a')",
            "unexpected keyword argument 'sumary'; did you mean 'summary'? (its_module.py, line 3)",
        ),
        (
            "from bt_exec import Pack\nx = Pack('x', zzz=1)",
            "unexpected keyword argument 'zzz'; allowed: name, summary, requires, ",
        ),
        (
            "from bt_exec import skill\n@skill(timeout=3)\ndef f():\n    'It.'\n    yield",
            "@skill has no argument 'timeout'; nearest first: timeout_s (its_module.py, line 2)",
        ),
        ("def", "SyntaxError: invalid syntax"),
        ("", "AttributeError: module 'its_module' has no attribute 'x'"),
        (
            "from bt_exec.skill import skill\n@skill()\ndef f():\n    'It.'\n    return",
            "skill f must be a generator: it must yield (its_module.py, line 2)",
        ),
    ],
)
def test_exception_on_import_is_reported_with_its_location(
    registered, tmp_path, monkeypatch, text, said
):
    (tmp_path / "its_module.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "its_module", raising=False)
    registered(("broken", "its_module:x"))
    with pytest.raises(UsageError) as told:
        load_plugin("g", "thing", "broken")
    sys.modules.pop("its_module", None)
    text = str(told.value)
    assert text.startswith("thing 'broken' (its_module:x) cannot be imported: ")
    assert said in text


def test_pack_has_the_name_of_its_registration(registered, monkeypatch):
    registered(("kitchen", "its_pack:PACK"))
    its_pack = types.ModuleType("its_pack")
    its_pack.PACK = Pack("kettle")
    monkeypatch.setitem(sys.modules, "its_pack", its_pack)
    message = "pack 'kitchen' is registered, but its name is 'kettle'"
    with pytest.raises(RegistrationError, match=message):
        find_pack("kitchen")


class _Named(types.SimpleNamespace):
    """Distribution."""


def test_error_of_a_name_registered_twice_lists_both_distributions(monkeypatch):
    points = [
        EntryPoint("root", "math:sqrt", "g")._for(_Named(name="first-package")),
        EntryPoint("root", "math:exp", "g")._for(_Named(name="second-package")),
        EntryPoint("path", "os:sep", "g")._for(_Named(name="first-package")),
    ]
    installed = types.SimpleNamespace(select=lambda **_: points)
    monkeypatch.setattr(plugins, "_all_entry_points", lambda _: installed)
    message = (
        r"^thing 'root' is registered twice: math:sqrt of first-package and math:exp of "
        r"second-package; uninstall one of them$"
    )
    with pytest.raises(RegistrationError, match=message):
        load_plugin("g", "thing", "root")
    assert plugin_names("g") == ("path", "root")
    assert load_plugin("g", "thing", "path")


def test_same_object_registered_twice_counts_once(registered):
    registered(("root", "math:sqrt"), ("root", "math:sqrt"))
    assert load_plugin("g", "thing", "root")(4) == 2


@pytest.mark.parametrize("call", ["sys.exit(0)", "sys.exit()", "exit('bye')", "raise SystemExit"])
def test_exit_on_import_is_an_error_with_its_location(registered, tmp_path, monkeypatch, call):
    (tmp_path / "leaving_module.py").write_text(f"import sys\n\n{call}\n")
    monkeypatch.syspath_prepend(tmp_path)
    registered(("leaving", "leaving_module:x"))
    with pytest.raises(UsageError, match=r"SystemExit: .*\(leaving_module.py, line 3\); sys.exit"):
        load_plugin("g", "thing", "leaving")


def test_identical_registration_counts_once(registered):
    registered(("root", "math:sqrt"), ("root", "math:sqrt"))
    assert plugin_names("g") == ("root",)


def test_package_installed_at_run_time_is_found(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "own" not in plugin_names("bt_exec.packs")
    info = tmp_path / "own-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[bt_exec.packs]\nown = own:PACK\n")
    assert "own" in plugin_names("bt_exec.packs")
