"""Acts and conditions of the building in the forms that generated commands need."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from tests.llm.offline.generated.building_reference import (
    OFFICE,
    Event,
    If,
    Meaning,
    World,
)
from tests.llm.offline.generated.sentence_forms import Act

__all__ = [
    "ACTS",
    "ITEMS",
    "MESSAGES",
    "PLACES",
    "Condition",
    "Deed",
    "condition",
    "dark",
    "loud",
    "obj",
    "professor_in",
    "rang",
    "somebody",
    "subj",
    "tell_people",
    "tell_professor",
    "to",
    "topic",
]

PLACES = {
    "lounge": ("the lounge", "라운지"),
    "corridor_center": ("the corridor", "복도"),
    "break_room": ("the break room", "휴게실"),
    "restroom_front": ("the restroom", "화장실 앞"),
}
MESSAGES = {
    "en": [
        "the meeting is cancelled",
        "lunch is ready",
        "the talk starts at three",
        "there is cake",
        "the visitors are here",
    ],
    "ko": [
        "회의가 취소됐다",
        "점심이 준비됐다",
        "발표가 세 시에 시작한다",
        "손님이 오셨다",
        "케이크가 있다",
    ],
}
ITEMS = {"en": ["document", "box", "parcel", "letter"], "ko": ["서류", "상자", "소포", "편지"]}
CONSONANT_RIEUL = 8


def final(word: str) -> int:
    return (ord(word[-1]) - 0xAC00) % 28


def obj(word: str) -> str:
    return word + ("을" if final(word) else "를")


def subj(word: str) -> str:
    return word + ("이" if final(word) else "가")


def topic(word: str) -> str:
    return word + ("은" if final(word) else "는")


def to(word: str) -> str:
    return word + ("로" if final(word) in (0, CONSONANT_RIEUL) else "으로")


def rang(word: str) -> str:
    return word + ("이랑" if final(word) else "랑")


class Deed(NamedTuple):
    """An act with the events that it demands."""

    act: Act
    events: Meaning


def _act(en: tuple[str, str, str], en_rest: str, ko: str, stem: str, *events: Event) -> Deed:
    """Return an act from its verb and objects in both languages."""
    english = [f"{form} {en_rest}" for form in en]
    return Deed(Act(*english, *(f"{ko} {form}" for form in STEMS[stem])), events)


STEMS = {
    "가": ("가", "가고", "간", "가기", "가지"),
    "둘러보": ("둘러봐", "둘러보고", "둘러본", "둘러보기", "둘러보지"),
    "확인하": ("확인해", "확인하고", "확인한", "확인하기", "확인하지"),
    "전하": ("전해", "전하고", "전한", "전하기", "전하지"),
    "전달하": ("전달해", "전달하고", "전달한", "전달하기", "전달하지"),
    "놓": ("갖다 놔", "갖다 놓고", "갖다 놓은", "갖다 놓기", "갖다 놓지"),
    "가져오": ("가져와", "가져오고", "가져온", "가져오기", "가져오지"),
    "기다리": ("기다려", "기다리고", "기다린", "기다리기", "기다리지"),
    "여쭤보": ("여쭤봐", "여쭤보고", "여쭤본", "여쭤보기", "여쭤보지"),
}


def go_to(rng: random.Random) -> Deed:
    place = rng.choice(list(PLACES))
    en, ko = PLACES[place]
    return _act(
        rng.choice([("go", "going", "gone"), ("drive", "driving", "driven")]),
        f"to {en}",
        to(ko),
        "가",
        Event("go", place),
    )


def look_at(rng: random.Random) -> Deed:
    place = rng.choice(list(PLACES))
    en, ko = PLACES[place]
    verb = rng.choice(
        [
            ("check", "checking", "checked"),
            ("inspect", "inspecting", "inspected"),
            ("look around", "looking around", "looked around"),
        ]
    )
    return _act(
        verb, en, obj(ko), rng.choice(["둘러보", "확인하"]), Event("look", place, "situation")
    )


def count(rng: random.Random) -> Deed:
    place = rng.choice(list(PLACES))
    en, ko = PLACES[place]
    return _act(
        ("count", "counting", "counted"),
        f"the people in {en}",
        f"{ko}에 사람이 몇 명 있는지",
        "확인하",
        Event("look", place, "people"),
    )


def tell_professor(rng: random.Random) -> Deed:
    number = rng.randrange(len(MESSAGES["en"]))
    en, ko = MESSAGES["en"][number], MESSAGES["ko"][number]
    return _act(
        ("tell", "telling", "told"),
        f"the professor that {en}",
        f"교수님께 {ko}고",
        "전하",
        Event("say", "professor", f"{en}|{ko}"),
    )


def tell_people(rng: random.Random) -> Deed:
    number = rng.randrange(len(MESSAGES["en"]))
    place = rng.choice(["lounge", "break_room"])
    en, ko = MESSAGES["en"][number], MESSAGES["ko"][number]
    name, korean = PLACES[place]
    return _act(
        ("tell", "telling", "told"),
        f"the people in {name} that {en}",
        f"{korean}에 있는 사람들에게 {ko}고",
        "전하",
        Event("say", place, f"{en}|{ko}"),
    )


def deliver(rng: random.Random) -> Deed:
    number = rng.randrange(len(ITEMS["en"]))
    en, ko = ITEMS["en"][number], ITEMS["ko"][number]
    verb = rng.choice([("deliver", "delivering", "delivered"), ("take", "taking", "taken")])
    return _act(
        verb,
        f"the {en} to the professor",
        f"교수님께 {obj(ko)}",
        "전달하",
        Event("give", "professor", f"{en}|{ko}"),
    )


def bring(rng: random.Random) -> Deed:
    number = rng.randrange(len(ITEMS["en"]))
    place = rng.choice(["lounge", "break_room"])
    en, ko = ITEMS["en"][number], ITEMS["ko"][number]
    name, korean = PLACES[place]
    return _act(
        ("take", "taking", "taken"),
        f"the {en} to {name}",
        f"{korean}에 {obj(ko)}",
        "놓",
        Event("give", place, f"{en}|{ko}"),
    )


def wait(rng: random.Random) -> Deed:
    number = rng.choice([2, 3, 5])
    word = {2: "two", 3: "three", 5: "five"}[number]
    return _act(
        ("wait", "waiting", "waited"),
        rng.choice([f"{word} minutes", f"for {number} minutes"]),
        f"{number}분",
        "기다리",
        Event("wait", "", str(60 * number)),
    )


ACTS: list[Callable[[random.Random], Deed]] = [
    go_to,
    go_to,
    look_at,
    look_at,
    count,
    tell_professor,
    tell_people,
    deliver,
    bring,
    wait,
]


class Condition(NamedTuple):
    """A condition as clauses, affirmative and negative, and as a question."""

    en: str
    en_not: str
    question: str
    ko: str
    ko_not: str
    ko_question: str
    ko_whether: str
    holds: Callable[[World], bool]
    look: Event

    def choice(self, then: Meaning, otherwise: Meaning = ()) -> If:
        return If(self.holds, (self.look,), then, otherwise)


def somebody(place: str) -> Condition:
    en, ko = PLACES[place]
    return Condition(
        f"there is somebody in {en}",
        f"there is nobody in {en}",
        f"Is there anybody in {en}?",
        f"{ko}에 사람이 있으면",
        f"{ko}에 사람이 없으면",
        f"{ko}에 사람이 있어?",
        f"{ko}에 사람이 있는지",
        lambda world: world[place].people > 0,
        Event("look", place, "people", True),
    )


def is_empty(place: str) -> Condition:
    en, ko = PLACES[place]
    return Condition(
        f"{en} is empty",
        f"{en} is not empty",
        f"Is {en} empty?",
        f"{subj(ko)} 비어 있으면",
        f"{subj(ko)} 비어 있지 않으면",
        f"{subj(ko)} 비어 있어?",
        f"{subj(ko)} 비어 있는지",
        lambda world: world[place].people == 0,
        Event("look", place, "people", True),
    )


def dark(place: str) -> Condition:
    en, ko = PLACES[place]
    return Condition(
        f"{en} is dark",
        f"{en} is not dark",
        f"Is {en} dark?",
        f"{subj(ko)} 어두우면",
        f"{subj(ko)} 어둡지 않으면",
        f"{subj(ko)} 어두워?",
        f"{subj(ko)} 어두운지",
        lambda world: not world[place].is_lit,
        Event("look", place, "light", True),
    )


def lit(place: str) -> Condition:
    en, ko = PLACES[place]
    return Condition(
        f"the light is on in {en}",
        f"the light is off in {en}",
        f"Is the light on in {en}?",
        f"{ko}에 불이 켜져 있으면",
        f"{ko}에 불이 꺼져 있으면",
        f"{ko}에 불이 켜져 있어?",
        f"{ko}에 불이 켜져 있는지",
        lambda world: world[place].is_lit,
        Event("look", place, "light", True),
    )


def loud(place: str) -> Condition:
    en, ko = PLACES[place]
    return Condition(
        f"it is noisy in {en}",
        f"it is not noisy in {en}",
        f"Is it noisy in {en}?",
        f"{subj(ko)} 시끄러우면",
        f"{subj(ko)} 시끄럽지 않으면",
        f"{subj(ko)} 시끄러워?",
        f"{subj(ko)} 시끄러운지",
        lambda world: world[place].is_loud,
        Event("look", place, "noise", True),
    )


def many(place: str) -> Condition:
    en, ko = PLACES[place]
    return Condition(
        f"there are more than two people in {en}",
        f"there are at most two people in {en}",
        f"Are there more than two people in {en}?",
        f"{ko}에 사람이 세 명 이상 있으면",
        f"{ko}에 사람이 두 명 이하면",
        f"{ko}에 사람이 세 명 이상 있어?",
        f"{ko}에 사람이 세 명 이상 있는지",
        lambda world: world[place].people > 2,
        Event("look", place, "people", True),
    )


def few(place: str) -> Condition:
    en, ko = PLACES[place]
    return Condition(
        f"there are fewer than three people in {en}",
        f"there are at least three people in {en}",
        f"Are there fewer than three people in {en}?",
        f"{ko}에 사람이 세 명보다 적으면",
        f"{ko}에 사람이 세 명 이상이면",
        f"{ko}에 사람이 세 명보다 적어?",
        f"{ko}에 사람이 세 명보다 적은지",
        lambda world: world[place].people < 3,
        Event("look", place, "people", True),
    )


def unusual(place: str) -> Condition:
    en, ko = PLACES[place]
    return Condition(
        f"there is anything unusual in {en}",
        f"there is nothing unusual in {en}",
        f"Is there anything unusual in {en}?",
        f"{ko}에 이상한 게 있으면",
        f"{ko}에 이상한 게 없으면",
        f"{ko}에 이상한 게 있어?",
        f"{ko}에 이상한 게 있는지",
        lambda world: world[place].is_unusual,
        Event("look", place, "unusual", True),
    )


def professor_in() -> Condition:
    return Condition(
        "the professor is in",
        "the professor is not in",
        "Is the professor in?",
        "교수님이 계시면",
        "교수님이 안 계시면",
        "교수님이 계셔?",
        "교수님이 계신지",
        lambda world: world[OFFICE].people > 0,
        Event("look", OFFICE, "people", True),
    )


def condition(rng: random.Random) -> Condition:
    make = rng.choice([somebody, is_empty, dark, lit, loud, many, few, unusual, None])
    return professor_in() if make is None else make(rng.choice(list(PLACES)))
