"""Requirements of the pack for ``bt-exec doctor``."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bt_exec_skills.image.sandbox.limits import Limits
from bt_exec_skills.image.sandbox.run import run_program
from bt_exec_skills.things.detector_factory import make_detector
from bt_exec_skills.things.weights import SHIPPED

__all__ = ["check_machine"]

_PROGRAM = "def run(image_path):\n    return 'here'\n"
_FIX = (
    "allow user namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_"
    "userns; in a container: its security profile); until then no program of a model is run"
)


def _check_weights() -> tuple[str, str, str, str]:
    """Return (name, state, detail, remedy) for the shipped network for tabletop objects."""
    try:
        names = make_detector().names
    except Exception as error:  # noqa: BLE001 - the doctor reports any error
        return "weights", "missing", f"{type(error).__name__}: {error}", "install bt-exec again"
    return "weights", "ok", f"{SHIPPED.name} finds {', '.join(names)}", ""


def check_machine() -> Iterator[tuple[str, str, str, str]]:
    """Yield the state of the shipped network and of the program sandbox.

    Each item is (name, state, detail, remedy).
    """
    yield _check_weights()
    with tempfile.NamedTemporaryFile(prefix="bt-exec-", suffix=".png") as picture:
        ran = run_program(_PROGRAM, Path(picture.name), limits=Limits(wall_s=20.0))
    if ran.ending == "not_run":
        yield "sandbox", "optional", ran.why, _FIX
    elif ran.isolated:
        yield "sandbox", "ok", "programs about pictures run in separate namespaces", ""
