"""Check that every place and person of a plan is on the map of the site, before anything moves.

Codes: ``UNKNOWN_LOCATION`` and ``UNKNOWN_PERSON``, the codes with which skills fail when a name is
known only at run time.
"""

from __future__ import annotations

from collections.abc import Iterator

from bt_exec.failure import Problem, nearest
from bt_exec.planning.passes import PassContext
from bt_exec.spec.expand import is_reference
from bt_exec.spec.model import Do, MissionSpec
from bt_exec.spec.paths import locate
from bt_exec.spec.source import show_place
from bt_exec_skills.reporter.rules.steps import map_of
from bt_exec_skills.reporter.sitemap import SiteMap

__all__ = ["known_names"]

_PLACE, _PERSON = ("UNKNOWN_LOCATION", "no place"), ("UNKNOWN_PERSON", "nobody")
_NAMES = {
    "navigate": ("target", _PLACE),
    "observe_scene": ("target", _PLACE),
    "talk_to_person": ("target", _PERSON),
    "deliver_object": ("recipient", _PERSON),
}
"""Argument of each action that names a place or a person."""


def known_names(spec: MissionSpec, context: PassContext) -> Iterator[Problem]:
    """Report places and people that are not on the site's map, with the nearest known names."""
    site = map_of(context)
    if site is None:
        return
    for step in locate(spec.root).walk(Do):
        node = step.node
        if node.do not in _NAMES:
            continue
        argument, (code, nothing) = _NAMES[node.do]
        name = node.args.get(argument)
        known = tuple(site.people if code == "UNKNOWN_PERSON" else site.places)
        if isinstance(name, str) and not is_reference(name) and name not in known:
            where = f"{show_place(step.place)}/with/{argument}"
            allowed = _nearest_first(name, known, site)
            yield Problem(code, f"{nothing} is called {name!r}", where, name, allowed)


def _nearest_first(name: str, known: tuple[str, ...], site: SiteMap) -> tuple[str, ...]:
    """Return the known names: aliases first (라운지), then similar ones, then all."""
    meant = site.find(name)
    called = (meant,) if meant is not None and meant in known else ()
    return tuple(dict.fromkeys((*called, *nearest(name, known), *known)))
