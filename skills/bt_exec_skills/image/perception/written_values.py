"""Values in recognised text, such as the price of an article, the total or a date.

Lines are grouped into rows. The row of an article ends with its price. The total is the amount in a
row with a keyword such as "total"; it is certain if the prices of the articles add up to it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from bt_exec.spec.shipped_yaml import read_yaml
from bt_exec_skills.image.perception.instances import SUREST, Instance
from bt_exec_skills.image.perception.loanword_matching import sounds_like
from bt_exec_skills.image.perception.text_recognition import READ

__all__ = ["LINES", "Row", "Value", "Written", "group_into_rows", "parse_amounts", "written_value"]

Written = Literal[
    "price", "total", "date", "dearest", "cheapest", "articles", "dearer", "cheaper", "difference",
    "gap", "dearest_by", "cheapest_by", "dearer_than", "cheaper_than", "first_sum", "line",
    "last_line",
]  # fmt: skip
LINES = ("line", "last_line")
"""Values that are selected by line number; unreadable lines are counted, too."""

_AMOUNT = re.compile(
    r"(?<![\w.,:/-])(?P<before>[₩$€£¥]|krw|usd|eur)?\s?"
    r"(?P<number>\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)"
    r"\s?(?P<after>[₩$€£¥]|원|won|krw|usd|eur)?(?![\w%]|[.,:/-]\d)",
    re.IGNORECASE,
)
_ENDS = r"(?!\d(?!\d:\d))"  # no digit may follow, except those of a time, as in ``22/07/202514:32``
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})\s?[-./년]\s?(\d{1,2})\s?[-./월]\s?(\d{1,2})" + _ENDS)
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})[-./](\d{1,2})[-./](\d{4})" + _ENDS)
_DAY_MONTH = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.?\s?([a-z]{3,9})\.?,?\s?(\d{4})", re.I)
_MONTH_DAY = re.compile(r"\b([a-z]{3,9})\.?\s?(\d{1,2})(?:st|nd|rd|th)?,?\s?(\d{4})", re.IGNORECASE)
_UNSURE, _UNCHECKED, _HEARD = 0.5, 0.65, 0.7
_CENT = 0.005
_COLUMN, _ASIDE = 3, 0.1
"""Minimum number of prices that form a column, and tolerance of the positions of their right edges,
relative to the distance of these edges from the left edge of the picture."""


class Row(NamedTuple):
    """Recognised text at one height of the picture.

    Attributes:
        text: Text from left to right.
        sure: Score of the least certain line, 0..1.
        end: Position of its right edge [px].
    """

    text: str
    sure: float
    end: int = 0


class Value(NamedTuple):
    """Value found in the text.

    Attributes:
        value: Number, date as ``2026-11-23``, text, name of an article, names of several articles,
            or True or False for a comparison of prices; None if the value was not found.
        row: Text of the row with the value; empty if the value was computed.
        sure: Confidence, 0..1.
        adds_up: For a total, whether the prices of the articles add up to it; None if unknown.
        ahead: For the dearer or cheaper of two articles, the difference of their prices.
    """

    value: float | str | bool | list[str] | None
    row: str = ""
    sure: float = _UNSURE
    adds_up: bool | None = None
    ahead: float | None = None


@lru_cache(maxsize=1)
def _load_words() -> Mapping[str, Any]:
    return cast(Mapping[str, Any], read_yaml(Path(__file__).with_suffix(".yaml")))


def group_into_rows(lines: Sequence[Instance]) -> list[Row]:
    """Return lines of text grouped into rows, from top to bottom."""
    rows: list[list[Instance]] = []
    for line in sorted(lines, key=lambda one: one.middle[1]):
        last = rows[-1][-1] if rows else None
        if last is not None and last.bbox[1] <= line.middle[1] <= last.bbox[3]:
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        row.sort(key=lambda one: one.bbox[0])
    return [
        Row(
            " ".join(one.label for one in row).strip(),
            min(one.score for one in row),
            row[-1].bbox[2],
        )
        for row in rows
    ]


def parse_amounts(text: str) -> list[float]:
    """Return the amounts in a text, such as ``4.50``, ``₩12,000``, ``3.000,00 €``, ``3,000원``."""
    return [_parse_amount(match["number"]) for match in _AMOUNT.finditer(text)]


def _parse_amount(written: str) -> float:
    """Return a number; a separator before the last one or two digits is the decimal mark."""
    whole, mark, cents = written, "", ""
    if match := re.search(r"([.,])(\d{1,2})$", written):
        whole, mark, cents = written[: match.start()], ".", match[2]
    return float(re.sub(r"\D", "", whole) + mark + cents)


def written_value(
    lines: Sequence[Instance], wanted: Written, *names: Collection[str], number: int = 1
) -> Value:
    """Return the requested value, such as a price, the total or a date, in lines of text.

    Args:
        lines: Recognised lines, as instances.
        wanted: Requested value. ``dearest`` and ``cheapest``: name of an article. ``articles``:
            number of articles. ``dearer`` and ``cheaper``: whether the first of two articles is
            dearer, or cheaper, than the second. ``difference``: first price minus the second.
            ``gap``: absolute value of the difference. ``dearest_by`` and ``cheapest_by``: name of
            an article, with the difference of two prices. ``dearer_than`` and ``cheaper_than``:
            names of all articles that are dearer, or cheaper, than a given one. ``first_sum``: sum
            of the first prices.
        names: For prices, the possible names of each article; the prices of several articles are
            added. For ``dearest`` and ``cheapest``, the names of one group, such as "drinks", or of
            each of several articles; without names, all articles are compared.
        number: For ``line``, the number of the line from the top; for ``first_sum``, the number of
            prices.
    """
    rows = group_into_rows(lines)
    if wanted in LINES:
        return _find_line(rows, number - 1 if wanted == "line" else -1)
    if wanted == "first_sum":
        return _sum_of_first_prices(_article_rows(rows), number)
    if wanted in ("dearer_than", "cheaper_than"):
        return _find_articles_beyond(rows, names[0], wanted == "dearer_than")
    if wanted in ("dearest_by", "cheapest_by"):
        found = _find_extreme_price(rows, names, wanted == "dearest_by")
        gap = _combine_prices([_find_price(rows, one) for one in names], "gap")
        ahead = gap.value if isinstance(gap.value, float) else None
        return found._replace(ahead=ahead, sure=min(found.sure, gap.sure))
    if wanted in ("dearest", "cheapest"):
        return _find_extreme_price(rows, names, wanted == "dearest")
    if wanted in ("price", "dearer", "cheaper", "difference", "gap"):
        return _combine_prices([_find_price(rows, one) for one in names], wanted)
    if wanted == "articles":
        number, checked = len(_article_rows(rows)), _find_total(rows)
        return Value(number or None, "", checked.sure if checked.adds_up else _UNSURE)
    return _find_total(rows) if wanted == "total" else _find_date(rows)


def _combine_prices(prices: Sequence[Value], wanted: Written) -> Value:
    """Return the sum, the comparison or the difference of prices, as requested."""
    if len(prices) == 1:
        return prices[0]
    rows, sure = " + ".join(one.row for one in prices), min(one.sure for one in prices)
    amounts = [one.value for one in prices if isinstance(one.value, float)]
    if len(amounts) < len(prices):
        return Value(None, rows, _UNSURE)
    if wanted == "price":
        return Value(round(sum(amounts), 2), rows, sure)
    ahead = round(amounts[0] - amounts[1], 2)
    known = {"dearer": ahead > 0, "cheaper": ahead < 0, "gap": abs(ahead)}
    return Value(known.get(wanted, ahead), rows, sure)


def _find_line(rows: Sequence[Row], place: int) -> Value:
    """Return the text of a row; the value is None if there is no such row or no text in it."""
    if not -len(rows) <= place < len(rows) or not rows[place].text:
        return Value(None)
    row = rows[place]
    return Value(row.text, "", min(SUREST, row.sure) if row.sure >= READ else _UNSURE)


def _sum_of_first_prices(articles: Sequence[Row], number: int) -> Value:
    """Return the sum of the first `number` prices; the value is None for fewer articles."""
    first = articles[:number]
    if not 0 < number <= len(articles):
        return Value(None)
    one_each = all(len(parse_amounts(row.text)) == 1 for row in first)
    sure = min(SUREST, *(row.sure for row in first)) if one_each else _UNSURE
    total = round(sum(parse_amounts(row.text)[-1] for row in first), 2)
    return Value(total, " + ".join(row.text for row in first), sure)


def _find_articles_beyond(rows: Sequence[Row], names: Collection[str], dearer: bool) -> Value:
    """Return the articles that cost more than the named one, or less if `dearer` is False."""
    articles, price = _article_rows(rows), _find_price(rows, names)
    if not isinstance(price.value, float):
        return Value(None)
    limit, sign = price.value, 1 if dearer else -1
    found = [row for row in articles if sign * (parse_amounts(row.text)[-1] - limit) > 0]
    one_each = all(len(parse_amounts(article.text)) == 1 for article in articles)
    sure = min(price.sure, *(row.sure for row in articles)) if one_each else _UNSURE
    return Value([_article_name(row) for row in found], price.row, sure)


def _article_name(row: Row) -> str:
    return _AMOUNT.sub("", row.text).strip(" .·:-")


def _find_price(rows: Sequence[Row], names: Collection[str]) -> Value:
    found = _rows_of_article(rows, names)
    if not found:
        return Value(None)
    (first, *more), amounts = found, parse_amounts(found[0].text)
    same = all(parse_amounts(row.text)[-1] == amounts[-1] for row in more)
    sure = first.sure if same and len(amounts) == 1 else _UNSURE
    return Value(amounts[-1], first.text, min(SUREST, sure))


def _rows_of_article(rows: Sequence[Row], names: Collection[str]) -> list[Row]:
    """Return the rows with an amount and a name of an article.

    A row may omit words of the name that are in a heading, as in "child" below "Tickets" for "child
    ticket". Without such a row, rows with a word that sounds like a name are returned.
    """
    priced = [row for row in rows if parse_amounts(row.text)]
    found = [row for row in priced if _contains_any(row.text, names)]
    headings = " ".join(row.text for row in rows if row not in priced)
    for name in names if not found else ():
        words = [one for one in name.split() if not _contains_any(headings, (one,))]
        if words and len(words) < len(name.split()):
            found += [row for row in priced if _contains_any(row.text, (" ".join(words),))]
    return found or [
        row._replace(sure=min(row.sure, _HEARD))
        for row in priced
        if any(sounds_like(one, row.text) for one in names)
    ]


def _contains_any(text: str, names: Collection[str]) -> bool:
    words = "|".join(f"{re.escape(one)}(?:e?s)?" for one in names if one)
    return bool(words) and bool(re.search(rf"(?<![\w])(?:{words})(?![a-z])", text, re.IGNORECASE))


def _find_total(rows: Sequence[Row]) -> Value:
    words = _load_words()
    priced = [row for row in rows if _is_priced(row.text)]
    marked = [row for row in priced if _contains_any(row.text, words["total"])
              and not _contains_any(row.text, words["beside"][0])]  # fmt: skip
    items = _article_rows(rows)
    taxes = [row for row in priced if row not in marked and _contains_any(row.text, words["tax"])]
    articles = sum(parse_amounts(row.text)[-1] for row in items)
    if not marked:
        sure = min([_UNCHECKED, *(row.sure for row in items)]) if len(items) > 1 else _UNSURE
        return Value(round(articles, 2) if items else None, "", sure)
    last = marked[-1]
    value = parse_amounts(last.text)[-1]
    taxed = articles + sum(parse_amounts(row.text)[-1] for row in taxes)
    adds_up = min(abs(value - articles), abs(value - taxed)) < _CENT if items else None
    sure = last.sure if adds_up else min(_UNCHECKED, last.sure)
    return Value(value, last.text, min(SUREST, sure), adds_up)


def _article_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of articles, which end with an amount in the column of prices.

    Rows with dates or with keywords, such as "total" or "tax", are not articles.
    """
    words = _load_words()
    others = [*words["total"], *(word for group in words["beside"] for word in group)]
    priced = [
        row
        for row in rows
        if _is_priced(row.text)
        and not _contains_any(row.text, others)
        and not any(_parse_dates(row.text))
    ]
    ends = sorted(row.end for row in rows if _is_priced(row.text))
    column = ends[len(ends) // 2] if len(ends) >= _COLUMN else None
    return [row for row in priced if column is None or abs(row.end - column) <= _ASIDE * column]


def _is_priced(text: str) -> bool:
    """Return True if a text ends with an amount; a letter may follow, as in ``Milk 1.89 A``."""
    *_, last = [None, *_AMOUNT.finditer(text)]
    return (
        last is not None
        and bool(re.search(r"[^\W\d]", text[: last.start()]))
        and not re.search(r"\w{2}", text[last.end() :])
    )


def _find_extreme_price(
    rows: Sequence[Row], names: Sequence[Collection[str]], highest: bool
) -> Value:
    """Return the name of the article with the highest price, or lowest if `highest` is False."""
    articles, headings = _article_rows(rows), " ".join(row.text for row in rows)
    doubtful = len(names) == 1 and not _contains_any(headings, names[0])
    if len(names) > 1:
        found = [_rows_of_article(articles, one) for one in names]
        articles = [row for some in found for row in some]
        doubtful = any(len(some) != 1 for some in found)
    prices = [parse_amounts(row.text)[-1] for row in articles]
    if not prices:
        return Value(None)
    best = (max if highest else min)(prices)
    row = articles[prices.index(best)]
    one_each = all(len(parse_amounts(article.text)) == 1 for article in articles)
    clear = len(prices) > 1 and prices.count(best) == 1 and one_each and not doubtful
    sure = min(SUREST, *(article.sure for article in articles)) if clear else _UNSURE
    return Value(_article_name(row), row.text, sure)


def _find_date(rows: Sequence[Row]) -> Value:
    found = [(day, row, sure) for row in rows for day, sure in _parse_dates(row.text)]
    if not found:
        return Value(None)
    day, row, sure = found[0]
    several = len({one for one, *_ in found}) > 1
    return Value(day, row.text, min(SUREST, row.sure, _UNSURE if several else sure))


def _parse_dates(text: str) -> Iterator[tuple[str, float]]:
    """Yield dates as ``2026-11-23``, with the confidence that day and month are not swapped."""
    for match in _YEAR_FIRST.finditer(text):
        yield from _valid_date(int(match[1]), int(match[2]), int(match[3]), SUREST)
    for match in _YEAR_LAST.finditer(text):
        one, two, year = (int(part) for part in match.groups())
        open_order = one != two and one <= 12 and two <= 12
        day, month = (two, one) if two > 12 else (one, two)
        yield from _valid_date(year, month, day, _UNSURE if open_order else SUREST)
    for pattern, day, month in ((_DAY_MONTH, 1, 2), (_MONTH_DAY, 2, 1)):
        for match, (number, name) in product(
            pattern.finditer(text), enumerate(_load_words()["months"], 1)
        ):
            if name.startswith(match[month].lower()):
                yield from _valid_date(int(match[3]), number, int(match[day]), SUREST)


def _valid_date(year: int, month: int, day: int, sure: float) -> Iterator[tuple[str, float]]:
    try:
        yield datetime.date(year, month, day).isoformat(), sure
    except ValueError:  # such as the 31st of February
        return
