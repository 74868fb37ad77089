"""Failures on purpose, for trying recovery: the N-th call of a skill fails with a code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bt_exec.failure import UnknownName, UsageError, nearest
from bt_exec.skill import Skill

__all__ = ["Fault", "Faults"]

_FORM = re.compile(
    r"(?P<skill>\w+(?:\.\w+)?)(?::(?P<call>[0-9]{1,9}))?=(?P<code>[A-Z][A-Z0-9_]*)\Z"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Call number `call` (from 1, or None for every call) of `skill` fails with `code`."""

    skill: str
    call: int | None
    code: str


class Faults:
    """The faults of a mission."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self.faults = tuple(faults)

    @classmethod
    def parse(cls, texts: Iterable[str], skills: dict[str, Skill]) -> Faults:
        """Read ``SKILL[:N]=CODE``.

        Raises:
            UsageError: If a text has another form, or the skill does not fail with that code.
            UnknownName: If there is no such skill.
        """
        faults = []
        for text in texts:
            match = _FORM.match(text)
            if match is None:
                raise UsageError(
                    f"fault {text[:80]!r} must be SKILL[:N]=CODE: a skill, which call of it (all "
                    "if left out), and a code that it may fail with"
                )
            name, code = match["skill"], match["code"]
            if name not in skills:
                raise UnknownName("skill", name, skills)
            known = sorted({*skills[name].fails, "TIMEOUT", "SKILL_CRASHED"})
            if code not in known:
                near = nearest(code, known)
                listed = ", ".join((*near, *(other for other in known if other not in near)))
                raise UsageError(f"skill {name!r} never fails with {code}; it may: {listed}")
            call = int(match["call"]) if match["call"] else None
            if call == 0:
                raise UsageError(f"fault {text!r}: calls are counted from 1")
            faults.append(Fault(name, call, code))
        return cls(faults)

    def texts(self) -> list[str]:
        """Return the texts that `parse` reads as these faults."""
        return [
            f"{fault.skill}{'' if fault.call is None else f':{fault.call}'}={fault.code}"
            for fault in self.faults
        ]

    def code_for(self, skill: str, call: int) -> str | None:
        """Return the code with which this call is to fail, or None."""
        for fault in self.faults:
            if fault.skill == skill and fault.call in (None, call):
                return fault.code
        return None
