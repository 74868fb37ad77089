"""Generation of tests that repeat recorded missions: the same command in the same world."""

from __future__ import annotations

import json
import pprint
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bt_exec.events import Event, SkillEnded, SkillStarting
from bt_exec.failure import UsageError
from bt_exec.journal.recorded_mission import MissionRecord
from bt_exec.site.shipped_data import site_names

__all__ = ["EndedSkillsListener", "generate_test"]

_TEXT = '''\
"""Mission {id}: {command}

Written by `bt-exec replay {id} --to pytest`. The steps are skills in the order of their ends.
"""

from bt_exec import Session
from bt_exec.testing import EndedSkillsListener


def test_mission_{name}() -> None:
    steps = EndedSkillsListener()
    with Session(
        {site!r},
        world={world},
        faults={faults},
        compiler={compiler!r},
        fast=True,
        listeners=[steps],
    ) as session:
{before}        steps.clear()
        outcome = session.run({said!r})
    assert (outcome.status, outcome.reason_code) == {ended}
    assert list(steps) == {steps}
'''


class EndedSkillsListener:
    """Event listener that lists each ended skill with its arguments, state and failure code.

    Example::

        steps = EndedSkillsListener()
        with Session("door", fast=True, listeners=[steps]) as session:
            session.run("open the door")
        assert list(steps) == ["open_door arm=right object_label=door-handle done"]
    """

    def __init__(self, events: Sequence[Event] = ()) -> None:
        self._lines: list[str] = []
        self._args: dict[tuple[str, int], Mapping[str, Any]] = {}
        for event in events:
            self.on(event)

    def on(self, event: Event) -> None:
        """Add a line if the event is the end of a skill."""
        if isinstance(event, SkillStarting):
            self._args[event.skill, event.call] = event.args
        elif isinstance(event, SkillEnded):
            args = self._args.get((event.skill, event.call), {})
            said = [f"{name}={_python_literal(value)}" for name, value in args.items()]
            code = event.failure.code if event.failure is not None else ""
            self._lines.append(" ".join([event.skill, *said, event.state, code]).rstrip())

    def clear(self) -> None:
        """Remove all lines."""
        self._lines.clear()

    def __iter__(self) -> Iterator[str]:
        """Iterate over the lines."""
        return iter(self._lines)


def generate_test(record: MissionRecord, before: Sequence[MissionRecord] = ()) -> str:
    """Return the code of a test that runs a mission again and expects the same steps and outcome.

    Args:
        record: The mission.
        before: Earlier missions of the same session, oldest first.

    Raises:
        UsageError: If the mission has not ended, or was planned by a language model.
    """
    if record.outcome is None:
        raise UsageError(f"mission {record.id} has not ended; a test needs an end to expect")
    if record.exchanges:
        raise UsageError(
            f"mission {record.id} was planned by a language model; a test of it would ask again. "
            "Use --verify, which runs the recorded plans"
        )
    settings = record.settings
    return _TEXT.format(
        id=record.id,
        command=record.command.replace("\\", " ").replace('"', "'"),
        name=record.id.replace("-", "_"),
        site=_site_name_or_file(record),
        world=dict(settings.get("world", {})),
        faults=list(settings.get("faults", [])),
        compiler=record.setup.get("compiler", {}).get("name"),
        before="".join(f"        session.run({one.command!r})\n" for one in before),
        said=record.command,
        ended=(record.outcome.status, record.outcome.reason_code),
        steps=pprint.pformat(list(EndedSkillsListener(record.events)), width=90).replace(
            "\n", "\n    "
        ),
    )


def _site_name_or_file(record: MissionRecord) -> str:
    """Return the name of a mission's site, or the path of its file if the site is not shipped."""
    name = record.line.site
    return name if name in site_names() else str(record.setup.get("file", name))


def _python_literal(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
