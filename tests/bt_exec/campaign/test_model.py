"""Campaign files: cells, random settings, and problems with their positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bt_exec.campaign.model import Campaign, cells_of, load_campaign
from bt_exec.failure import SpecError, UsageError
from bt_exec.site.site import Site, load_site

from .conftest import DATA


@pytest.fixture(scope="module")
def door() -> Site:
    return load_site("door")


def of_door(**fields: Any) -> Campaign:
    return Campaign.model_validate({"campaign": "x", "commands": ["open the door"], **fields})


def test_campaign_cells_are_the_product_of_all_lists_grouped_by_seed(campaign: Campaign) -> None:
    cells = cells_of(campaign, load_site("building"))
    assert len(cells) == 2 * 3 * 5 * 2
    assert [cell.seed for cell in cells] == sorted(cell.seed for cell in cells)
    assert (
        len({cell.input_digest for cell in cells}) == len({cell.id for cell in cells}) == len(cells)
    )
    assert all(dict(cell.world)["seed"] == str(cell.seed) for cell in cells)


def test_random_settings_depend_only_on_the_seed(door: Site) -> None:
    drawn = {"random": ["door", "material"], "seeds": 40}
    one = cells_of(of_door(**drawn), door)
    other = cells_of(of_door(**{**drawn, "seeds": 20, "faults": ["none", "grasp=TIMEOUT"]}), door)
    worlds = {cell.seed: cell.world for cell in one}
    assert {dict(world)["door"] for world in worlds.values()} == {"closed", "ajar", "open"}
    assert {dict(world)["material"] for world in worlds.values()} == {"present", "absent"}
    assert all(cell.world == worlds[cell.seed] for cell in other)


def test_random_numbers_are_within_their_range(door: Site) -> None:
    cells = cells_of(of_door(ranges={"door": {"from": 0.2, "to": 1.4}}, seeds=50), door)
    angles = [float(dict(cell.world)["door"]) for cell in cells]
    assert all(0.2 <= angle <= 1.4 for angle in angles)
    assert len(set(angles)) > 40


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"random": ["camera"]}, r"random: camera has no declared range.*door, material, seed"),
        ({"worlds": {"dor": "open"}}, "has no 'dor'; known: door: initial state of the door"),
        ({"worlds": {"door": "wide"}}, "door"),
        ({"worlds": {"door": "open"}, "random": ["door"]}, "both listed and drawn"),
        ({"faults": ["grab=BROKEN"]}, "grab"),
        ({"seeds": 900_000, "worlds": {"door": ["open", "closed"]}}, "has 1800000 cells"),
    ],
)
def test_unknown_settings_of_the_site_are_refused(
    door: Site, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        cells_of(of_door(**fields), door)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"comands": ["x"]}, r"worlds.yaml:\d+:\d+: comands: .*allowed: .*commands"),
        ({"commands": []}, "at least 1"),
        ({"require": 2}, "less than or equal to 1"),
        ({"expect": ["fine"]}, "satisfied"),
    ],
)
def test_problems_are_reported_with_their_line(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "worlds.yaml"
    path.write_text(yaml.safe_dump({**DATA, **change}), encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        load_campaign(path)


def test_site_file_is_found_beside_the_campaign_file(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("site: own\npacks: {door: {}}\n")
    path = tmp_path / "worlds.yaml"
    path.write_text(yaml.safe_dump({**DATA, "site": "own.yaml"}), encoding="utf-8")
    assert load_campaign(path).site == str(tmp_path / "own.yaml")
