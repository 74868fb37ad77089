"""The executive without extras: it works, and names the extra that provides a missing package."""

import subprocess
import sys

import pytest

from bt_exec.declarations.exception_description import declared_requirements, extra_hint
from bt_exec.failure import UsageError
from bt_exec.plugins import load_plugin

EXTRAS = {"mujoco": "sim", "cv2": "vision", "anthropic": "model", "ruamel": "author"}
EXTRAS |= {"onnxruntime": "vision", "fastapi": "serve", "rapidocr": "ocr", "ray.data": "ray"}

WITHOUT_EXTRAS = """
import sys
from bt_exec.declarations.exception_description import declared_requirements

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

ABSENT = {name.replace("-", "_") for name, extra in declared_requirements() if extra} | {"cv2"}
sys.meta_path.insert(0, Absent())
from bt_exec.cli.app import run_command_line
sys.exit(run_command_line(sys.argv[1:]))
"""


def without_extras(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process that can import no package of an extra."""
    command = [sys.executable, "-c", WITHOUT_EXTRAS, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(("module", "extra"), EXTRAS.items())
def test_extra_hint_names_the_extra_of_a_module(module: str, extra: str) -> None:
    hint = extra_hint(ModuleNotFoundError(f"No module named {module!r}", name=module))
    assert f"pip install 'bt-exec[{extra}]'" in hint


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'my_driver'", name="my_driver"),
        ModuleNotFoundError("no name"),
        ImportError("cannot import name 'x'", name="mujoco"),
        ValueError("mujoco"),
    ],
)
def test_extra_hint_is_empty_for_other_errors(error: Exception) -> None:
    assert extra_hint(error) == ""


def test_declared_requirements_name_each_package_once() -> None:
    found = declared_requirements()
    assert len(found) == len(dict(found))
    assert dict(found)["pydantic"] == ""
    assert dict(found)["mujoco"] == "sim"
    assert "pytest" not in dict(found)


def test_plugin_with_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bt_exec_skills.door.pack", None)
    with pytest.raises(UsageError, match="cannot be imported"):
        load_plugin("bt_exec.packs", "pack", "door")


@pytest.mark.slow
def test_executive_compiles_english_without_extras() -> None:
    done = without_extras("compile", "open the door")
    assert (done.returncode, done.stderr) == (0, "")
    assert "tree: open_door" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (("run", "open the door", "--no-journal"), "sim"),
        (("skills", "--site", "image"), "vision"),
    ],
)
def test_command_names_the_missing_extra(arguments: tuple[str, ...], extra: str) -> None:
    done = without_extras(*arguments)
    assert done.returncode == 2
    assert f"pip install 'bt-exec[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr
