"""Generated questions about drawn shapes, with their true answers; independent of the grammar."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import cv2
import numpy as np

__all__ = ["Asked", "Compared", "Shape", "draw_question", "draw_shapes"]

SHADES = {"red": (205, 35, 35), "green": (40, 150, 55), "blue": (35, 65, 200)}
KO_COLOURS = {"red": ("빨간", "빨간색"), "green": ("초록", "초록색"), "blue": ("파란", "파란색")}
SHAPES = {"circle": "원", "square": "정사각형", "triangle": "삼각형"}
CELL = 100


class Shape(NamedTuple):
    colour: str
    shape: str
    row: int  # 0 is the top
    column: int


class Compared(NamedTuple):
    """Truth of a comparison of two numbers.

    Attributes:
        target: Number of the objects that are asked about.
        other: Number of the objects that they are compared with.
        holds: Answer to the question whether there are more, fewer or as many.
    """

    target: int
    other: int
    holds: bool | None = None


class Asked(NamedTuple):
    """A question with its true answer: a number, yes or no, a comparison, or a list of them."""

    text: str
    truth: Any


def draw_shapes(rng: random.Random) -> tuple[np.ndarray, list[Shape]]:
    """Return a picture of shapes in some cells of a grid, and the shapes."""
    cells = rng.sample(
        [(row, column) for row in range(2) for column in range(4)], rng.randint(4, 7)
    )
    shapes = [Shape(rng.choice(list(SHADES)), rng.choice(list(SHAPES)), *cell) for cell in cells]
    canvas = np.full((2 * CELL, 4 * CELL, 3), 245, np.uint8)
    for one in shapes:
        x, y = (int((at + 0.5) * CELL) for at in (one.column, one.row))
        shade, r = SHADES[one.colour], 30
        if one.shape == "circle":
            cv2.circle(canvas, (x, y), r, shade, -1)
        elif one.shape == "square":
            cv2.rectangle(canvas, (x - r, y - r), (x + r, y + r), shade, -1)
        else:
            cv2.fillPoly(canvas, [np.array([(x, y - r), (x - r, y + r), (x + r, y + r)])], shade)
    return canvas, shapes


def number(shapes: Iterable[Shape], holds: Callable[[Shape], bool]) -> int:
    return sum(map(holds, shapes))


def _subject(word: str) -> str:
    return word + ("이" if (ord(word[-1]) - 0xAC00) % 28 else "가")


def _topic(word: str) -> str:
    return word + ("은" if (ord(word[-1]) - 0xAC00) % 28 else "는")


def _with(word: str) -> str:
    return word + ("이랑" if (ord(word[-1]) - 0xAC00) % 28 else "랑")


def draw_question(shapes: list[Shape], language: str, rng: random.Random) -> Asked:
    """Return a question about shapes with its true answer."""
    make = rng.choice([_counts, _counts, _existence, _comparisons, _universals, _places, _several])
    c, d = rng.sample(list(SHADES), 2)
    s, t = rng.sample(list(SHAPES), 2)
    return rng.choice(make(shapes, language == "ko", c, d, s, t))


def _counts(shapes: list[Shape], ko: bool, c: str, d: str, s: str, t: str) -> list[Asked]:
    def n(holds: Callable[[Shape], bool]) -> int:
        return number(shapes, holds)

    of_s = n(lambda x: x.shape == s)
    red_s = n(lambda x: x.shape == s and x.colour == c)
    not_c = n(lambda x: x.shape == s and x.colour != c)
    neither = n(lambda x: x.shape == s and x.colour not in (c, d))
    either = n(lambda x: x.shape == s and x.colour in (c, d))
    other = n(lambda x: x.shape != s)
    any_c = n(lambda x: x.colour == c)
    both = n(lambda x: x.shape in (s, t))
    c_not_s = n(lambda x: x.colour == c and x.shape != s)
    if not ko:
        return [
            Asked(f"how many {s}s are there?", of_s),
            Asked(f"how many {c} {s}s are there?", red_s),
            Asked(f"how many {s}s are {c}?", red_s),
            Asked(f"how many of the {s}s are {c}?", red_s),
            Asked(f"how many {s}s are not {c}?", not_c),
            Asked(f"how many {s}s that are not {c} are there?", not_c),
            Asked(f"how many {s}s are neither {c} nor {d}?", neither),
            Asked(f"how many {s}s are {c} or {d}?", either),
            Asked(f"how many {c} or {d} {s}s are there?", either),
            Asked(f"how many things are not {s}s?", other),
            Asked(f"how many things are {c}?", any_c),
            Asked(f"how many {s}s and {t}s are there altogether?", both),
            Asked(f"how many {c} things are not {s}s?", c_not_s),
            Asked(f"how many {c} things are there except {s}s?", c_not_s),
            Asked(f"how many {s}s are there, not counting the {c} ones?", not_c),
            Asked(f"count the {s}s except the {c} ones", not_c),
            Asked(f"count the {s}s but not the {c} ones", not_c),
            Asked(f"apart from the {c} ones, how many {s}s are there?", not_c),
            Asked(f"how many {s}s are there without the {c} ones?", not_c),
            Asked(f"how many {s}s other than {c} ones are there?", not_c),
            Asked(f"how many non-{c} {s}s are there?", not_c),
            Asked(f"count everything except the {s}s", other),
            Asked(f"how many {s}s are there if you leave out the {c} ones?", not_c),
            Asked(f"count only the {c} {s}s", red_s),
            Asked(f"don't count the {c} ones: how many {s}s are there?", not_c),
            Asked(f"how many {s}s, no, {t}s are there?", n(lambda x: x.shape == t)),
        ]
    k, j, p, q = SHAPES[s], SHAPES[t], KO_COLOURS[c], KO_COLOURS[d]
    return [
        Asked(f"{k} 몇 개야?", of_s),
        Asked(f"{p[0]} {_topic(k)} 몇 개 있어?", red_s),
        Asked(f"{k} 중에 {p[1]}은 몇 개야?", red_s),
        Asked(f"{p[1]}이 아닌 {_topic(k)} 몇 개야?", not_c),
        Asked(f"{p[0]} 거 빼고 {k} 몇 개야?", not_c),
        Asked(f"{p[0]} 것을 제외하면 {k} 몇 개야?", not_c),
        Asked(f"{p[1]}도 {q[1]}도 아닌 {_topic(k)} 몇 개야?", neither),
        Asked(f"{p[1]}이나 {q[1]}인 {_topic(k)} 몇 개야?", either),
        Asked(f"{_subject(k)} 아닌 건 몇 개야?", other),
        Asked(f"{p[0]} 건 몇 개야?", any_c),
        Asked(f"{_with(k)} {_topic(j)} 모두 몇 개야?", both),
        Asked(f"{p[0]} 것 중에 {_subject(k)} 아닌 건 몇 개야?", c_not_s),
        Asked(f"{k} 중에서 {p[1]}이 아닌 게 몇 개 있어?", not_c),
        Asked(f"{k}만 빼고 다 세어 줘", other),
        Asked(f"{p[0]} 거 말고 {k} 몇 개야?", not_c),
        Asked(f"{p[0]} {k}만 세어 줘", red_s),
        Asked(f"{k} 말고 {_topic(j)} 몇 개야?", n(lambda x: x.shape == t)),
        Asked(f"{p[0]} 거나 {q[0]} 거 말고 {k} 몇 개야?", neither),
        Asked(f"{k} 아니 {_topic(j)} 몇 개야?", n(lambda x: x.shape == t)),
        Asked(f"{_topic(k)} 몇 개야, {p[0]} 거 빼고?", not_c),
    ]


def _existence(shapes: list[Shape], ko: bool, c: str, d: str, s: str, t: str) -> list[Asked]:
    def n(holds: Callable[[Shape], bool]) -> int:
        return number(shapes, holds)

    of_s, red_s = n(lambda x: x.shape == s), n(lambda x: x.shape == s and x.colour == c)
    not_c = n(lambda x: x.shape == s and x.colour != c)
    either = n(lambda x: x.shape == s and x.colour in (c, d))
    if not ko:
        return [
            Asked(f"is there a {s}?", of_s > 0),
            Asked(f"is there a {c} {s}?", red_s > 0),
            Asked(f"are there any {c} {s}s?", red_s > 0),
            Asked(f"is there a {s} that is not {c}?", not_c > 0),
            Asked(f"is any {s} {c}?", red_s > 0),
            Asked(f"is there no {c} {s}?", red_s == 0),
            Asked(f"are there no {s}s?", of_s == 0),
            Asked(f"are there at least two {s}s?", of_s >= 2),
            Asked(f"are there more than two {s}s?", of_s > 2),
            Asked(f"are there fewer than two {s}s?", of_s < 2),
            Asked(f"are there exactly two {s}s?", of_s == 2),
            Asked(f"is there a {c} or {d} {s}?", either > 0),
            Asked(f"is there anything {c}?", n(lambda x: x.colour == c) > 0),
            Asked(f"is there nothing {c}?", n(lambda x: x.colour == c) == 0),
            Asked(f"is there only one {s}?", of_s == 1),
            Asked(f"is there any {s} other than {c} ones?", not_c > 0),
            Asked(f"is none of the {s}s {c}?", red_s == 0 if of_s else None),
            Asked(f"are there two or more {c} {s}s?", red_s >= 2),
        ]
    k, p, q = SHAPES[s], KO_COLOURS[c], KO_COLOURS[d]
    return [
        Asked(f"{k} 있어?", of_s > 0),
        Asked(f"{p[0]} {k} 있어?", red_s > 0),
        Asked(f"{p[1]}이 아닌 {k} 있어?", not_c > 0),
        Asked(f"{p[0]} {_topic(k)} 없어?", red_s == 0),
        Asked(f"{_subject(k)} 두 개 이상 있어?", of_s >= 2),
        Asked(f"{_subject(k)} 두 개보다 많아?", of_s > 2),
        Asked(f"{_subject(k)} 두 개 미만이야?", of_s < 2),
        Asked(f"{_subject(k)} 딱 두 개야?", of_s == 2),
        Asked(
            f"{p[0]} {k}나 {q[0]} {k} 있어?"
            if not (ord(k[-1]) - 0xAC00) % 28
            else f"{p[0]} {k}이나 {q[0]} {k} 있어?",
            either > 0,
        ),
        Asked(f"{p[0]} 게 하나도 없어?", n(lambda x: x.colour == c) == 0),
        Asked(f"{p[0]} 거 말고 다른 {k} 있어?", not_c > 0),
        Asked(f"{k} 중에 {p[1]}이 있어?", red_s > 0),
    ]


def _comparisons(shapes: list[Shape], ko: bool, c: str, d: str, s: str, t: str) -> list[Asked]:
    one, two = (number(shapes, lambda x, name=name: x.shape == name) for name in (s, t))
    red, blue = (
        number(shapes, lambda x, name=name: x.shape == s and x.colour == name) for name in (c, d)
    )
    if not ko:
        return [
            Asked(f"are there more {s}s than {t}s?", Compared(one, two, one > two)),
            Asked(f"are there fewer {s}s than {t}s?", Compared(one, two, one < two)),
            Asked(f"are there as many {s}s as {t}s?", Compared(one, two, one == two)),
            Asked(f"are there more {c} {s}s than {d} ones?", Compared(red, blue, red > blue)),
            Asked(f"how many more {s}s than {t}s are there?", Compared(one, two)),
            Asked(f"do the {s}s outnumber the {t}s?", Compared(one, two, one > two)),
            Asked(f"aren't there more {s}s than {t}s?", Compared(one, two, one > two)),
        ]
    k, j, p, q = SHAPES[s], SHAPES[t], KO_COLOURS[c], KO_COLOURS[d]
    return [
        Asked(f"{_subject(k)} {j}보다 많아?", Compared(one, two, one > two)),
        Asked(f"{_subject(k)} {j}보다 적어?", Compared(one, two, one < two)),
        Asked(f"{j}보다 {_subject(k)} 더 많아?", Compared(one, two, one > two)),
        Asked(f"{p[0]} {_subject(k)} {q[0]} {k}보다 많아?", Compared(red, blue, red > blue)),
        Asked(f"{_topic(k)} {j}보다 몇 개 더 많아?", Compared(one, two)),
    ]


def _universals(shapes: list[Shape], ko: bool, c: str, d: str, s: str, t: str) -> list[Asked]:
    of_s = [x for x in shapes if x.shape == s]
    red = [x for x in of_s if x.colour == c]
    whole = None if not of_s else len(red) == len(of_s)
    either = None if not of_s else all(x.colour in (c, d) for x in of_s)
    none = None if not of_s else not red
    if not ko:
        return [
            Asked(f"are all {s}s {c}?", whole),
            Asked(f"is every {s} {c}?", whole),
            Asked(f"are all the {s}s {c} or {d}?", either),
            Asked(f"are the {s}s {c}?", whole),
            Asked(f"are all {s}s not {c}?", none),
            Asked(f"is each {s} {c}?", whole),
        ]
    k, p, q = SHAPES[s], KO_COLOURS[c], KO_COLOURS[d]
    return [
        Asked(f"{_topic(k)} 다 {p[1]}이야?", whole),
        Asked(f"모든 {_subject(k)} {p[1]}이야?", whole),
        Asked(f"{_topic(k)} 전부 {p[1]}이나 {q[1]}이야?", either),
        Asked(f"{_topic(k)} 모두 {p[1]}이야?", whole),
    ]


def _places(shapes: list[Shape], ko: bool, c: str, d: str, s: str, t: str) -> list[Asked]:
    left = number(shapes, lambda x: x.shape == s and x.column < 2)
    right = number(shapes, lambda x: x.shape == s and x.column >= 2)
    top = number(shapes, lambda x: x.shape == s and x.row == 0)
    red_top = number(shapes, lambda x: x.shape == s and x.row == 0 and x.colour == c)
    not_left = right
    anchors = [x for x in shapes if x.shape == t and x.colour == d]
    beside = None
    if len(anchors) == 1 and {x.row for x in shapes if x.shape == s} <= {anchors[0].row}:
        (anchor,) = anchors  # diagonal positions are not on the left
        beside = number(shapes, lambda x: x.shape == s and x.column < anchor.column)
    if not ko:
        return [
            Asked(f"how many {s}s are in the left half?", left),
            Asked(f"how many {s}s are in the right half of the picture?", right),
            Asked(f"how many {s}s are in the upper half?", top),
            Asked(f"how many {c} {s}s are in the upper half?", red_top),
            Asked(f"how many {s}s are not in the left half?", not_left),
            Asked(f"is there a {s} in the left half?", left > 0),
            Asked(f"how many {s}s are to the left of the {d} {t}?", beside),
            Asked(f"how many {s}s are left of the {d} {t}?", beside),
            Asked(
                f"are there more {s}s in the left half than in the right half?",
                Compared(left, right, left > right),
            ),
        ]
    k, j, p, q = SHAPES[s], SHAPES[t], KO_COLOURS[c], KO_COLOURS[d]
    return [
        Asked(f"왼쪽 절반에 {k} 몇 개 있어?", left),
        Asked(f"사진 오른쪽 절반에 {_topic(k)} 몇 개야?", right),
        Asked(f"위쪽 절반에 있는 {_topic(k)} 몇 개야?", top),
        Asked(f"위쪽 절반에 {p[0]} {_topic(k)} 몇 개 있어?", red_top),
        Asked(f"왼쪽 절반에 없는 {_topic(k)} 몇 개야?", not_left),
        Asked(f"왼쪽 절반에 {k} 있어?", left > 0),
        Asked(f"{q[0]} {j} 왼쪽에 있는 {_topic(k)} 몇 개야?", beside),
        Asked(f"{q[0]} {j} 왼쪽에 {k} 몇 개 있어?", beside),
    ]


def _several(shapes: list[Shape], ko: bool, c: str, d: str, s: str, t: str) -> list[Asked]:
    one, two = (number(shapes, lambda x, name=name: x.shape == name) for name in (s, t))
    if not ko:
        return [
            Asked(f"how many {s}s are there, and how many {t}s?", [one, two]),
            Asked(f"how many {s}s are there? how many {t}s?", [one, two]),
            Asked(f"is there a {s}? how many are there?", [one > 0, one]),
            Asked(f"how many {s}s are there and are there any {t}s?", [one, two > 0]),
        ]
    k, j = SHAPES[s], SHAPES[t]
    return [
        Asked(f"{_topic(k)} 몇 개고 {_topic(j)} 몇 개야?", [one, two]),
        Asked(f"{k} 몇 개 있어? {_topic(j)}?", [one, two]),
    ]
