"""Texts for operators are sentences and names, in both languages; codes appear with ``-v``."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from bt_exec.journal import Journal
from bt_exec.language.messages import LANGUAGES
from bt_exec.site.shipped_data import site_names
from bt_exec.site.site import Site, load_site
from bt_exec.spec.model import Do, walk
from tests.missions.operator_texts import not_sentences, shown_of


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("The door is open.", "en", []),
        ("blocked · DOOR_STUCK", "en", ["DOOR_STUCK"]),
        ("open_door right", "en", ["open_door"]),
        ("2 steps, offline", "en", ["offline"]),
        ("evidence ['look']", "en", ["['"]),
        ("문이 0.2 rad 열림", "ko", []),
        ("문 open", "ko", ["open"]),
        ("문 --inspected", "ko", []),
    ],
)
def test_text_search_finds_codes_names_and_python_values(
    text: str, language: str, found: list[str]
) -> None:
    assert not_sentences(text, language) == found


@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("language", LANGUAGES)
def test_registered_sentences_contain_no_codes(name: str, language: str) -> None:
    messages = load_site(name).messages
    wrong = {
        code: found
        for own in (messages, *messages._packs.values())
        for table in (own._sentences, own._phrases)
        for code, said in table.items()
        if (found := not_sentences(re.sub(r"\{[^}]*\}", " ", said[language]), language))
    }
    assert wrong == {}


@pytest.mark.parametrize("name", site_names())
@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_need_no_optional_argument(name: str, language: str) -> None:
    site = load_site(name)
    required = {
        tree.tree: [param for param, given in tree.params.items() if given.required]
        for tree in site.library
    }
    for part in (*site.catalogue.skills.values(), *site.catalogue.conditions.values()):
        fields = part.model.model_fields
        required[part.name] = [field for field, given in fields.items() if given.is_required()]
    said = {
        part: site.messages.phrase(part, language, dict.fromkeys(names, "X"))
        for part, names in required.items()
    }
    assert {part: phrase for part, phrase in said.items() if "…" in phrase} == {}


DOOR = [
    pytest.param(
        "get the material",
        {},
        ("grasp:1=GRASP_SLIPPED", "open_door:1=TIMEOUT"),
        marks=pytest.mark.slow,
    ),
    pytest.param("문 안의 자재를 가져와", {"fault": "jammed"}, (), marks=pytest.mark.slow),
    pytest.param(
        "문 안의 자재를 가져와",
        {"material": "absent"},
        ("return_home:1=SKILL_CRASHED",),
        marks=pytest.mark.slow,
    ),
    ("문 닫혀 있으면 열어", {"door": "open"}, ()),
    ("open the window", {}, ()),
    ("창문을 열어", {}, ()),
]


@pytest.mark.parametrize(("command", "world", "faults"), DOOR)
def test_mission_views_show_only_sentences_and_names(
    command: str, world: dict[str, str], faults: tuple[str, ...], door: Site, tmp_path: Path
) -> None:
    assert _wrong(door, command, tmp_path, {"seed": "1", **world}, faults) == []


@pytest.mark.parametrize(
    "command",
    [
        "how many red circles are there?",
        "빨간 원이 몇 개야?",
        "is the blue thing a square?",
        "뭐가 보여?",
    ],
)
def test_picture_views_show_only_sentences_and_names(command: str, tmp_path: Path) -> None:
    picture = Image.new("RGB", (320, 240), "white")
    drawn = ImageDraw.Draw(picture)
    drawn.ellipse((20, 20, 80, 80), fill="red")
    drawn.ellipse((150, 100, 210, 160), fill="red")
    drawn.rectangle((230, 20, 290, 80), fill="blue")
    picture.save(tmp_path / "picture.png")
    world = {"image": str(tmp_path / "picture.png")}
    assert _wrong(load_site("image"), command, tmp_path, world, ()) == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["sort everything by colour", "색깔별로 정리해"])
def test_table_views_show_only_sentences_and_names(command: str, tmp_path: Path) -> None:
    world = {"seed": "3", "objects": "2"}
    assert (
        _wrong(load_site("tabletop"), command, tmp_path, world, ("pick_object:1=GRASP_MISSED",))
        == []
    )


CASES = [(site, language) for site in ("door", "building") for language in LANGUAGES]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "language"), CASES)
def test_views_of_random_failures_show_only_sentences_and_names(
    name: str, language: str, door: Site, tmp_path: Path
) -> None:
    site, rng = door if name == "door" else load_site(name), random.Random(name + language)
    wrong = []
    for number in range(8):
        tree = rng.choice([tree for tree in site.library if tree.utterances])
        said = [one for one in tree.utterances if (not one.isascii()) is (language == "ko")]
        skills = sorted({node.do for node in walk(tree.root) if isinstance(node, Do)})
        faults: tuple[str, ...] = ()
        if skills:
            skill = site.catalogue.skills[rng.choice(skills)]
            code = rng.choice(sorted({*skill.fails, "TIMEOUT", "SKILL_CRASHED"}))
            faults = (f"{skill.name}={code}",)
        folder = tmp_path / str(number)
        folder.mkdir()
        wrong += _wrong(site, rng.choice(said or tree.utterances), folder, {"seed": "4"}, faults)
    assert wrong == []


def _wrong(
    site: Site, command: str, folder: Path, world: dict[str, str], faults: tuple[str, ...]
) -> list[str]:
    """Return the places where a view shows neither a sentence nor a name."""
    journal = Journal.open(folder / "journal.sqlite")
    language = "en" if command.isascii() else "ko"
    return [
        f"{view}: {found} in {line.strip()!r}"
        for view, text in shown_of(site, command, journal, world, faults)
        for line in text.splitlines()
        if (
            found := not_sentences(
                line, language, (command, str(journal.path), f", {site.name})", f"· {site.name} ·")
            )
        )
    ]


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Return a door site with cheap perception."""
    file = tmp_path_factory.mktemp("site") / "door.yaml"
    file.write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
    return load_site(str(file))
