"""Events of a mission translated to the names that a pack itself uses.

If two packs define a skill or condition with the same name, the site calls it ``pack.name``. The
code of a pack uses the plain name, so its reporter receives events and views with plain names.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from bt_exec.events import Event
from bt_exec.failure import Failure
from bt_exec.pack import Catalogue
from bt_exec.spec.model import MissionSpec

if TYPE_CHECKING:
    from bt_exec.mission.reporting import MissionView

__all__ = ["in_names_of"]

Told = TypeVar("Told", bound="Event | MissionView")

_FULL = re.compile(r"(?<![\w.])\w+\.\w+")


def in_names_of(pack: str, told: Told, catalogue: Catalogue) -> Told:
    """Return an event or a view in the names of `pack`; unchanged if no name clashes."""
    if not catalogue.clashes(pack):
        return told

    def plain(name: str) -> str:
        return catalogue.plain_in(pack, name)

    def text(said: str) -> str:
        return _FULL.sub(lambda found: plain(found[0]), said)

    def of(field: str, value: Any) -> Any:
        match value:
            case MissionSpec():
                return catalogue.with_plain_names(pack, value)
            case Failure(node=node, cause=cause):
                return replace(value, node=plain(node), cause=of("cause", cause))
        match field:
            case "skill":
                return plain(value)
            case "question":
                return text(value)
            case "verdicts":
                return {text(question): verdict for question, verdict in value.items()}
            case "next_action" if value is not None:
                return replace(value, name=plain(value.name))
            case "remaining" | "done" | "skipped":
                return tuple(replace(part, name=plain(part.name)) for part in value)
        return value

    before = {field.name: getattr(told, field.name) for field in fields(told)}
    return replace(told, **{name: of(name, value) for name, value in before.items()})
