"""Merging of command parts with one goal: "clean up the left table, put everything there".

The first part selects the objects, the second one their target. "The right one" after a table is a
table. A second part with its own objects ("put the cups there") stays separate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bt_exec_skills.tabletop.goals.model import Ask, Phrase

__all__ = ["joined"]


def joined(asks: Iterable[Ask]) -> tuple[Ask, ...]:
    """Return the parts, with those of one goal merged."""
    found: list[Ask] = []
    for ask in asks:
        if found and _open(found[-1]) and _says_where(ask):
            ask = _together(found.pop(), ask)
        found.append(_among_tables(ask))
    return tuple(found)


def _open(ask: Ask) -> bool:
    """Return True if a part clears a place without naming a target."""
    return ask.verb in ("clear", "empty") and ask.to is None


def _says_where(ask: Ask) -> bool:
    """Return True if a part names the target of all objects of the previous part."""
    if ask.verb != "move" or ask.to is None or ask.side != "in" or len(ask.themes) != 1:
        return False
    (theme,) = ask.themes
    named = theme.kind or theme.values or theme.name or theme.count or theme.order or theme.relation
    return theme.again or (theme.number == "all" and not named and not theme.table)


def _together(first: Ask, then: Ask) -> Ask:
    """Return the merged part: the content of a place, or the objects, to that target."""
    text = f"{first.text}, {then.text}"
    but = then.themes[0].but
    if not first.themes:
        if not but:
            return replace(first, text=text, to=then.to)
        return replace(then, text=text)
    holds = first.verb == "empty" or any(theme.table for theme in first.themes)
    themes = tuple(
        Phrase(then.themes[0].text, number="all", relation=("in", theme), but=but)
        if holds
        else replace(theme, but=(*theme.but, *but))
        for theme in first.themes
    )
    return replace(then, text=text, themes=themes)


def _among_tables(ask: Ask) -> Ask:
    """Return a part in which "the right one" is a table, if its objects are selected by theirs."""
    to = ask.to
    if to is None or not to.order or to.kind or to.values or to.name or to.relation or to.table:
        return ask
    tables = [theme.table or (theme.relation and theme.relation[1].table) for theme in ask.themes]
    return replace(ask, to=replace(to, table=True)) if tables and all(tables) else ask
