"""Trees, skills, words and sentences that a site adds and replaces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bt_exec.failure import RegistrationError, SpecError
from bt_exec.mission.session import Session
from bt_exec.pack import Pack, find_pack
from bt_exec.site.compile_command import compile_command
from bt_exec.site.own_parts import OWN
from bt_exec.site.site import load_site

SITE = "site: lab\npacks: {door: {robot: sim, detector: oracle}}\n"
TREE = """tree: close_door
summary: Close the door and look.
utterances: [Close the door., Bolt the door., 문을 닫아., 문을 걸어.]
params: {arm: {type: Arm, default: right}}
root:
  sequence:
    - do: close_door
      with: {arm: $arm, object_label: door}
    - check: {door_is: {state: closed}}
      else: DOOR_STUCK
"""
TOOLS = '''
from typing import Literal
from bt_exec import Running, Steps, skill


@skill(effects={"at.left": "home", "at.right": "home", "doorway": "free"})
def return_home() -> Steps:
    """Do nothing, for the arms of this site are fixed."""
    yield Running()
'''


def site_in(folder: Path, more: str = "", **files: str) -> str:
    """Return a site file with further lines, and create the given files beside it."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_py", ".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "lab.yaml").write_text(SITE + more, encoding="utf-8")
    return str(folder / "lab.yaml")


def codes_of(file: str) -> list[str]:
    with pytest.raises(SpecError) as error:
        load_site(file)
    return [f"{one.code} {one.line}" for one in error.value.problems]


def test_tree_of_the_site_replaces_that_of_a_pack(tmp_path: Path) -> None:
    file = site_in(tmp_path, "trees: own\noverrides: [close_door]\n", own__close_yaml=TREE)
    site = load_site(file)
    assert site.library.get("close_door").summary == "Close the door and look."
    (line,) = site.replaced
    assert line.startswith(
        f"tree close_door of {tmp_path / 'own' / 'close.yaml'} replaces that of "
    )
    assert line.endswith("trees/door/close_door.yaml")


@pytest.mark.slow
def test_tree_of_the_site_is_selected_by_the_lexicon_of_the_site(tmp_path: Path) -> None:
    words = "verbs: {bolt: {en: [bolt], ko: [걸다], result: closed}}\n"
    more = "trees: own\nlexicon: words.yaml\nmessages: said.yaml\noverrides: [close_door]\n"
    said = "door=closed: {en: The door is bolted., ko: 문이 잠겼습니다.}\n"
    file = site_in(tmp_path, more, own__close_yaml=TREE, words_yaml=words, said_yaml=said)
    with Session(file, world={"door": "open"}, fast=True) as session:
        outcome = session.run("Bolt the door, please.")
    assert (outcome.status, outcome.message) == ("satisfied", "The door is bolted.")
    plain = compile_command(load_site(site_in(tmp_path)), "Bolt the door, please.")
    assert not plain.ok


def test_duplicate_tree_name_requires_an_override(tmp_path: Path) -> None:
    file = site_in(tmp_path, "trees: own\n", own__close_yaml=TREE)
    assert codes_of(file) == ["DUPLICATE_TREE 1"]


def test_overrides_that_replace_nothing_are_reported(tmp_path: Path) -> None:
    file = site_in(tmp_path, "overrides: [close_dor, close_door]\n")
    with pytest.raises(SpecError) as error:
        load_site(file)
    first, second = error.value.problems
    assert (first.code, first.line, first.column) == ("UNUSED_OVERRIDE", 3, 13)
    assert first.allowed[0] == "close_door"
    assert "add it to its 'trees' or 'tools'" in second.message


def test_skill_of_the_site_replaces_that_of_a_pack(tmp_path: Path) -> None:
    more = "tools: [own.py]\noverrides: [return_home]\n"
    site = load_site(site_in(tmp_path, more, own_py=TOOLS))
    assert site.catalogue.owner("return_home") == "door"
    assert site.catalogue.skills["return_home"].summary.startswith("Do nothing")
    assert site.replaced == ("return_home of the site replaces that of pack door",)
    with pytest.raises(RegistrationError, match="'return_home' is defined by pack door"):
        load_site(site_in(tmp_path, "tools: [own.py]\n"))


def test_pack_replaces_a_tree_of_a_required_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site_in(tmp_path, own__close_yaml=TREE)
    bolts = Pack("bolts", requires=("door",), trees=tmp_path / "own", overrides=("close_door",))
    packs = {"door": find_pack("door"), "bolts": bolts}
    monkeypatch.setattr("bt_exec.site.site.find_pack", packs.__getitem__)
    monkeypatch.setattr("bt_exec.site.site.pack_names", lambda: tuple(packs))
    file = tmp_path / "lab.yaml"
    file.write_text("site: lab\npacks: {door: {robot: sim}, bolts: {}}\n")
    assert load_site(str(file)).library.get("close_door").summary == "Close the door and look."
    packs["bolts"] = replace(bolts, overrides=())
    assert codes_of(str(file)) == ["DUPLICATE_TREE 1"]


def test_site_without_extra_files_has_no_pack_of_the_site(tmp_path: Path) -> None:
    assert [pack.name for pack in load_site(site_in(tmp_path)).catalogue.packs] == ["door"]
    own = load_site(site_in(tmp_path, "lexicon: w.yaml\n", w_yaml="nouns: {}\n")).catalogue.packs
    assert [pack.name for pack in own] == ["door", OWN]
