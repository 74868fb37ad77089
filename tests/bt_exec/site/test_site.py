"""Site files: problems are reported with their position, before anything starts."""

import re
from pathlib import Path

import pytest

from bt_exec.failure import SpecError
from bt_exec.site.shipped_data import site_names
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
    "a robot that its pack lacks": (
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


def test_shipped_sites_are_described_in_both_languages() -> None:
    for name in site_names():
        site = load_site(name)
        assert re.search("[가-힣]", site.summary_in("ko"))
        assert not re.search("[가-힣]", site.summary_in("en"))


def test_plain_summary_is_shown_only_in_the_language_it_is_written_in(tmp_path: Path) -> None:
    text = "site: lab\nsummary: {}\npacks: {{door: {{robot: sim}}}}\n"
    for number, (written, shown) in enumerate(
        [
            ("A lab.", ("A lab.", "")),
            ("실험실.", ("", "실험실.")),
            ("{en: A lab., ko: 실험실.}", ("A lab.", "실험실.")),
        ]
    ):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text.format(written), encoding="utf-8")
        site = load_site(str(file))
        assert (site.summary_in("en"), site.summary_in("ko")) == shown
