"""Generated commands for the building, with their meanings; independent of the grammar."""

from __future__ import annotations

import random
from typing import NamedTuple

from tests.llm.offline.generated.building_reference import BASE, Event, If, Meaning
from tests.llm.offline.generated.building_words import (
    ACTS,
    ITEMS,
    MESSAGES,
    PLACES,
    Deed,
    condition,
    dark,
    loud,
    obj,
    professor_in,
    rang,
    somebody,
    subj,
    tell_people,
    tell_professor,
    to,
    topic,
)
from tests.llm.offline.generated.sentence_forms import FORMS, command_and_meaning

__all__ = ["KINDS", "Sample", "draw"]


class Sample(NamedTuple):
    """A command after earlier ones, with its meaning."""

    said: tuple[str, ...]
    meaning: Meaning
    kind: str


def from_forms(kind: str, language: str, rng: random.Random) -> Sample:
    """Return a command of one of the common forms."""
    makers = [make for make in ACTS if kind != "times" or make not in (tell_professor, tell_people)]
    deeds: list[Deed] = []
    while len({deed.events for deed in deeds}) < len("abd"):
        deeds = [rng.choice(makers)(rng) for _ in "abd"]
    text, meaning = command_and_meaning(kind, language, rng, deeds, condition(rng))
    return Sample((text,), meaning, kind)


def _look(place: str, what: str = "situation") -> Event:
    return Event("look", place, what)


ROUND = ("corridor_center", "lounge", "break_room", "restroom_front")


def exceptions(language: str, rng: random.Random) -> Sample:
    places = rng.sample(list(PLACES), 4)
    x, y, z, _ = (PLACES[place][language == "ko"] for place in places)
    one = tuple(_look(place) for place in ROUND if place != places[0])
    two = tuple(_look(place) for place in ROUND if place not in places[:2])
    ifdark = rng.choice([dark, somebody, loud])(places[2])
    if language == "en":
        forms = [
            (f"check every room except {x}", one),
            (f"check all places but {x}", one),
            (f"look everywhere except in {x}", one),
            (f"patrol, but leave out {x}", one),
            (f"check every place other than {x}", one),
            (f"inspect all the rooms apart from {x}", one),
            (f"check all rooms except {x} and {y}", two),
            (f"check every place, but not {x}", one),
            (f"check everywhere, excluding {x} and {y}", two),
            (f"except for {x}, check every room", one),
            (f"check all rooms. Skip {x}.", one),
            (f"patrol without going to {x}", one),
            (f"don't check {x}, but check all other places", one),
            (f"check {x}, {y} and {z}, but not {y}", (_look(places[0]), _look(places[2]))),
            (f"check only {x}", (_look(places[0]),)),
            (f"check {x} only", (_look(places[0]),)),
            (f"check {x} and nothing else", (_look(places[0]),)),
            (f"check nothing but {x}", (_look(places[0]),)),
            (f"check {x}, not {y}", (_look(places[0]),)),
            (f"don't check {x}, check {y}", (_look(places[1]),)),
            (f"check {y} instead of {x}", (_look(places[1]),)),
            (f"check {x}, not {y}, and then go to {z}", (_look(places[0]), Event("go", places[2]))),
            (f"check neither {x} nor {y} but {z}", (_look(places[2]),)),
            (
                f"check every room except {x} and go to {x} at the end",
                (*one, Event("go", places[0])),
            ),
            (f"check all the rooms except {x}, {y}", two),
            (f"check every room but {x} twice", one + one),
            (
                f"check all rooms except {x}, and if {ifdark.en}, go to {y}",
                (*one, ifdark.choice((Event("go", places[1]),))),
            ),
            (f"check all rooms, {x} last", (*one, _look(places[0]))),
            (f"check all rooms, but {x} first", (_look(places[0]), *one)),
            (f"check all rooms, starting with {x}", (_look(places[0]), *one)),
            (f"check {x} and {y}, but {y} first", (_look(places[1]), _look(places[0]))),
            (f"check {x} before {y}", (_look(places[0]), _look(places[1]))),
            (f"check {x} after {y}", (_look(places[1]), _look(places[0]))),
        ]
    else:
        forms = [
            (f"{x} 빼고 다 둘러봐", one),
            (f"{x}만 빼고 모든 곳을 확인해", one),
            (f"{obj(x)} 제외한 모든 곳을 둘러봐", one),
            (f"{x} 말고 다른 곳은 다 확인해", one),
            (f"{rang(x)} {y} 빼고 전부 확인해", two),
            (f"모든 곳을 확인하되 {topic(x)} 빼", one),
            (f"전체 순찰하는데 {topic(x)} 가지 마", one),
            (f"{x} 빼고 순찰해", one),
            (f"{x} 외에 모든 곳을 둘러봐", one),
            (f"{topic(x)} 놔두고 나머지 다 둘러봐", one),
            (f"{rang(x)} {topic(y)} 제외하고 모든 방을 확인해", two),
            (f"{x}만 확인해", (_look(places[0]),)),
            (f"{x}만 둘러보고 {topic(y)} 보지 마", (_look(places[0]),)),
            (f"{x} 말고 {obj(y)} 확인해", (_look(places[1]),)),
            (f"{x} 대신 {obj(y)} 확인해", (_look(places[1]),)),
            (f"{obj(x)} 확인해 {y} 말고", (_look(places[0]),)),
            (
                f"{rang(x)} {obj(y)} 확인하고 {topic(z)} 보지 마",
                (_look(places[0]), _look(places[1])),
            ),
            (f"{x}도 {y}도 말고 {z}만 확인해", (_look(places[2]),)),
            (f"{x} 빼고 다 확인하고 {to(x)} 가", (*one, Event("go", places[0]))),
            (f"{x} 빼고 두 번 순찰해", one + one),
            (f"{x}부터 보고 {y}", (_look(places[0]), _look(places[1]))),
            (f"{x}보다 {obj(y)} 먼저 확인해", (_look(places[1]), _look(places[0]))),
            (f"{y} 먼저 확인하고 {topic(x)} 나중에 확인해", (_look(places[1]), _look(places[0]))),
            (f"{x} 다음에 {obj(y)} 확인해", (_look(places[0]), _look(places[1]))),
            (f"{obj(x)} 마지막으로 모든 곳을 확인해", (*one, _look(places[0]))),
            (f"{x} 전에 {obj(y)} 확인해", (_look(places[1]), _look(places[0]))),
            (
                f"{rang(x)} {obj(y)} 확인하는데 {y} 먼저 확인해",
                (_look(places[1]), _look(places[0])),
            ),
        ]
    text, meaning = rng.choice(forms)
    return Sample((text,), meaning, "exceptions")


