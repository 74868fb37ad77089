"""Fixtures: an arm in a separate process, and programs that drive it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bt_exec.journal import Journal
from tests.bt_exec.guardian import arm_server

ROOT = Path(__file__).parents[3]
PACK = "tests.bt_exec.guardian.arm_pack"


@dataclass
class Ran:
    """Result of a program, and the motions of the arm meanwhile.

    Attributes:
        code: Exit code; negative for a signal.
        out: Standard output.
        err: Standard error, including that of the guardian.
        motions: Durations of the motions, from the log of the arm [s].
        still: Whether the arm is still now.
    """

    code: int
    out: str
    err: str
    motions: list[float]
    still: bool


class ArmLab:
    """Arm, its site, and programs that drive it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = str(folder / "arm")
        self.record = folder / "record"
        self.journal = folder / "journal.sqlite"
        self._arm = subprocess.Popen(
            [sys.executable, arm_server.__file__, self.address, str(self.record)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._arm.stdout is not None
        assert self._arm.stdout.readline() == "ready\n"
        self._install()
        self.site()

    def _install(self) -> None:
        info = self.folder / "bt_exec_arm-0.1.0.dist-info"
        info.mkdir()
        points = f"[bt_exec.packs]\narm = {PACK}:PACK\n[bt_exec.compilers]\narm = {PACK}:by_heart\n"
        (info / "entry_points.txt").write_text(points)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bt-exec-arm\nVersion: 0.1.0\n")

    def site(self, more: str = "", guarded: bool = True, name: str = "lab") -> Path:
        """Write the site file."""
        file = self.folder / f"{name}.yaml"
        file.write_text(
            f"site: {name}\npacks: {{arm: {{address: {self.address}, guarded: {guarded}}}}}\n"
            "compiler: {name: arm}\nconfirm: never\nlimits: {hang_s: 0.5, still_s: 0.5}\n" + more
        )
        return file

    def environment(self) -> dict[str, str]:
        """Return the environment of the programs."""
        path = os.pathsep.join([str(self.folder), str(ROOT)])
        return {**os.environ, "PYTHONPATH": path, "BT_EXEC_LOCKS": str(self.folder / "locks")}

    def start(self, *words: str, name: str = "lab") -> subprocess.Popen[str]:
        """Start ``bt-exec`` with these words, such as ``run move``."""
        command = [*words, "--site", str(self.folder / f"{name}.yaml"), "--plain"]
        return subprocess.Popen(
            [sys.executable, "-m", "bt_exec", *command, "--journal", str(self.journal)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
            cwd=self.folder,
        )

    def run(self, *words: str, name: str = "lab") -> Ran:
        """Run a program and its guardian to their end; the guardian keeps the streams open."""
        with self.start(*words, name=name) as program:
            out, err = program.communicate(timeout=120)
        return Ran(program.returncode, out, err, self.motions(), self.still())

    def still(self) -> bool:
        """Whether the arm is still now."""
        return arm_server.call(self.address, "still") == "yes"

    def motions(self) -> list[float]:
        """Return the durations of finished motions [s]."""
        lines = self.record.read_text().split("\n")[:-1]
        times = [float(line.split()[0]) for line in lines]
        return [end - begin for begin, end in zip(times[::2], times[1::2], strict=False)]

    def codes(self) -> list[str]:
        """Return the recorded reason codes, oldest first."""
        return [line.reason_code for line in reversed(Journal.open(self.journal).missions(None))]

    def report(self) -> dict[str, object]:
        """Return the report left by a guardian."""
        (file,) = (self.folder / "locks").glob("*guardian*.lock")
        return dict(json.loads(file.read_text()))

    def close(self) -> None:
        """Stop the process of the arm."""
        self._arm.communicate(timeout=60)


@pytest.fixture
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArmLab]:
    found = ArmLab(tmp_path_factory.mktemp("arm"))
    yield found
    found.close()


Lab = Callable[[], ArmLab]
