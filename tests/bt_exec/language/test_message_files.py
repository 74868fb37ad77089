"""Display names of lexicon values, which have lower priority than the words of a pack."""

from __future__ import annotations

import pytest

from bt_exec.language.message_files import value_names
from bt_exec.language.messages import Messages

LEXICON = """
values:
  Crop:
    tomato: {en: [tomato, tomatoes], ko: [토마토]}
    basil: {en: ["(basil|herb) [plant]"], ko: ["(바질|허브)[ ]잎"]}
    all: {en: [everything], ko: [전부], each: [tomato, basil]}
    quiet: {en: [quiet], ko: [조용하다]}
    nameless: {en: [something]}
"""
MESSAGES = """
OK: {en: Done., ko: 마쳤습니다.}
words:
  basil: {en: the basil, ko: 바질}
phrases:
  water: {en: "water the {crop}", ko: "{crop}에 물 주기"}
"""


@pytest.fixture
def files(tmp_path):
    lexicon, messages = tmp_path / "lexicon.yaml", tmp_path / "messages.yaml"
    lexicon.write_text(LEXICON, encoding="utf-8")
    messages.write_text(MESSAGES, encoding="utf-8")
    return lexicon, messages


def test_display_name_of_a_value_is_its_first_phrase(files):
    assert value_names(files[0]) == {
        "tomato": {"en": "tomato", "ko": "토마토"},
        "basil": {"en": "basil", "ko": "바질잎"},
    }


@pytest.mark.parametrize("text", ["", "[1, 2]", "values: 3", "values: {Crop: [a]}", "a: [b"])
def test_invalid_lexicon_has_no_names(tmp_path, text):
    path = tmp_path / "lexicon.yaml"
    path.write_text(text, encoding="utf-8")
    assert value_names(path) == {}


def test_missing_lexicon_has_no_names(tmp_path):
    assert value_names(None) == {}
    assert value_names(tmp_path / "none.yaml") == {}


@pytest.mark.parametrize(
    ("crop", "language", "expected"),
    [
        ("tomato", "ko", "토마토에 물 주기"),
        ("tomato", "en", "water the tomato"),
        ("basil", "ko", "바질에 물 주기"),
        ("rose", "ko", "rose에 물 주기"),
    ],
)
def test_phrases_use_the_names_of_the_lexicon(files, crop, language, expected):
    lexicon, messages = files
    found = Messages.load(
        [], {"garden": messages}, {"water": "garden"}, lexicons={"garden": lexicon}
    )
    assert found.phrase("water", language, {"crop": crop}) == expected


def test_pack_without_messages_uses_the_names_of_its_lexicon(files):
    found = Messages.load([], lexicons={"garden": files[0]})
    assert found.translate_word("tomato", "ko") == "토마토"
