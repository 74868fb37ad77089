"""Example of a complete domain in few lines: world, robot, camera, report, two languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bt_exec.mission.session import Session
from bt_exec.site.check_utterances import check_utterances
from bt_exec.site.site import Site, load_site

FOLDER = Path(__file__).parents[1] / "data" / "gantry_pack"
LINES = 400


@pytest.fixture(scope="module")
def gantry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Register the pack as an installed package does, and load its site."""
    info = tmp_path_factory.mktemp("installed") / "bt_exec_gantry-0.1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[bt_exec.packs]\ngantry = gantry.pack:PACK\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bt-exec-gantry\nVersion: 0.1.0\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(info.parent))
        patch.syspath_prepend(str(FOLDER))
        yield load_site(str(FOLDER / "gantry.yaml"))


def test_example_domain_has_at_most_400_lines():
    lines = [len(file.read_text().splitlines()) for file in FOLDER.rglob("*.py")]
    assert sum(lines) <= LINES


def test_every_utterance_leads_to_its_tree(gantry):
    assert check_utterances(gantry) == []


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            "Put the red block into the left bin.",
            "The red block is in the left bin. The blue block is in the bench.",
        ),
        (
            "파란 블록을 오른쪽 통에 넣어 줘",
            "빨간 블록은 작업대에 있습니다. 파란 블록은 오른쪽 통에 있습니다.",
        ),
    ],
)
@pytest.mark.parametrize("seed", ["0", "7"])
def test_mission_moves_the_block_and_reports_the_world(gantry, command, told, seed):
    with Session(gantry, world={"seed": seed}, fast=True) as session:
        outcome = session.run(command)
    assert (outcome.status, outcome.message) == ("satisfied", told), outcome.explain()


@pytest.mark.parametrize(
    ("world", "why"),
    [
        ({"weak": "true"}, "The block fell from the cup."),
        ({"camera": "dark"}, "The block is not in view (the camera delivers no picture)."),
    ],
)
def test_failure_is_explained_and_the_report_is_true(gantry, world, why):
    with Session(gantry, world=world, fast=True) as session:
        outcome = session.run("pick up the blue block")
        robot = session.rigs["gantry"].robot
        assert robot.where("blue_block") == "bench"
    assert outcome.status == "blocked"
    assert why in outcome.message
    assert "The blue block is in the bench." in outcome.message
