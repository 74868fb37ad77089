"""Comparison of observed places, and the sentence of a report about it."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.events import Asked
from bt_exec.skill import Verdict
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.phrasing import report_of
from bt_exec_skills.reporter.reporting.place_comparison import compare_places


def look(place: str, **facts: Any) -> dict[str, Any]:
    usual = {"people": 0, "complete": True, "noise_db": 50.0, "brightness": 120.0, "light": "on"}
    return {"target": place, "query": "x", "answer": "Seen.", **usual, **facts}


def people(place: str, number: int, *, hidden: bool = False) -> dict[str, Any]:
    return look(place, people=number, complete=not hidden)


@pytest.mark.parametrize(
    ("order", "looks", "outcome", "first"),
    [
        ("most", [people("a", 3), people("b", 1)], "first", ("a",)),
        ("least", [people("a", 3), people("b", 1)], "first", ("b",)),
        ("most", [people("a", 2), people("b", 2)], "equal", ("a", "b")),
        ("most", [people("a", 2), people("b", 2), people("c", 1)], "equal", ("a", "b")),
        ("most", [people("a", 3, hidden=True), people("b", 1)], "first", ("a",)),
        ("most", [people("a", 3), people("b", 1, hidden=True)], "unsure", ("a", "b")),
        ("least", [people("a", 3, hidden=True), people("b", 1)], "first", ("b",)),
        ("least", [people("a", 3), people("b", 1, hidden=True)], "unsure", ("a", "b")),
        ("least", [people("a", 3), people("b", 5, hidden=True)], "first", ("a",)),
        ("most", [people("a", 3), people("b", -1)], "few", ("a",)),
        ("most", [people("a", 3), people("a", 1)], "few", ("a",)),
        ("most", [people("a", 3), people("b", 2), people("a", 1)], "first", ("b",)),
        ("most", [], "few", ()),
    ],
)
def test_places_are_compared_by_number_of_people(order, looks, outcome, first):
    found = compare_places(looks, "people", order)
    assert (found.outcome, found.first) == (outcome, first)


@pytest.mark.parametrize(
    ("aspect", "order", "levels", "outcome", "first"),
    [
        ("noise", "most", (60.0, 50.0), "first", ("a",)),
        ("noise", "least", (60.0, 50.0), "first", ("b",)),
        ("noise", "most", (51.0, 50.0), "equal", ("a", "b")),
        ("light", "least", (20.0, 120.0), "first", ("a",)),
        ("light", "most", (110.0, 120.0), "equal", ("a", "b")),
        ("light", "most", (-1.0, 120.0), "few", ("b",)),
    ],
)
def test_places_are_compared_by_levels(aspect, order, levels, outcome, first):
    key = {"noise": "noise_db", "light": "brightness"}[aspect]
    looks = [look(place, **{key: level}) for place, level in zip("ab", levels, strict=True)]
    found = compare_places(looks, aspect, order)
    assert (found.outcome, found.first) == (outcome, first)


@pytest.mark.parametrize(
    ("aspect", "order", "looks", "told"),
    [
        (
            "people",
            "most",
            [people("lounge", 3), people("break_room", 1)],
            (
                "Most people: the lounge (the lounge: 3, the break room: 1).",
                "사람이 가장 많은 곳: 라운지(라운지 3명, 휴게실 1명).",
            ),
        ),
        (
            "people",
            "least",
            [people("lounge", 3), people("break_room", 1, hidden=True)],
            (
                "Fewest people: I cannot tell, because part of a place was hidden (the lounge: 3, "
                "the break room: at least 1).",
                "사람이 가장 적은 곳: 가려진 곳이 있어 알 수 없습니다(라운지 3명, "
                "휴게실 적어도 1명).",
            ),
        ),
        (
            "noise",
            "most",
            [look("lounge"), look("break_room")],
            (
                "Loudest: no difference between the lounge, the break room (the lounge: 50.0 dB, "
                "the break room: 50.0 dB).",
                "가장 시끄러운 곳: 라운지, 휴게실 사이에 차이가 없습니다(라운지 50.0 dB, "
                "휴게실 50.0 dB).",
            ),
        ),
        (
            "light",
            "least",
            [look("corridor_east", brightness=20.0, light="off"), look("corridor_west")],
            (
                "Darkest: the east part of the corridor (the east part of the corridor: light off, "
                "the west part of the corridor: light on).",
                "가장 어두운 곳: 복도 동쪽(복도 동쪽 불 꺼짐, 복도 서쪽 불 켜짐).",
            ),
        ),
        (
            "light",
            "most",
            [look("lounge")],
            (
                "I could not compare the places, because I did not observe enough of them.",
                "살펴본 곳이 부족해 비교할 수 없습니다.",
            ),
        ),
    ],
)
def test_report_states_the_comparison(site, aspect, order, looks, told):
    book = Notebook(site)
    for facts in looks:
        book.add_note(1.0, "saw", facts["target"], **facts)
    asked = Verdict(True, "", (f"compared:{aspect}:{order}",))
    book.on(Asked(2.0, 1, "root", "check", "compared", asked, told=True))
    reports = tuple(report_of(book, language) for language in ("en", "ko"))
    assert tuple(report.endswith(said) for report, said in zip(reports, told, strict=True)) == (
        True,
        True,
    ), reports


def test_answer_about_a_single_place_is_not_noted_as_a_comparison(site):
    book = Notebook(site)
    verdict = Verdict(True, "2 people", ("people:2",))
    book.on(Asked(2.0, 1, "root", "check", "people_there", verdict, told=True))
    assert book.notes == []