def messages(language: str, rng: random.Random) -> Sample:
    m, n = rng.sample(MESSAGES[language], 2)
    i, j = rng.sample(ITEMS[language], 2)
    place, other = rng.sample(["lounge", "break_room"], 2)
    p, q = (PLACES[one][language == "ko"] for one in (place, other))
    prof = Event("say", "professor", m)
    people = Event("say", place, n)
    give_prof, give_place = Event("give", "professor", i), Event("give", place, j)
    c = condition(rng)
    if language == "en":
        forms = [
            (f"tell the professor that {m} and the people in {p} that {n}", (prof, people)),
            (f"tell the professor that {m}, and tell the people in {p} that {n}", (prof, people)),
            (f"tell the professor that {m}. Tell the people in {p} that {n}.", (prof, people)),
            (
                f"first tell the professor that {m}, then tell the people in {p} that {n}",
                (prof, people),
            ),
            (f"tell the people in {p} and {q} that {n}", (people, Event("say", other, n))),
            (f"tell the people in {p} that {n}, then go to {q}", (people, Event("go", other))),
            (
                f"tell the professor that {m} before you tell the people in {p} that {n}",
                (prof, people),
            ),
            (f"tell the professor, not the people in {p}, that {m}", (prof,)),
            (f"don't tell the people in {p} that {n}, tell the professor that {m}", (prof,)),
            (f"take the {i} to the professor and the {j} to {p}", (give_prof, give_place)),
            (f"take the {i} to the professor, the {j} to {p}", (give_prof, give_place)),
            (f"deliver the {i} to the professor and tell him that {m}", (give_prof, prof)),
            (f"take the {j}, not the {i}, to {p}", (give_place,)),
            (f"take the {i} to the professor, but not the {j}", (give_prof,)),
            (
                f"take the {i} and the {j} to the professor",
                (give_prof, Event("give", "professor", j)),
            ),
            (f"bring the professor the {i} and then tell him that {m}", (give_prof, prof)),
            (f"take the {j} to {p} and tell the people there that {n}", (give_place, people)),
            (f"go to {p} and tell the people there that {n}", (people,)),
            (f"tell the professor that {m} if {c.en}", (c.choice((prof,)),)),
            (
                f"if {c.en}, tell the professor that {m}, else tell the people in {p} that {n}",
                (c.choice((prof,), (people,)),),
            ),
            (f"tell the professor that {m} unless {c.en}", (c.choice((), (prof,)),)),
            (f"before telling the professor that {m}, take the {j} to {p}", (give_place, prof)),
            (
                f"get the {i} from {p} and take it to the professor",
                (Event("give", "professor", f"{i} < {place}"),),
            ),
            (f"bring the {i} from {p} to {q}", (Event("give", other, f"{i} < {place}"),)),
            (
                f"take the {i} from the professor to {q}",
                (Event("give", other, f"{i} < professor"),),
            ),
            (f"if somebody is in {p}, tell them that {n}", (somebody(place).choice((people,)),)),
            (f"tell whoever is in {p} that {n}", (people,)),
            (
                f"if the professor is in, tell him that {m}; else tell the people in {p} that {n}",
                (professor_in().choice((prof,), (people,)),),
            ),
            (
                f"if the professor is not there, take the {j} to {p}",
                (professor_in().choice((), (give_place,)),),
            ),
            (
                f"ask the professor if he is free. If he is, tell him that {m}.",
                (
                    Event("ask", "professor", "if he is free"),
                    If(lambda w: w.answers_yes, (), (prof,)),
                ),
            ),
            (
                f"ask the professor whether he has time; if not, tell the people in {p} that {n}",
                (
                    Event("ask", "professor", "whether he has time"),
                    If(lambda w: w.answers_yes, (), (), (people,)),
                ),
            ),
            (f"tell the people in {p} that {n} and come back", (people, Event("go", BASE))),
            (f"tell the professor {m}", (prof,)),
            (f"let the professor know that {m}", (prof,)),
            (f"tell the professor that {m} and wait two minutes", (prof, Event("wait", "", "120"))),
            (
                f"tell the professor that {m}, wait two minutes and go to {p}",
                (prof, Event("wait", "", "120"), Event("go", place)),
            ),
        ]
    else:
        forms = [
            (f"교수님께는 {m}고 전하고 {p} 사람들에게는 {n}고 전해", (prof, people)),
            (f"교수님께 {m}고, {p}에 있는 사람들에게 {n}고 전해", (prof, people)),
            (f"교수님께 {m}고 전하고 {p}에 있는 사람들한테 {n}고 전해", (prof, people)),
            (f"{p} 사람들하고 {q} 사람들한테 {n}고 전해", (people, Event("say", other, n))),
            (f"{rang(p)} {q}에 있는 사람들에게 {n}고 전해", (people, Event("say", other, n))),
            (f"교수님께 {obj(i)} 드리고 {p}에 {obj(j)} 갖다 놔", (give_prof, give_place)),
            (f"교수님께는 {obj(i)}, {p}에는 {obj(j)} 갖다줘", (give_prof, give_place)),
            (f"교수님께 {obj(i)} 전달하고 {m}고 전해", (give_prof, prof)),
            (f"{i} 말고 {obj(j)} {p}에 갖다 놔", (give_place,)),
            (f"교수님께 {rang(i)} {obj(j)} 전달해", (give_prof, Event("give", "professor", j))),
            (f"{p}에 가서 사람들에게 {n}고 전해", (people,)),
            (f"{c.ko} 교수님께 {m}고 전해", (c.choice((prof,)),)),
            (
                f"{c.ko} 교수님께 {m}고 전하고 아니면 {p} 사람들에게 {n}고 전해",
                (c.choice((prof,), (people,)),),
            ),
            (f"교수님께 {m}고 전하기 전에 {p}에 {obj(j)} 갖다 놔", (give_place, prof)),
            (
                f"{p}에서 {obj(i)} 가져다가 교수님께 드려",
                (Event("give", "professor", f"{i} < {place}"),),
            ),
            (f"{p}에 있는 {obj(i)} {q}에 갖다 놔", (Event("give", other, f"{i} < {place}"),)),
            (
                f"교수님이 계시면 {m}고 전하고 안 계시면 {p} 사람들에게 {n}고 전해",
                (professor_in().choice((prof,), (people,)),),
            ),
            (f"{p}에 사람이 있으면 {n}고 전해", (somebody(place).choice((people,)),)),
            (f"{p} 사람들 말고 교수님께 {m}고 전해", (prof,)),
            (f"교수님께 {m}고 전하고 돌아와", (prof, Event("go", BASE))),
            (
                f"교수님께 {m}고 전하고 2분 기다렸다가 {to(p)} 가",
                (prof, Event("wait", "", "120"), Event("go", place)),
            ),
            (
                f"교수님께 시간 있으신지 여쭤보고 있으시면 {m}고 전해",
                (Event("ask", "professor", "*"), If(lambda w: w.answers_yes, (), (prof,))),
            ),
            (
                f"교수님이 안 계시면 {p}에 {obj(j)} 갖다 놔",
                (professor_in().choice((), (give_place,)),),
            ),
            (f"{c.ko_not}만 교수님께 {m}고 전해", (c.choice((), (prof,)),)),
            (f"교수님한테 {topic(i)} 말고 {obj(j)} 갖다 드려", (Event("give", "professor", j),)),
            (f"{p} 사람들한테 {n}고 말하고 {to(q)} 가", (people, Event("go", other))),
            (f"교수님께 {m}고 전해 줘, {p} 사람들한테는 말하지 말고", (prof,)),
        ]
    text, meaning = rng.choice(forms)
    return Sample((text,), meaning, "messages")


