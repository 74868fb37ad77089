"""Check of every sentence of a final message against the observations of a witness.

The tables are independent of the generation of messages. A sentence that is in none of them is an
error as well, so that every statement is checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.truth.witness import Witness, door_state

STATES = {"open": "open", "ajar": "ajar", "closed": "closed"}
KO_STATES = {"열려": "open", "조금 열려": "ajar", "닫혀": "closed"}
ARMS = {"left": "left", "right": "right", "왼": "left", "오른": "right"}
THINGS = {
    "material": "material",
    "자재": "material",
    "door handle": "door-handle",
    "손잡이": "door-handle",
}
PLACES = {
    "basecamp": "basecamp",
    "베이스캠프": "basecamp",
    "the professor's office": "professor_office",
    "교수님 연구실": "professor_office",
    "the corridor": "corridor_center",
    "복도": "corridor_center",
    "the lounge": "lounge",
    "라운지": "lounge",
    "the break room": "break_room",
    "휴게실": "break_room",
    "the restroom entrance": "restroom_front",
    "화장실 앞": "restroom_front",
}
ODD = {
    "a fallen chair": "fallen_chair",
    "넘어진 의자": "fallen_chair",
    "a spill on the floor": "spill",
    "바닥에 쏟아진 물": "spill",
    "a box on the floor": "box",
    "바닥에 놓인 상자": "box",
}
PEOPLE = {"the professor": "professor", "교수님": "professor", "you": "user", "사용자": "user"}
PLACE = "|".join(sorted(map(re.escape, PLACES), key=len, reverse=True))
WHO = "[Tt]he professor|you|[Yy]ou|교수님|사용자"
NAMED = r"(?: \((?:including )?(?P<who>[^)]*?)\))?"
AGO_EN = r"(?P<ago> about (?:a minute|\d+ seconds|\d+ minutes) ago)?"
AGO_KO = r"(?P<ago>(?:\d+초|\d+분)쯤 전에 )?"

Check = Callable[["Checker", re.Match[str]], bool]
RULES: list[tuple[re.Pattern[str], Check]] = []


def rule(*patterns: str) -> Callable[[Check], Check]:
    def add(check: Check) -> Check:
        RULES.extend((re.compile(pattern), check) for pattern in patterns)
        return check

    return add


class Checker:
    """Parser of a message, sentence by sentence.

    Args:
        witness: The actual events.
        status: Reported status of the mission.
        before: Door angle at the start of the mission [rad].
    """

    def __init__(self, witness: Witness, status: str) -> None:
        self.witness = witness
        self.status = status
        self.place = ""  # place that the answers are about
        self.untrue: list[str] = []

    def read(self, message: str) -> list[str]:
        """Return the false or unknown statements of a message."""
        rest = message.strip()
        while rest:
            match, check = self._next(rest)
            if match is None or check is None:
                self.untrue.append(f"nobody checks: {rest}")
                break
            if not check(self, match):
                self.untrue.append(f"untrue: {match[0]}")
            rest = rest[match.end() :].strip()
        return self.untrue

    def _next(self, rest: str) -> tuple[re.Match[str] | None, Check | None]:
        found = [
            (match, check) for pattern, check in RULES if (match := pattern.match(rest)) is not None
        ]
        return max(found, key=lambda one: one[0].end(), default=(None, None))


# -- the door --------------------------------------------------------------------------------


@rule(
    r"The door is (?:already )?(?P<s>open|ajar|closed)\.",
    r"문이 (?:이미 )?(?P<s>조금 열려|열려|닫혀) 있습니다\.",
)
def _door(c: Checker, m: re.Match[str]) -> bool:
    state = STATES.get(m["s"]) or KO_STATES[m["s"]]
    return door_state(c.witness.angle) == state


@rule(
    r"The door was (?P<s>open|ajar|closed) when I looked (?P<n>a moment|\d+ s) ago\.",
    r"(?P<n>조금|\d+초) 전에 보았을 때 문이 (?P<s>조금 열려|열려|닫혀) 있었습니다\.",
)
def _door_was(c: Checker, m: re.Match[str]) -> bool:
    state = STATES.get(m["s"]) or KO_STATES[m["s"]]
    seconds = float((re.search(r"\d+", m["n"]) or ["0.5"])[0])
    at = c.witness.t - seconds
    return state in c.witness.states(at - 1.2, at + 1.2)


@rule(
    r"The (?P<a>left|right) hand holds the (?P<t>material|door handle)\.",
    r"(?P<a>왼|오른)손에 (?P<t>자재)가 있습니다\.",
    r"(?P<a>왼|오른)손이 (?P<t>손잡이)를 잡고 있습니다\.",
)
def _held(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.held(ARMS[m["a"]]) == THINGS[m["t"]]


@rule(r"The (?P<a>left|right) hand is empty\.", r"(?P<a>왼|오른)손은 비어 있습니다\.")
def _empty(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.held(ARMS[m["a"]]) is None


@rule(r"Both hands are empty\.", r"두 손은 비어 있습니다\.")
def _both_empty(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.held("left") is None and c.witness.held("right") is None


@rule(
    r"The arms are (?:already )?in the home position\.", r"팔[은이] (?:이미 )?제자리에 있습니다\."
)
def _home(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.home("left") and c.witness.home("right")


@rule(r"The material is already in the hand\.", r"자재가 이미 손에 있습니다\.")
def _in_hand(c: Checker, m: re.Match[str]) -> bool:
    return "material" in (c.witness.held("left"), c.witness.held("right"))


@rule(r"The hand is already empty\.", r"손이 이미 비어 있습니다\.")
def _hand_empty(c: Checker, m: re.Match[str]) -> bool:
    return None in (c.witness.held("left"), c.witness.held("right"))


@rule(
    r"The door is open, but I do not see the material\.",
    r"문은 열려 있지만 자재가 보이지 않습니다\.",
)
def _no_material(c: Checker, m: re.Match[str]) -> bool:
    return door_state(c.witness.angle) == "open" and not c.witness.material_inside


@rule(
    r"The (?P<a>left|right) hand is not empty; it holds the (?P<t>material|door handle)\.",
    r"(?P<a>왼|오른)손이 비어 있지 않습니다\(잡은 것: (?P<t>자재|손잡이)\)\.",
)
def _full(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.held(ARMS[m["a"]]) == THINGS[m["t"]]


@rule(r"The material is behind the door\.", r"자재는 문 안쪽에 있습니다\.")
def _behind(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.material_inside and _loose(c)


@rule(
    r"The material was behind the door when I looked (?P<n>a moment|\d+ s) ago\.",
    r"(?P<n>조금|\d+초) 전에 보았을 때 자재는 문 안쪽에 있었습니다\.",
)
def _was_behind(c: Checker, m: re.Match[str]) -> bool:
    at = c.witness.t - float((re.search(r"\d+", m["n"]) or ["0.5"])[0])
    return any(stood for t, stood in c.witness.stood if abs(t - at) <= 1.2)


@rule(
    r"The material fell to the floor in front of the door\.",
    r"자재가 문 앞 바닥에 떨어져 있습니다\.",
)
def _fell(c: Checker, m: re.Match[str]) -> bool:
    return not c.witness.material_inside and _loose(c)


@rule(
    r"I do not know where the material is now\.",
    r"자재가 지금 어디에 있는지 알 수 없습니다\.",
)
def _where(c: Checker, m: re.Match[str]) -> bool:
    return _loose(c)


def _loose(c: Checker) -> bool:
    return "material" not in (c.witness.held("left"), c.witness.held("right"))


@rule(
    r"The (?P<a>left|right) arm is in the doorway\. Bring the (?:left|right) arm home first\.",
    r"(?P<a>왼|오른)팔이 문 사이에 들어가 있습니다\. 먼저 (?:왼|오른)팔을 제자리로 돌려 주십시오\.",
)
def _in_the_way(c: Checker, m: re.Match[str]) -> bool:
    return not c.witness.home(ARMS[m["a"]])


@rule(
    r"The (?P<a>left|right) arm is at the material\.",
    r"(?P<a>왼|오른)팔이 자재 앞에 있습니다\.",
)
def _at_material(c: Checker, m: re.Match[str]) -> bool:
    return not c.witness.home(ARMS[m["a"]])


# -- the building ----------------------------------------------------------------------------


@rule(rf"I am (?:at|in) (?P<p>{PLACE})\.", rf"(?P<p>{PLACE})에 있습니다\.")
def _at(c: Checker, m: re.Match[str]) -> bool:
    return PLACES[m["p"]] in c.witness.places


@rule(r"I am already there\.", r"이미 그곳에 있습니다\.")
def _there(c: Checker, m: re.Match[str]) -> bool:
    return bool(c.witness.places)


@rule(r"The tray is empty\.", r"쟁반은 비어 있습니다\.")
def _tray_empty(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.tray is None


@rule(r"The (?P<o>[\w ]+?) is on my tray\.", r"쟁반에 있는 물건: (?P<o>[\w ]+?)\.")
def _on_tray(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.tray == m["o"]


@rule(
    rf"I looked around (?P<p>{PLACE}){AGO_EN}\.", rf"{AGO_KO}(?P<p>{PLACE})[을를] 둘러보았습니다\."
)
def _looked(c: Checker, m: re.Match[str]) -> bool:
    c.place = PLACES[m["p"]]
    return any(place == c.place for place, _ in c.witness.looks)


def _look(c: Checker):
    return next(look for place, look in reversed(c.witness.looks) if place == c.place)


@rule(
    r"There (?:is|are) (?P<n>nobody there|one person|\d+ people)" + NAMED + r"\.",
    r"사람이 (?P<n>없습니다|\d+명 있습니다)(?:\((?P<who>[^)]*?)(?: 포함)?\))?\.",
)
def _count(c: Checker, m: re.Match[str]) -> bool:
    digits = re.search(r"\d+", m["n"])
    number = int(digits[0]) if digits else 1 if "one" in m["n"] else 0
    named = {PEOPLE[one.strip()] for one in (m["who"] or "").split(",") if one.strip()}
    look = _look(c)
    return look.people == number and named <= look.inside


@rule(
    r"There (?:is|are) at least (?P<n>one person|\d+ people)" + NAMED + r"\.",
    r"사람이 적어도 (?P<n>\d+명) 있습니다(?:\((?P<who>[^)]*?)(?: 포함)?\))?\.",
)
def _at_least(c: Checker, m: re.Match[str]) -> bool:
    digits = re.search(r"\d+", m["n"])
    return _look(c).people >= (int(digits[0]) if digits else 1)


@rule(
    r"I saw nobody, but part of the place was hidden\.",
    r"보이는 사람은 없지만 가려진 곳이 있습니다\.",
)
def _hidden(c: Checker, m: re.Match[str]) -> bool:
    return True  # hidden parts are not claimed to be empty


@rule(rf"(?:Yes, )(?P<w>{WHO}) is there\.", rf"네, (?P<w>{WHO})께서 계십니다\.")
def _is_there(c: Checker, m: re.Match[str]) -> bool:
    return PEOPLE[m["w"].lower()] in _look(c).inside


@rule(
    rf"(?:No, )?(?P<w>{WHO}) is not there\.",
    rf"(?:아니요, )?(?P<w>{WHO})께서는 (?:자리에 )?안 계십니다\.",
)
def _is_not_there(c: Checker, m: re.Match[str]) -> bool:
    return PEOPLE[m["w"].lower()] not in _look(c).inside


@rule(rf"(?P<w>{WHO}) is there: (?P<a>yes|no)\.", rf"(?P<w>{WHO}) 계심: (?P<a>네|아니요)\.")
def _was_there(c: Checker, m: re.Match[str]) -> bool:
    seen = any(PEOPLE[m["w"].lower()] in look.inside for _, look in c.witness.looks)
    return seen is (m["a"] in ("yes", "네"))


@rule(
    rf"I did not see (?P<w>{WHO}), but part of the place was hidden\.",
    rf"(?P<w>{WHO})께서는 보이지 않으시지만, 가려져서 확인하지 못한 곳이 있습니다\.",
)
def _not_seen(c: Checker, m: re.Match[str]) -> bool:
    return True


@rule(
    r"The light is (?P<l>on, except in [^.]*|on|off)\.",
    r"불이 (?P<l>켜져 있지만 꺼진 구간이 있습니다\([^)]*\)|켜져 있습니다|꺼져 있습니다)\.",
)
def _light(c: Checker, m: re.Match[str]) -> bool:
    partly = "except" in m["l"] or "지만" in m["l"]
    on = m["l"] in ("on", "켜져 있습니다")
    return _look(c).lights == (frozenset({True, False}) if partly else frozenset({on}))


@rule(
    r"It is (?P<q>quiet|not loud|loud) \((?P<n>\d+) dB\)\.",
    r"(?P<q>조용합니다|시끄럽지 않습니다|시끄럽습니다)\((?P<n>\d+) dB\)\.",
)
def _noise(c: Checker, m: re.Match[str]) -> bool:
    level = int(m["n"])
    words = {
        "quiet": 0,
        "조용합니다": 0,
        "not loud": 1,
        "시끄럽지 않습니다": 1,
        "loud": 2,
        "시끄럽습니다": 2,
    }
    state = 0 if level <= 47 else 1 if level <= 63 else 2
    near = abs(_look(c).noise_db - level) <= 3.0
    return near and abs(state - words[m["q"]]) <= (level in (47, 63))


@rule(r"Nothing unusual is in view\.", r"이상한 점은 보이지 않습니다\.")
def _usual(c: Checker, m: re.Match[str]) -> bool:
    return not _look(c).things


@rule(r"Unusual: (?P<t>[^.]*)\.", r"이상한 점: (?P<t>[^.]*)\.")
def _unusual(c: Checker, m: re.Match[str]) -> bool:
    return {ODD[one.strip()] for one in m["t"].split(",")} == set(_look(c).things)


@rule(
    rf"I asked (?P<w>{WHO}){AGO_EN}: “(?P<q>[^”]*)”\. The answer was: “(?P<a>[^”]*)”",
    rf"{AGO_KO}(?P<w>{WHO})께 여쭤보았습니다: “(?P<q>[^”]*)”. 대답은 이렇습니다: “(?P<a>[^”]*)”",
)
def _asked(c: Checker, m: re.Match[str]) -> bool:
    person = PEOPLE[m["w"].lower()]
    options = c.witness._robot.world.options
    heard = options.answer not in ("none", "refuse")
    return heard and c.witness.said_to(person, m["q"])


@rule(
    rf"I told (?P<w>{WHO}){AGO_EN}: “(?P<q>[^”]*)”\. "
    r"(?:The reply was: “(?P<a>[^”]*)”|There was no reply\.)",
    rf"{AGO_KO}(?P<w>{WHO})께 말씀을 전했습니다: “(?P<q>[^”]*)”. "
    r"(?:대답은 이렇습니다: “(?P<a>[^”]*)”|대답은 없었습니다\.)",
)
def _told(c: Checker, m: re.Match[str]) -> bool:
    person = PEOPLE[m["w"].lower()]
    silent = c.witness._robot.world.options.answer == "none"
    return c.witness.said_to(person, m["q"]) and (m["a"] is None) is silent


@rule(
    rf"(?P<w>{WHO}) took the (?P<o>[\w ]+?){AGO_EN}\.",
    rf"{AGO_KO}(?P<o>[\w ]+?)[을를] (?P<w>{WHO})께 전해 드렸습니다\.",
)
def _delivered(c: Checker, m: re.Match[str]) -> bool:
    person = PEOPLE[m["w"].lower()]
    had = any(on == m["o"] for _, on in c.witness.trays)
    return had and c.witness.tray is None and c.witness.said_to(person, m["o"])


@rule(rf"I went to (?P<p>{PLACE}){AGO_EN}\.", rf"{AGO_KO}(?P<p>{PLACE})에 갔습니다\.")
def _went(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.was_at(PLACES[m["p"]])


@rule(
    rf"I did not (?:get back to|reach) (?P<p>{PLACE})\.",
    rf"(?P<p>{PLACE})에 가지 못했습니다\.",
    rf"(?P<p>{PLACE})(?:으로|로) 돌아오지 못했습니다\.",
)
def _not_got(c: Checker, m: re.Match[str]) -> bool:
    return PLACES[m["p"]] not in c.witness.places


@rule(
    rf"I could not look around (?P<p>{PLACE})(?:; I only listened \(\d+ dB\))?\.",
    rf"(?P<p>{PLACE})[을를] 둘러보지 못(?:했습니다|하고 소리만 들었습니다\(\d+ dB\))\.",
)
def _not_looked(c: Checker, m: re.Match[str]) -> bool:
    return all(place != PLACES[m["p"]] for place, _ in c.witness.looks)


@rule(
    rf"I got no answer from (?P<w>{WHO}) to “(?P<q>[^”]*)”\.",
    rf"“(?P<q>[^”]*)”에 대한 (?P<w>{WHO})의 대답을 듣지 못했습니다\.",
)
def _no_answer(c: Checker, m: re.Match[str]) -> bool:
    return True  # result of the plan; its report is checked by the goals


@rule(
    rf"(?P<w>{WHO}) has not confirmed my message “(?P<q>[^”]*)”\.",
    rf"(?P<w>{WHO})께 “(?P<q>[^”]*)” 말씀이 전해졌는지 확인하지 못했습니다\.",
)
def _not_told(c: Checker, m: re.Match[str]) -> bool:
    person, world = PEOPLE[m["w"].lower()], c.witness._robot.world
    there = world.person_position(person) is not None
    there = there and world.options.answer not in ("none", "refuse")
    return not (there and c.witness.said_to(person, m["q"]))


@rule(
    rf"I did not deliver the (?P<o>[\w ]+?) to (?P<w>{WHO})\.",
    rf"(?P<o>[\w ]+?)[을를] (?P<w>{WHO})께 전달하지 못했습니다\.",
)
def _not_delivered(c: Checker, m: re.Match[str]) -> bool:
    had = any(on == m["o"] for _, on in c.witness.trays)
    return not had or c.witness.tray == m["o"]


@rule(r"It is still on my tray\.", r"쟁반에 그대로 있습니다\.")
def _still(c: Checker, m: re.Match[str]) -> bool:
    return c.witness.tray is not None


@rule(
    rf"(?P<w>{WHO}) did not answer\.",
    rf"(?P<w>{WHO})께서 대답하지 않으셨습니다\.",
)
def _silent(c: Checker, m: re.Match[str]) -> bool:
    return True


# -- sentences that claim nothing about the world ---------------------------------------------

HARMLESS = Path(__file__).with_name("harmless.txt").read_text(encoding="utf-8").splitlines()
for pattern in HARMLESS[1:]:
    rule(pattern.replace("WHO", WHO).replace("PLACE", PLACE))(lambda c, m: True)
