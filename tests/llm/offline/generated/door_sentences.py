"""Generated commands for the door, with their meanings; independent of the grammar."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from tests.llm.offline.generated.door_reference import Choice, Meaning, World
from tests.llm.offline.generated.sentence_forms import FORMS, Act, command_and_meaning

__all__ = ["KINDS", "Sample", "draw"]

ARMS = {"left": ("left", "왼"), "right": ("right", "오른")}


class Deed(NamedTuple):
    act: Act
    meaning: Meaning


def deed(en: tuple[str, str, str], rest: str, ko: str, forms: tuple[str, ...], *done: str) -> Deed:
    base, ing, pp = en
    korean = [f"{ko} {form}".strip() for form in forms]
    return Deed(
        Act(f"{base} {rest}".strip(), f"{ing} {rest}".strip(), f"{pp} {rest}".strip(), *korean),
        ((done[0], done[1] if len(done) > 1 else "right"),),
    )


OPEN = ("열어", "열고", "연", "열기", "열지")
CLOSE = ("닫아", "닫고", "닫은", "닫기", "닫지")
HOME = ("돌려", "돌리고", "돌린", "돌리기", "돌리지")
GET = ("가져와", "가져오고", "가져온", "가져오기", "가져오지")
TAKE = ("꺼내", "꺼내고", "꺼낸", "꺼내기", "꺼내지")
DROP = ("놔", "놓고", "놓은", "놓기", "놓지")
WAIT = ("기다려", "기다리고", "기다린", "기다리기", "기다리지")
DEEDS = [
    deed(("open", "opening", "opened"), "the door", "문을", OPEN, "open_door"),
    deed(("close", "closing", "closed"), "the door", "문을", CLOSE, "close_door"),
    deed(("shut", "shutting", "shut"), "the door", "문을", CLOSE, "close_door"),
    deed(
        ("open", "opening", "opened"),
        "the door with your left arm",
        "왼팔로 문을",
        OPEN,
        "open_door",
        "left",
    ),
    deed(
        ("close", "closing", "closed"),
        "the door with your left hand",
        "왼손으로 문을",
        CLOSE,
        "close_door",
        "left",
    ),
    deed(("bring", "bringing", "brought"), "your arms home", "팔을 제자리로", HOME, "arms_home"),
    deed(("get", "getting", "got"), "the material", "자재를", GET, "get_material"),
    deed(("take out", "taking out", "taken out"), "the material", "자재를", TAKE, "get_material"),
    deed(("wait", "waiting", "waited"), "ten seconds", "10초", WAIT, "pause", "10"),
    deed(("wait", "waiting", "waited"), "for 5 seconds", "5초", WAIT, "pause", "5"),
    deed(("let go of", "letting go of", "let go of"), "the material", "자재를", DROP, "let_go"),
]


class Condition(NamedTuple):
    en: str
    en_not: str
    question: str
    ko: str
    ko_not: str
    ko_question: str
    ko_whether: str
    holds: Callable[[World], bool]

    def choice(self, then: Meaning, otherwise: Meaning = ()) -> Choice:
        return Choice(self.holds, then, otherwise)


CONDITIONS = [
    Condition(
        "the door is open",
        "the door is not open",
        "Is the door open?",
        "문이 열려 있으면",
        "문이 열려 있지 않으면",
        "문이 열려 있어?",
        "문이 열려 있는지",
        lambda w: w.door == "open",
    ),
    Condition(
        "the door is closed",
        "the door isn't closed",
        "Is the door closed?",
        "문이 닫혀 있으면",
        "문이 안 닫혀 있으면",
        "문이 닫혀 있어?",
        "문이 닫혀 있는지",
        lambda w: w.door == "closed",
    ),
    Condition(
        "the door is ajar",
        "the door is not ajar",
        "Is the door ajar?",
        "문이 살짝 열려 있으면",
        "문이 살짝 열려 있지 않으면",
        "문이 살짝 열려 있어?",
        "문이 살짝 열려 있는지",
        lambda w: w.door == "ajar",
    ),
    Condition(
        "the material is visible",
        "the material is not visible",
        "Is the material visible?",
        "자재가 보이면",
        "자재가 안 보이면",
        "자재가 보여?",
        "자재가 보이는지",
        lambda w: w.is_visible,
    ),
    Condition(
        "you can see the material",
        "you can't see the material",
        "Can you see the material?",
        "자재가 있으면",
        "자재가 없으면",
        "자재가 있어?",
        "자재가 있는지",
        lambda w: w.is_visible,
    ),
    Condition(
        "your right hand is empty",
        "your right hand is not empty",
        "Is your right hand empty?",
        "오른손이 비어 있으면",
        "오른손이 비어 있지 않으면",
        "오른손이 비어 있어?",
        "오른손이 비어 있는지",
        lambda w: not w.right,
    ),
    Condition(
        "your left hand is empty",
        "there is something in your left hand",
        "Is your left hand empty?",
        "왼손이 비어 있으면",
        "왼손에 뭐가 있으면",
        "왼손이 비어 있어?",
        "왼손이 비어 있는지",
        lambda w: not w.left,
    ),
    Condition(
        "you are holding something",
        "you are not holding anything",
        "Are you holding anything?",
        "뭔가 들고 있으면",
        "아무것도 안 들고 있으면",
        "뭔가 들고 있어?",
        "뭔가 들고 있는지",
        lambda w: w.left or w.right,
    ),
    Condition(
        "both hands are empty",
        "your hands are not both empty",
        "Are both hands empty?",
        "양손이 비어 있으면",
        "양손이 비어 있지 않으면",
        "양손이 비어 있어?",
        "양손이 비어 있는지",
        lambda w: not (w.left or w.right),
    ),
    Condition(
        "your arms are home",
        "your arms are not home",
        "Are your arms home?",
        "팔이 제자리에 있으면",
        "팔이 제자리에 없으면",
        "팔이 제자리에 있어?",
        "팔이 제자리에 있는지",
        lambda w: w.is_home,
    ),
]


class Sample(NamedTuple):
    """A command after earlier ones, with its meaning.

    Attributes:
        said: The commands of the session; the last one is judged.
        meaning: Meaning of the last command.
        kind: Kind of the command.
        is_question: Whether the command only asks.
    """

    said: tuple[str, ...]
    meaning: Meaning
    kind: str
    is_question: bool = False


def from_forms(kind: str, language: str, rng: random.Random) -> Sample:
    """Return a command of one of the common forms."""
    deeds = rng.sample(DEEDS, 3)
    while len({one.meaning[0][0] for one in deeds}) < len("abd"):
        deeds = rng.sample(DEEDS, 3)
    text, meaning = command_and_meaning(kind, language, rng, deeds, rng.choice(CONDITIONS))
    named = any(form in text for form in deeds[0].act)
    if kind == "not" and named and deeds[0].meaning[0][0] == "close_door":
        meaning = tuple(map(_leaving_open, meaning))
    return Sample((text,), without_included_acts(meaning), kind)


def _leaving_open(part: tuple[str, str] | Choice) -> tuple[str, str] | Choice:
    """Return a part of a meaning, changed so that fetching the material leaves the door open."""
    if isinstance(part, Choice):
        return Choice(part.holds, tuple(map(_leaving_open, part.then)), part.otherwise)
    return ("get_material_leave_open", part[1]) if part[0] == "get_material" else part


def _closes_door(part: tuple[str, str] | Choice) -> bool:
    if isinstance(part, Choice):
        return any(map(_closes_door, (*part.then, *part.otherwise)))
    return part[0] == "close_door"


def without_included_acts(meaning: Meaning) -> Meaning:
    """Return a meaning, changed so that fetching does not close a door that is closed later."""
    found: list[tuple[str, str] | Choice] = []
    for at, part in enumerate(meaning):
        if isinstance(part, Choice):
            then, other = map(without_included_acts, (part.then, part.otherwise))
            part = Choice(part.holds, then, other)
        found.append(_leaving_open(part) if any(map(_closes_door, meaning[at + 1 :])) else part)
    return tuple(found)


def own_forms(language: str, rng: random.Random) -> Sample:
    """Return a command in one of the forms that only the door has, such as those about arms."""
    arm = rng.choice(["left", "right"])
    other = "right" if arm == "left" else "left"
    c = rng.choice(CONDITIONS)
    o, x = (("open_door", one) for one in (arm, other))
    k, y = (("close_door", one) for one in (arm, other))
    get, keep = ("get_material", "right"), ("get_material_leave_open", "right")
    if language == "en":
        forms = [
            (f"open the door with your {arm} arm, not the {other} one", (o,)),
            (f"open the door, not with the {other} arm", (o,)),
            (f"don't use your {other} arm, open the door with the {arm} one", (o,)),
            (f"open the door with your {arm} arm and close it with the other one", (o, y)),
            (f"open and close the door with your {arm} arm", (o, k)),
            (f"open the door with your {arm} hand, then close it with the same hand", (o, k)),
            ("get the material and leave the door open", (keep,)),
            ("get the material but don't close the door", (keep,)),
            ("get the material without closing the door", (keep,)),
            ("open the door but don't take the material", (("open_door", "right"),)),
            ("open the door, but leave the material", (("open_door", "right"),)),
            ("open the door and leave it open", (("open_door", "right"),)),
            (f"using your {arm} arm, open the door", (o,)),
            (f"open the door with your {other} arm, no, the {arm} one", (o,)),
            (
                f"open the door with the {arm} arm if {c.en}, otherwise with the {other} arm",
                (c.choice((o,), (x,)),),
            ),
            (
                f"if {c.en}, open the door with your {arm} arm, otherwise use the {other} one",
                (c.choice((o,), (x,)),),
            ),
            ("open it", (("open_door", "right"),)),
            ("close the door and open it again", (("close_door", "right"), ("open_door", "right"))),
            (f"if {c.en}, don't open the door", ()),
            (
                "open the door and close it three times",
                (("open_door", "right"), ("close_door", "right")) * 3,
            ),
            (
                "open and close the door twice",
                (("open_door", "right"), ("close_door", "right")) * 2,
            ),
            (
                f"open the door only if {c.en}, otherwise leave it closed",
                (c.choice((("open_door", "right"),)),),
            ),
            (
                f"if {c.en}, leave the door as it is, otherwise open it",
                (c.choice((), (("open_door", "right"),)),),
            ),
            (f"get the material if {c.en}, but do not close the door", (c.choice((keep,)),)),
            (
                f"unless {c.en}, open the door and close it with your left arm",
                (c.choice((), (("open_door", "right"), ("close_door", "left"))),),
            ),
            (
                f"get the material, and if {c.en}, let go of it",
                (get, c.choice((("let_go", "right"),))),
            ),
            ("get the material and put it down", (get, ("let_go", "right"))),
            ("close the door instead of opening it", (("close_door", "right"),)),
            (f"close the door with your {arm} arm instead of your {other} arm", (k,)),
            (f"wait 5 seconds before closing the door with your {arm} arm", (("pause", "5"), k)),
            (
                f"if {c.en} and the door is closed, open the door",
                (Choice(lambda w: c.holds(w) and w.door == "closed", (("open_door", "right"),)),),
            ),
            (
                f"if {c.en} or the door is closed, wait 5 seconds",
                (Choice(lambda w: c.holds(w) or w.door == "closed", (("pause", "5"),)),),
            ),
            (
                f"if {c.en_not}, wait 5 seconds, but if {c.en}, close the door",
                (c.choice((("close_door", "right"),), (("pause", "5"),)),),
            ),
        ]
    else:
        p, q = ARMS[arm][1], ARMS[other][1]
        forms = [
            (f"{q}팔 말고 {p}팔로 문을 열어", (o,)),
            (f"{p}팔로 문 열어, {q}팔 말고", (o,)),
            (f"{q}팔 쓰지 말고 문 열어", (o,)),
            (f"{p}팔로 문을 열고 {q}팔로 닫아", (o, y)),
            (f"{p}팔로 문을 열고 반대쪽 팔로 닫아", (o, y)),
            (f"{p}팔로 문을 열고 닫아", (o, k)),
            (f"{p}손으로 문을 열고 같은 손으로 닫아", (o, k)),
            ("자재를 꺼내고 문은 열어 둬", (keep,)),
            ("자재를 꺼내되 문은 닫지 마", (keep,)),
            ("문 닫지 말고 자재만 꺼내", (keep,)),
            ("문만 열고 자재는 꺼내지 마", (("open_door", "right"),)),
            ("문만 열어", (("open_door", "right"),)),
            ("자재는 놔두고 문만 열어", (("open_door", "right"),)),
            ("문을 열어 둬", (("open_door", "right"),)),
            (f"{q}팔로 열어, 아니 {p}팔로 문 열어", (o,)),
            (f"{c.ko} {p}팔로 문을 열고 아니면 {q}팔로 열어", (c.choice((o,), (x,)),)),
            (f"{c.ko} 문 열지 마", ()),
            (f"{c.ko} 문을 열고 아니면 그냥 둬", (c.choice((("open_door", "right"),)),)),
            (f"{c.ko} 그냥 두고 아니면 문을 열어", (c.choice((), (("open_door", "right"),)),)),
            ("문을 닫았다가 다시 열어", (("close_door", "right"), ("open_door", "right"))),
            ("문을 열었다 닫아", (("open_door", "right"), ("close_door", "right"))),
            ("문을 세 번 열었다 닫아", (("open_door", "right"), ("close_door", "right")) * 3),
            ("자재를 가져와서 내려놔", (get, ("let_go", "right"))),
            (f"자재를 가져오고 {c.ko} 놔", (get, c.choice((("let_go", "right"),)))),
            ("문을 여는 대신 닫아", (("close_door", "right"),)),
            (f"5초 기다렸다가 {p}팔로 문 닫아", (("pause", "5"), k)),
            (
                f"{c.ko_not} 5초 기다리고 {c.ko} 문 닫아",
                (c.choice((("close_door", "right"),), (("pause", "5"),)),),
            ),
            (f"{c.ko_whether} 보고 아니면 문 열어", (c.choice((), (("open_door", "right"),)),)),
        ]
    said, meaning = rng.choice(forms)
    return Sample((said,), meaning, "own")


def questions(language: str, rng: random.Random) -> Sample:
    """Return a question, alone or beside an act; the acts must be the same without the question."""
    c = rng.choice(CONDITIONS)
    a, meaning = rng.choice(DEEDS)
    if language == "en":
        forms = [
            (c.question, ()),
            (f"tell me whether {c.en}", ()),
            (f"do you know if {c.en}?", ()),
            (f"{a.base} and tell me if {c.en}", meaning),
            (f"{a.base}. {c.question}", meaning),
            (f"{c.question} And {a.base}.", meaning),
            (f"tell me if {c.en}, then {a.base}", meaning),
            (f"before you {a.base}, tell me if {c.en}", meaning),
            (f"after {a.ing}, tell me whether {c.en}", meaning),
            (f"check whether {c.en}", ()),
            (f"don't {a.base}, just tell me if {c.en}", ()),
            (f"should you {a.base}?", None),
            (f"why did you {a.base}?", None),
            (f"did you {a.base}?", None),
            (f"{c.en}?", ()),
            (f"{c.en}, right?", ()),
            (f"has anybody {a.pp}?", None),
            (f"I wonder if {c.en}", ()),
        ]
    else:
        forms = [
            (c.ko_question, ()),
            (f"{c.ko_whether} 알려 줘", ()),
            (f"{c.ko_whether} 확인해", ()),
            (f"{a.go} {c.ko_whether} 알려 줘", meaning),
            (f"{a.fin}. {c.ko_question}", meaning),
            (f"{c.ko_question} 그리고 {a.fin}.", meaning),
            (f"{c.ko_whether} 알려 주고 {a.fin}", meaning),
            (f"{a.gi} 전에 {c.ko_whether} 알려 줘", None),
            (f"{a.n} 다음에 {c.ko_whether} 알려 줘", meaning),
            (f"{a.ji} 말고 {c.ko_whether}만 알려 줘", ()),
            (f"{a.ji} 말고 {c.ko_question}", ()),
            (f"{a.n} 거야?", None),
            (f"왜 {a.n} 거야?", None),
            (f"{c.ko_whether} 궁금해", ()),
            (f"{a.gi} 전에 {c.ko_question}", None),
        ]
    said, done = rng.choice(forms)
    return Sample((said,), () if done is None else done, "questions", is_question=done is None)


def sessions(language: str, rng: random.Random) -> Sample:
    """Return a command that follows another one."""
    a, b = rng.sample(DEEDS, 2)
    c = rng.choice(CONDITIONS)
    arm = rng.choice(["left", "right"])
    p = ARMS[arm][1]
    o, k = ("open_door", arm), ("close_door", arm)
    if language == "en":
        forms = [
            ((a.act.base, "again"), a.meaning),
            ((a.act.base, "do it again"), a.meaning),
            (("open the door", "close it"), (("close_door", "right"),)),
            (("open the door", f"no, with the {arm} arm"), (o,)),
            (("open the door", f"with your {arm} hand"), (o,)),
            (("get the material", "let go of it"), (("let_go", "right"),)),
            (("open the door", "no, close it"), (("close_door", "right"),)),
            ((a.act.base, f"if {c.en}, do it again"), (c.choice(a.meaning),)),
            ((a.act.base, f"and then {b.act.base}"), b.meaning),
            ((a.act.base, "don't"), ()),
            ((a.act.base, c.question), ()),
            ((c.question, "and your right hand?" if "hand" in c.question else "are you sure?"), ()),
            ((f"{a.act.base}, then {b.act.base}", "only the first part"), a.meaning),
            (("open the door", "twice"), None),
            (("is the door open?", "then close it"), (("close_door", "right"),)),
            ((c.question, f"if so, {a.act.base}"), (c.choice(a.meaning),)),
            ((c.question, f"if not, {a.act.base}"), (c.choice((), a.meaning),)),
            ((f"open the door with your {arm} arm", "close it with the same arm"), (k,)),
            ((a.act.base, f"before that, {b.act.base}"), None),
        ]
    else:
        forms = [
            ((a.act.fin, "다시"), a.meaning),
            ((a.act.fin, "한 번 더 해"), a.meaning),
            (("문을 열어", "닫아"), (("close_door", "right"),)),
            (("문을 열어", f"아니 {p}팔로"), (o,)),
            (("문 열어", f"{p}손으로 해"), (o,)),
            (("자재 가져와", "그거 놔"), (("let_go", "right"),)),
            (("문 열어", "아니 닫아"), (("close_door", "right"),)),
            ((a.act.fin, f"{c.ko} 다시 해"), (c.choice(a.meaning),)),
            ((a.act.fin, f"그다음 {b.act.fin}"), b.meaning),
            ((a.act.fin, "하지 마"), ()),
            ((a.act.fin, c.ko_question), ()),
            ((c.ko_question, f"아니면 {a.act.fin}"), None),
            ((f"{p}팔로 문 열어", "같은 팔로 닫아"), (k,)),
            (("문이 열려 있어?", "그럼 닫아"), (("close_door", "right"),)),
        ]
    said, meaning = rng.choice(forms)
    return Sample(said, meaning or (), "sessions", is_question=meaning is None)


SPECIAL = {"own": own_forms, "questions": questions, "sessions": sessions}
KINDS = (*FORMS, *SPECIAL)


def draw(kind: str, language: str, rng: random.Random) -> Sample:
    """Return a command of a kind with its meaning."""
    if kind in SPECIAL:
        return SPECIAL[kind](language, rng)
    return from_forms(kind, language, rng)