def places(language: str, rng: random.Random) -> Sample:
    ids = rng.sample(list(PLACES), 4)
    x, y, z, v = (PLACES[place][language == "ko"] for place in ids)
    lx, ly, lz, gv = (_look(ids[0]), _look(ids[1]), _look(ids[2]), Event("go", ids[3]))
    cx, cy = _look(ids[0], "people"), _look(ids[1], "people")
    if language == "en":
        forms = [
            (f"check {x}, {y} and {z}", (lx, ly, lz)),
            (f"check {x} and then {y} and {z}", (lx, ly, lz)),
            (f"check {x} and {y}, then go to {v}", (lx, ly, gv)),
            (f"go to {v} after checking {x} and {y}", (lx, ly, gv)),
            (f"check both {x} and {y}", (lx, ly)),
            (f"count the people in {x} and {y}", (cx, cy)),
            (f"check {x}, count the people in {y} and go to {v}", (lx, cy, gv)),
            (f"go to {v} and count the people in {x}", (gv, cx)),
            (f"go to {x} and look around there, then go to {v}", (lx, gv)),
            (f"go to {x} and count the people", (cx,)),
            (f"check {x}. If it is dark there, go to {v}.", (lx, dark(ids[0]).choice((gv,)))),
            (
                f"go to {x} and if nobody is there, go to {v}",
                (Event("go", ids[0]), somebody(ids[0]).choice((), (gv,))),
            ),
            (
                f"check {x} and if it is noisy there go to {v}, otherwise check {y}",
                (lx, loud(ids[0]).choice((gv,), (ly,))),
            ),
            (f"check {x} and {y} twice each", (lx, lx, ly, ly)),
            (f"check {x} twice and {y} once", (lx, lx, ly)),
            (f"check {x} once and {y} twice", (lx, ly, ly)),
            (
                f"go to {x}, wait two minutes there and go to {v}",
                (Event("go", ids[0]), Event("wait", "", "120"), gv),
            ),
            (
                f"wait two minutes in {x}, then check {y}",
                (Event("go", ids[0]), Event("wait", "", "120"), ly),
            ),
            (f"go to {v} via {x}", (Event("go", ids[0]), gv)),
            (f"check {x} and come back, then check {y}", (lx, Event("go", BASE), ly)),
            (f"go to {x}, {y}, then {v}", (Event("go", ids[0]), Event("go", ids[1]), gv)),
            (f"check {x} and afterwards {y}", (lx, ly)),
            (f"check {y}, but check {x} first", (lx, ly)),
            (f"check {x} and, if there is nobody, {y}", (lx, somebody(ids[0]).choice((), (ly,)))),
            (
                f"if {x} is dark and {y} is empty, go to {v}",
                (
                    If(
                        lambda w: not w[ids[0]].is_lit and w[ids[1]].people == 0,
                        (Event("look", ids[0], "", True), Event("look", ids[1], "", True)),
                        (gv,),
                    ),
                ),
            ),
            (
                f"if {x} is dark or {y} is noisy, go to {v}",
                (
                    If(
                        lambda w: not w[ids[0]].is_lit or w[ids[1]].is_loud,
                        (Event("look", ids[0], "", True), Event("look", ids[1], "", True)),
                        (gv,),
                    ),
                ),
            ),
            (
                f"if there are more people in {x} than in {y}, go to {v}",
                (
                    If(
                        lambda w: w[ids[0]].people > w[ids[1]].people,
                        (Event("look", ids[1], "", True), Event("look", ids[0], "", True)),
                        (gv,),
                    ),
                ),
            ),
            (
                f"if {x} is noisier than {y}, go to {v}, otherwise check {z}",
                (
                    If(
                        lambda w: w[ids[0]].is_loud > w[ids[1]].is_loud,
                        (Event("look", ids[1], "", True), Event("look", ids[0], "", True)),
                        (gv,),
                        (lz,),
                    ),
                ),
            ),
            (
                f"if there are fewer people in {x} than in {y}, go to {v}",
                (
                    If(
                        lambda w: w[ids[0]].people < w[ids[1]].people,
                        (Event("look", ids[1], "", True), Event("look", ids[0], "", True)),
                        (gv,),
                    ),
                ),
            ),
            (f"go to {x} — no, {v}", (gv,)),
            (f"check {x}, sorry, {y}", (ly,)),
            (f"check {x}, I mean {y}", (ly,)),
            (f"go to {v}, not {x}", (gv,)),
            (f"check {x} instead of {y} and then go to {v}", (lx, gv)),
        ]
    else:
        forms = [
            (f"{rang(x)} {rang(y)} {obj(z)} 확인해", (lx, ly, lz)),
            (f"{x}, {y}, {obj(z)} 둘러봐", (lx, ly, lz)),
            (f"{x} 보고 {y} 보고 {z} 봐", (lx, ly, lz)),
            (f"{rang(x)} {obj(y)} 확인하고 {to(v)} 가", (lx, ly, gv)),
            (f"{to(v)} 가기 전에 {rang(x)} {obj(y)} 확인해", (lx, ly, gv)),
            (f"{rang(x)} {y}에 사람이 몇 명 있는지 확인해", (cx, cy)),
            (f"{x}에 가서 둘러보고 {to(v)} 가", (lx, gv)),
            (f"{to(x)} 가서 사람이 몇 명인지 확인해", (cx,)),
            (f"{obj(x)} 확인하고 거기가 어두우면 {to(v)} 가", (lx, dark(ids[0]).choice((gv,)))),
            (
                f"{x}에 가서 아무도 없으면 {to(v)} 가",
                (Event("go", ids[0]), somebody(ids[0]).choice((), (gv,))),
            ),
            (f"{obj(x)} 두 번, {obj(y)} 한 번 확인해", (lx, lx, ly)),
            (
                f"{x}에서 2분 기다리고 {obj(y)} 확인해",
                (Event("go", ids[0]), Event("wait", "", "120"), ly),
            ),
            (f"{obj(x)} 거쳐서 {to(v)} 가", (Event("go", ids[0]), gv)),
            (f"{x} 들렀다가 {to(v)} 가", (Event("go", ids[0]), gv)),
            (
                f"{subj(x)} 어둡고 {subj(y)} 비어 있으면 {to(v)} 가",
                (
                    If(
                        lambda w: not w[ids[0]].is_lit and w[ids[1]].people == 0,
                        (Event("look", ids[0], "", True), Event("look", ids[1], "", True)),
                        (gv,),
                    ),
                ),
            ),
            (
                f"{subj(x)} 어둡거나 {subj(y)} 시끄러우면 {to(v)} 가",
                (
                    If(
                        lambda w: not w[ids[0]].is_lit or w[ids[1]].is_loud,
                        (Event("look", ids[0], "", True), Event("look", ids[1], "", True)),
                        (gv,),
                    ),
                ),
            ),
            (
                f"{y}보다 {x}에 사람이 더 많으면 {to(v)} 가",
                (
                    If(
                        lambda w: w[ids[0]].people > w[ids[1]].people,
                        (Event("look", ids[1], "", True), Event("look", ids[0], "", True)),
                        (gv,),
                    ),
                ),
            ),
            (
                f"{subj(x)} {y}보다 시끄러우면 {to(v)} 가고 아니면 {z} 봐",
                (
                    If(
                        lambda w: w[ids[0]].is_loud > w[ids[1]].is_loud,
                        (Event("look", ids[1], "", True), Event("look", ids[0], "", True)),
                        (gv,),
                        (lz,),
                    ),
                ),
            ),
            (f"{to(x)} 가, 아니 {to(v)} 가", (gv,)),
            (f"{x} 아니 {obj(y)} 확인해", (ly,)),
            (f"{x} 말고 {to(v)} 가", (gv,)),
            (f"{to(x)} 가지 말고 {to(v)} 가", (gv,)),
            (
                f"{to(x)} 갔다가 {to(y)} 갔다가 {to(v)} 가",
                (Event("go", ids[0]), Event("go", ids[1]), gv),
            ),
            (
                f"{obj(x)} 확인하고 아무도 없으면 {y}도 확인해",
                (lx, somebody(ids[0]).choice((), (ly,))),
            ),
            (
                f"{x}에 사람이 없고 {subj(y)} 조용하면 {to(v)} 가",
                (
                    If(
                        lambda w: w[ids[0]].people == 0 and not w[ids[1]].is_loud,
                        (Event("look", ids[0], "", True), Event("look", ids[1], "", True)),
                        (gv,),
                    ),
                ),
            ),
            (f"{obj(x)} 확인하고 돌아왔다가 {obj(y)} 확인해", (lx, Event("go", BASE), ly)),
            (f"{obj(x)} 확인하고 그 다음은 {y}", (lx, ly)),
        ]
    text, meaning = rng.choice(forms)
    return Sample((text,), meaning, "places")


