"""Site files: problems are reported with their position, before anything starts."""

import pytest

from bt_exec.failure import SpecError
from bt_exec.site.site import load_site

GOOD = """site: mine
packs:
  door: {robot: sim, detector: oracle}
compiler: {name: offline}
"""

WRONG = {
    "a pack that nobody brings": (
        ("door:", "dor:"),
        "3:3: packs/dor: there is no pack 'dor' (allowed: door, image, reporter",
    ),
    "a robot that its pack has not": (
        ("robot: sim", "robot: sin"),
        "3:17: packs/door/robot: there is no robot 'sin' (allowed: sim) [UNKNOWN_ROBOT]",
    ),
    "a compiler that nobody brings": (
        ("offline", "ofline"),
        "4:18: compiler/name: there is no compiler 'ofline' (allowed: offline, ",
    ),
    "no packs": (
        ("packs:\n  door: {robot: sim, detector: oracle}", "packs: {}"),
        "2:8: packs: needs at least 1 entry",
    ),
    "a list of packs": (
        ("packs:\n  door: {robot: sim, detector: oracle}", "packs: [door]"),
        "2:8: packs: must be a mapping of names to settings",
    ),
    "settings that are a word": (
        ("{robot: sim, detector: oracle}", "sim"),
        "3:9: packs/door: must be a mapping of names to settings",
    ),
    "a compiler that is a word": (
        ("{name: offline}", "offline"),
        "4:11: compiler: must be a mapping of names to settings",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_problem_is_reported_with_its_position(name, tmp_path):
    (old, new), said = WRONG[name]
    file = tmp_path / "site.yaml"
    assert old in GOOD
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(SpecError) as told:
        load_site(str(file))
    assert str(told.value).startswith(f"{file}:{said}")


def test_valid_site_is_loaded(tmp_path):
    file = tmp_path / "site.yaml"
    file.write_text(GOOD)
    assert load_site(str(file)).name == "mine"
