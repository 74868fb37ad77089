"""Order of the places of a patrol: words such as "first" and "last" change the plan."""

from __future__ import annotations

import pytest

ROUND = ["corridor_center", "lounge", "break_room", "restroom_front"]
NAMES = {
    "en": ("the corridor", "the lounge", "the break room", "the restroom"),
    "ko": ("복도", "라운지", "휴게실", "화장실 앞"),
}
FIRST = {
    "en": (
        "start your round with {place}",
        "begin your patrol at {place}",
        "go on patrol, starting with {place}",
        "go on patrol, but begin with {place}",
        "do a round, {place} first",
        "look everywhere, {place} first, then the rest",
    ),
    "ko": (
        "순찰은 {place}부터 시작해",
        "{place}부터 순찰해",
        "{place}부터 시작해서 한 바퀴 돌아",
        "한 바퀴 돌아, {place}부터",
        "모든 곳을 둘러봐, {place} 먼저",
        "{place}부터 보고 나머지도 봐",
    ),
}
LAST = {
    "en": (
        "finish your round in {place}",
        "go on patrol, but leave {place} for last",
        "do a round, ending with {place}",
        "do a round, {place} last",
    ),
    "ko": ("순찰하되 {place}은 마지막에 봐", "한 바퀴 돌아, {place}는 마지막에"),
}


def places(trees, text):
    return [part.split()[1] for part in trees("building", text).split(", ") if " " in part]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_place_named_first_or_last_is_moved_within_the_patrol(trees, language):
    for name, place in zip(NAMES[language], ROUND, strict=True):
        others = [one for one in ROUND if one != place]
        for pattern in FIRST[language]:
            text = pattern.format(place=name)
            assert places(trees, text) == [place, *others], text
        for pattern in LAST[language]:
            text = pattern.format(place=name)
            assert places(trees, text) == [*others, place], text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look at the lounge and the break room, the break room first", "break_room lounge"),
        ("visit the lounge, the corridor and the break room, beginning with the break room and "
         "ending with the lounge", "break_room corridor_center lounge"),
        ("라운지하고 휴게실 봐, 휴게실 먼저", "break_room lounge"),
        ("Have a look at both ends of the hallway, west one first.", "corridor_west corridor_east"),
        ("화장실 앞부터 들르고 그다음 라운지, 마지막으로 교수님 방에 가",
         "restroom_front lounge professor_office"),
    ],
)  # fmt: skip
def test_place_named_first_or_last_is_moved_within_a_list(trees, text, expected):
    assert places(trees, text) == expected.split()


@pytest.mark.parametrize(
    "text",
    [
        "check every room, the lounge first, then the rest of the lounge",
        "휴게실부터 라운지까지 봐",
        "don't start your round with the lounge",
    ],
)
def test_unclear_order_of_places_is_refused(trees, text):
    assert trees("building", text).isupper()


@pytest.mark.parametrize(
    "text",
    [
        "go to the lounge before your patrol",
        "before you patrol, go to the lounge",
        "go to the lounge and do your round",
        "순찰하기 전에 라운지에 들러",
        "라운지 들렀다가 순찰 돌아",
    ],
)
def test_patrol_after_a_drive_visits_every_place(trees, text):
    assert places(trees, text) == ["lounge", *ROUND]