def questions(language: str, rng: random.Random) -> Sample:
    c, e = condition(rng), condition(rng)
    a, done = rng.choice(ACTS)(rng)
    ids = rng.sample(list(PLACES), 2)
    x, y = (PLACES[place][language == "ko"] for place in ids)
    report = Event("report")
    look = c.look._replace(optional=False)
    lx, ly = _look(ids[0], "people"), _look(ids[1], "people")
    if language == "en":
        forms = [
            (c.question, (look, report)),
            (f"Can you tell me if {c.en}?", (look, report)),
            (f"tell me whether {c.en}", (look, report)),
            (f"I want to know if {c.en}", (look, report)),
            (f"check whether {c.en} and tell me", (look, report)),
            (f"do you know if {c.en}?", (look, report)),
            (f"{a.base}. {c.question}", (*done, look, report)),
            (f"{c.question} And {a.base}.", (look, *done, report)),
            (f"{a.base} and tell me if {c.en}", (*done, look, report)),
            (f"tell me if {c.en}, then {a.base}", (look, *done, report)),
            (f"how many people are in {x}?", (lx, report)),
            (f"how many people are in {x} and {y}?", (lx, ly, report)),
            (f"who is in {x}?", (lx, report)),
            (f"which is more crowded, {x} or {y}?", (lx, ly, report)),
            (f"are there more people in {x} than in {y}?", (lx, ly, report)),
            (f"{c.question} {e.question}", (look, e.look._replace(optional=False), report)),
            (f"is {x} or {y} darker?", (_look(ids[0], "light"), _look(ids[1], "light"), report)),
            (
                f"how many people are there in {x}, and is {y} dark?",
                (lx, _look(ids[1], "light"), report),
            ),
            (f"are {x} and {y} empty?", (lx, ly, report)),
            (f"is {x} dark or noisy?", (_look(ids[0], "*"), report)),
            (f"isn't {x} empty?", (lx, report)),
            (f"is there nobody in {x}?", (lx, report)),
            (f"before you {a.base}, tell me if {c.en}", (look, *done, report)),
            (f"after {a.ing}, tell me if {c.en}", (*done, look, report)),
        ]
    else:
        forms = [
            (c.ko_question, (look, report)),
            (f"{c.ko_whether} 알려 줘", (look, report)),
            (f"{c.ko_whether} 확인하고 알려 줘", (look, report)),
            (f"{c.ko_whether} 말해 줄래?", (look, report)),
            (f"{c.ko_whether} 궁금해", (look, report)),
            (f"{a.go} {c.ko_whether} 알려 줘", (*done, look, report)),
            (f"{a.fin}. {c.ko_question}", (*done, look, report)),
            (f"{c.ko_question} 그리고 {a.fin}.", (look, *done, report)),
            (f"{c.ko_whether} 보고 나서 {a.fin}", (look, *done)),
            (f"{x}에 사람 몇 명 있어?", (lx, report)),
            (f"{rang(x)} {y}에 사람이 몇 명 있어?", (lx, ly, report)),
            (f"{rang(x)} {y} 중에 어디가 사람이 더 많아?", (lx, ly, report)),
            (f"{y}보다 {x}에 사람이 더 많아?", (lx, ly, report)),
            (f"{x}에 누가 있어?", (lx, report)),
            (f"{rang(x)} {subj(y)} 비어 있어?", (lx, ly, report)),
            (f"{x}에 아무도 없어?", (lx, report)),
            (
                f"{c.ko_whether} {e.ko_whether} 알려 줘",
                (look, e.look._replace(optional=False), report),
            ),
            (f"{a.gi} 전에 {c.ko_whether} 알려 줘", (look, *done, report)),
            (f"{a.n} 다음에 {c.ko_whether} 알려 줘", (*done, look, report)),
            (
                f"{x}에 사람이 있는지랑 {subj(y)} 어두운지 알려 줘",
                (lx, _look(ids[1], "light"), report),
            ),
        ]
    text, meaning = rng.choice(forms)
    return Sample((text,), meaning, "questions")


