"""Execution of a generated program on a picture in its sandbox.

The sandbox consists of Linux namespaces without network and other processes. Its files are Python,
the tools and the given files, all read-only, and one writable folder in memory. If the kernel does
not allow namespaces (in some containers, on other systems), a program of a model is not run. A
program of the built-in templates is then run with resource limits alone, because it only repeats
steps that were already executed and contains external values only as literals.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import bt_exec
import bt_exec_skills
from bt_exec_skills.image.sandbox.file_system import FOLDER
from bt_exec_skills.image.sandbox.limits import Limits
from bt_exec_skills.image.sandbox.process import SANDBOX_PACKAGE, Ran, interpreter_path, launch

__all__ = ["run_program"]


def run_program(
    text: str,
    image: Path,
    readable: Sequence[Path] = (),
    *,
    trusted: bool = False,
    limits: Limits | None = None,
) -> Ran:
    """Run the function ``run(image_path) -> dict`` of a program on a picture.

    Args:
        text: Source code of the program.
        image: The picture; the program can read it at the same path.
        readable: Further files that the program may read.
        trusted: Whether the built-in templates wrote the program. If no sandbox can be created, a
            trusted program runs with the limits alone.
        limits: Resource limits of the run.
    """
    limits = limits or Limits()
    with tempfile.TemporaryDirectory(prefix="bt-exec-program-") as name:
        folder, image = Path(name), image.absolute()
        root, work, program = folder / "room", folder / "work", folder / "program.py"
        root.mkdir()
        work.mkdir()
        program.write_text(text, encoding="utf-8", errors="replace")
        program.chmod(0o644)  # for the sandbox's user; other users cannot enter the folder
        shown = (*_python_files(), program, image, *(one.absolute() for one in readable))
        config = {
            "limits": asdict(limits),
            "command": [
                interpreter_path(),
                "-S",
                "-P",
                "-m",
                f"{SANDBOX_PACKAGE}.inside_runner",
                str(program),
                str(image),
            ],
            "root": str(root),
            "readable": [str(path) for path in shown],
        }
        if sys.platform == "linux":
            ran = launch({**config, "namespaces": True}, _program_environment(FOLDER), work, limits)
        else:
            ran = Ran("not_run", None, f"{sys.platform} has no namespaces", isolated=False)
        if ran.ending == "not_run" and trusted:
            ran = launch(
                {**config, "namespaces": False}, _program_environment(str(work)), work, limits
            )
        return ran


def _python_files() -> list[Path]:
    """Return the files and folders of Python and of the tools."""
    bases = {Path(sys.base_prefix), Path(sys.base_prefix).resolve()}
    found = {base / part for base in bases for part in ("bin", "lib", "lib64")} | {
        Path(interpreter_path())
    }
    found |= {Path(one) for one in _import_folders() if "-packages" in Path(one).name}
    found |= {Path(one) for package in (bt_exec, bt_exec_skills) for one in package.__path__}
    return sorted(one for one in found if one.exists())


def _import_folders() -> list[str]:
    own = [str(Path(one).parent) for one in (*bt_exec.__path__, *bt_exec_skills.__path__)]
    sites = [one for one in sys.path if Path(one).name in ("site-packages", "dist-packages")]
    return [*sites, *own]


def _program_environment(work: str) -> Mapping[str, str]:
    """Return the complete environment of a program, which inherits no variables."""
    return {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": os.pathsep.join(_import_folders()),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
        "HOME": work,
        "TMPDIR": work,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
