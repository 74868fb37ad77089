"""Objects that are fetched: the place or person they come from is never their recipient."""

from __future__ import annotations

from itertools import product

import pytest

ITEMS = {"en": ("box", "documents"), "ko": ("상자", "서류")}
PLACES = {"lounge": ("the lounge", "라운지"), "break_room": ("the break room", "휴게실")}
FETCHING = {
    "en": (
        "get the {item} from {place}",
        "bring me the {item} from {place}",
        "pick up the {item} at {place} and bring it here",
        "go to {place} and fetch the {item}",
        "go to {place}, collect the {item} and bring it back",
    ),
    "ko": (
        "{place}에서 {item} 가져와",
        "{place} 가서 {item} 받아 와",
        "{place}에 있는 {item} 좀 가져다줘",
        "{item}를 {place}에서 받아서 나한테 가져와",
        "{place}에 가서 {item}를 가지고 와",
    ),
}
CARRYING = {
    "en": (
        "take the {item} from {place} to the professor",
        "get the {item} from {place} and give it to the professor",
        "go to {place}, pick up the {item} and take it to the professor",
    ),
    "ko": (
        "{place}에서 {item} 받아서 교수님께 드려",
        "{place}에 있는 {item}를 교수님께 갖다드려",
        "{place}에 가서 {item}를 받아 교수님께 전해 드려",
    ),
}
FROM_PERSON = (
    "교수님께 {item} 받아 와",
    "교수님한테서 {item} 받아다 줘",
    "get the {item} from the professor",
    "go to the professor and get the {item} from him",
)


@pytest.mark.parametrize(("language", "place"), [*product(FETCHING, PLACES)])
def test_fetched_object_comes_from_the_named_place(trees, language, place):
    said = PLACES[place][language == "ko"]
    for item, pattern in product(ITEMS[language], FETCHING[language]):
        text = pattern.format(item=item, place=said)
        plan = trees("building", text).removesuffix(", report_back")
        assert plan == f"collect_item {item} {place}", text
    for item, pattern in product(ITEMS[language], CARRYING[language]):
        text = pattern.format(item=item, place=said)
        assert trees("building", text) == f"deliver_item professor {item} {place}", text


@pytest.mark.parametrize("pattern", FROM_PERSON)
def test_person_who_gives_an_object_is_not_its_recipient(trees, pattern):
    item = ITEMS["en" if pattern.isascii() else "ko"][1]
    found = trees("building", pattern.format(item=item))
    assert found.endswith(f"collect_item {item} professor")


@pytest.mark.parametrize(
    "text",
    [
        "fetch the box",
        "don't get the box from the lounge",
        "get a signature from the professor",
        "pick up the trash in the corridor",
        "라운지에서 서류 가져오지 마",
        "교수님께 사인 받아 와",
        "get the professor from his office",
    ],
)
def test_fetching_without_a_giver_or_an_object_is_refused(trees, text):
    assert trees("building", text).isupper()