def sessions(language: str, rng: random.Random) -> Sample:
    (a, done), (b, then) = rng.choice(ACTS)(rng), rng.choice(ACTS)(rng)
    ids = rng.sample(list(PLACES), 3)
    x, y, z = (PLACES[place][language == "ko"] for place in ids)
    m, n = rng.sample(MESSAGES[language], 2)
    i, j = rng.sample(ITEMS[language], 2)
    c = condition(rng)
    lx, ly, lz = map(_look, ids)
    p = ids[0] if ids[0] in ("lounge", "break_room") else "lounge"
    pn = PLACES[p][language == "ko"]
    if language == "en":
        forms = [
            ((a.base, "again"), done),
            ((a.base, "do that again"), done),
            ((f"check {x}", f"now {y}"), (ly,)),
            ((f"check {x}", f"and {y}"), (ly,)),
            ((f"check {x}", f"the same for {y}"), (ly,)),
            ((f"check {x}", f"no, {y}"), (ly,)),
            ((f"check {x}", f"not {x}, {y}"), (ly,)),
            (
                (f"go to {x}", "how many people are there?"),
                (_look(ids[0], "people"), Event("report")),
            ),
            ((f"go to {x}", "look around there"), (lx,)),
            ((f"check {x}", "is it dark there?"), (_look(ids[0], "light"), Event("report"))),
            (
                (f"tell the professor that {m}", f"tell him that {n}"),
                (Event("say", "professor", n),),
            ),
            (
                (f"tell the professor that {m}", f"tell that to the people in {pn} too"),
                (Event("say", p, m),),
            ),
            ((f"take the {i} to the professor", f"now the {j}"), (Event("give", "professor", j),)),
            (
                (f"take the {i} to the professor", f"and take the {j} to him too"),
                (Event("give", "professor", j),),
            ),
            ((f"take the {i} to the professor", f"no, to {pn}"), (Event("give", p, i),)),
            ((f"take the {i} to the professor", f"no, the {j}"), (Event("give", "professor", j),)),
            ((f"check {x} and {y}", f"only {x}"), (lx,)),
            ((f"check {x} and {y}", f"also {z}"), (lz,)),
            ((f"check {x}", f"if {c.en}, do it again"), (c.choice((lx,)),)),
            ((a.base, f"and then {b.base}"), then),
            ((f"is {x} dark?", f"and {y}?"), (_look(ids[1], "light"), Event("report"))),
            ((f"is {x} dark?", "is anybody there?"), (_look(ids[0], "people"), Event("report"))),
            (
                (f"how many people are in {x}?", f"what about {y}?"),
                (_look(ids[1], "people"), Event("report")),
            ),
            ((f"go to {x}", f"then to {y}"), (Event("go", ids[1]),)),
            ((f"tell the people in {pn} that {m}", f"tell them that {n}"), (Event("say", p, n),)),
            (
                (f"check {x}", f"if nobody is there, go to {y}"),
                (somebody(ids[0]).choice((), (Event("go", ids[1]),)),),
            ),
            ((f"check {x}, then {y}", "again, but the other way round"), (ly, lx)),
            ((f"check {x}", "twice"), (lx, lx)),
            ((f"go to {x}", "don't"), ()),
            ((f"check {x} and {y}", "do it again, but not " + x), (ly,)),
        ]
    else:
        forms = [
            ((a.fin, "다시 해"), done),
            ((a.fin, "한 번 더"), done),
            ((f"{obj(x)} 확인해", f"{y}도"), (ly,)),
            ((f"{obj(x)} 확인해", f"이번엔 {y}"), (ly,)),
            ((f"{obj(x)} 확인해", f"아니 {y}"), (ly,)),
            ((f"{obj(x)} 확인해", f"{x} 말고 {y}"), (ly,)),
            ((f"{to(x)} 가", "거기 사람 몇 명 있어?"), (_look(ids[0], "people"), Event("report"))),
            ((f"{to(x)} 가", "거기 둘러봐"), (lx,)),
            ((f"{obj(x)} 확인해", "거기 어두워?"), (_look(ids[0], "light"), Event("report"))),
            ((f"교수님께 {m}고 전해", f"{n}고도 전해"), (Event("say", "professor", n),)),
            ((f"교수님께 {m}고 전해", f"{pn} 사람들한테도 전해"), (Event("say", p, m),)),
            ((f"교수님께 {obj(i)} 전달해", f"{j}도"), (Event("give", "professor", j),)),
            ((f"교수님께 {obj(i)} 전달해", f"{i} 말고 {obj(j)}"), (Event("give", "professor", j),)),
            ((f"{rang(x)} {obj(y)} 확인해", f"{z}도"), (lz,)),
            ((f"{subj(x)} 어두워?", f"{topic(y)}?"), (_look(ids[1], "light"), Event("report"))),
            (
                (f"{x}에 사람 몇 명 있어?", f"{topic(y)}?"),
                (_look(ids[1], "people"), Event("report")),
            ),
            ((f"{to(x)} 가", f"그다음 {to(y)}"), (Event("go", ids[1]),)),
            (
                (f"{obj(x)} 확인해", f"거기 아무도 없으면 {to(y)} 가"),
                (somebody(ids[0]).choice((), (Event("go", ids[1]),)),),
            ),
            ((f"{obj(x)} 확인해", f"{c.ko} 한 번 더 해"), (c.choice((lx,)),)),
            ((f"{to(x)} 가", "하지 마"), ()),
            ((f"{rang(x)} {obj(y)} 확인해", f"다시 하는데 {topic(x)} 빼고"), (ly,)),
        ]
    said, meaning = rng.choice(forms)
    return Sample(said, meaning, "sessions")


SPECIAL = {
    "exceptions": exceptions,
    "messages": messages,
    "places": places,
    "questions": questions,
    "sessions": sessions,
}
KINDS = (*FORMS, *SPECIAL)


def draw(kind: str, language: str, rng: random.Random) -> Sample:
    """Return a command of a kind with its meaning."""
    if kind in SPECIAL:
        return SPECIAL[kind](language, rng)
    return from_forms(kind, language, rng)
