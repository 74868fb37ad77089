"""Campaign files: commands, worlds, seeds and faults; a cell is one combination of these.

::

    campaign: door_worlds
    site: door
    commands: [get the material, 문을 열어]
    worlds: {material: present, door: [closed, ajar, open]}   # a list: one world per value
    random: [fault]                     # drawn once per seed from the values declared by the pack
    ranges: {water: {from: 5, to: 60}}  # drawn once per seed
    seeds: 50                           # 0 to 49, or a list
    faults: [none, "grasp:1=GRASP_SLIPPED"]
    expect: [satisfied]
    require: 0.95                       # minimum rate for exit code 0
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

from pydantic import Field
from pydantic.fields import FieldInfo

from bt_exec.failure import UsageError
from bt_exec.mission.rig_construction import check_world
from bt_exec.mission_outcome import MissionStatus
from bt_exec.nodes.fault_injection import Faults
from bt_exec.site.site import Site
from bt_exec.spec.user_data_validation import UserData, load_model

__all__ = ["Campaign", "Cell", "cells_of", "faults_in", "load_campaign"]

_MOST = 1_000_000  # maximum number of cells
_STEPS = 1000  # number of values that represent a declared range of floats

_Value: TypeAlias = bool | int | float | str


class _Range(UserData):
    least: Annotated[float, Field(alias="from", allow_inf_nan=False)]
    most: Annotated[float, Field(alias="to", allow_inf_nan=False)]


class Campaign(UserData):
    """A campaign file.

    Attributes:
        campaign: Name.
        site: Site by name or file; relative files are also searched next to the campaign file.
        compiler: Compiler by name; the site's if empty.
        commands: The commands.
        worlds: World settings; each value of a list is a separate world.
        random: World settings that are drawn for each seed from the values declared by the packs.
        ranges: World settings that are drawn for each seed between two numbers.
        seeds: Number of seeds from 0 on, or the seeds. They are the values of a world setting
            ``seed``.
        faults: Injected failures, one cell for each entry; ``none`` injects nothing.
        expect: Expected statuses of a mission.
        require: Minimum rate of missions with an expected status.
    """

    campaign: Annotated[str, Field(pattern=r"^[\w-]{1,60}$")]
    site: str = ""
    compiler: str = ""
    commands: Annotated[tuple[str, ...], Field(min_length=1)]
    worlds: Mapping[str, _Value | tuple[_Value, ...]] = Field(default_factory=dict)
    random: tuple[str, ...] = ()
    ranges: Mapping[str, _Range] = Field(default_factory=dict)
    seeds: Annotated[int, Field(ge=1, le=_MOST)] | tuple[int, ...] = 1
    faults: Annotated[tuple[str, ...], Field(min_length=1)] = ("none",)
    expect: Annotated[tuple[MissionStatus, ...], Field(min_length=1)] = ("satisfied",)
    require: Annotated[float, Field(ge=0, le=1)] = 1.0


@dataclass(frozen=True, slots=True)
class Cell:
    """One mission of a campaign.

    Attributes:
        site: Site by name or file.
        compiler: Compiler by name; the site's if empty.
        command: The command.
        world: World settings by key, in order.
        seed: The seed.
        fault: Injected failure, or ``none``.
        expect: Expected statuses of the mission.
    """

    site: str
    compiler: str
    command: str
    world: tuple[tuple[str, str], ...]
    seed: int
    fault: str
    expect: tuple[str, ...]

    @property
    def id(self) -> str:
        """Identifier within a campaign; the same in every version of the trees."""
        return json.dumps(
            [self.command, dict(self.world), self.seed, self.fault], ensure_ascii=False
        )

    @property
    def input_digest(self) -> str:
        """Digest of everything that determines the result, except the site and the trees."""
        content = json.dumps([self.id, self.compiler, self.expect])
        return hashlib.sha256(content.encode()).hexdigest()[:32]


def load_campaign(path: Path) -> Campaign:
    """Read a campaign file.

    Raises:
        SpecError: If the file is invalid; contains every mistake with its line.
    """
    found = load_model(Campaign, path)
    beside = path.parent / found.site
    is_file = found.site.endswith((".yaml", ".yml")) and beside.is_file()
    return found.model_copy(update={"site": str(beside.resolve())}) if is_file else found


def cells_of(campaign: Campaign, site: Site) -> list[Cell]:
    """Return the cells of a campaign, seed by seed, so that a partial run covers all settings.

    Raises:
        UsageError: If the site has no such world setting, fault, or declared range.
    """
    fields = {
        key: field
        for pack in site.catalogue.packs
        for key, field in pack.world.model_fields.items()
    }
    twice = [key for key in (*campaign.random, *campaign.ranges) if key in campaign.worlds]
    if twice:
        raise UsageError(f"world setting {twice[0]} is both listed and drawn; remove one of them")
    for fault in campaign.faults:
        Faults.parse(faults_in(fault), site.catalogue.skills)
    seeds = range(campaign.seeds) if isinstance(campaign.seeds, int) else campaign.seeds
    listed = {
        key: tuple(map(_text, value if isinstance(value, tuple) else (value,)))
        for key, value in campaign.worlds.items()
    }
    combinations = [dict(zip(listed, values, strict=True)) for values in product(*listed.values())]
    count = len(seeds) * len(campaign.commands) * len(combinations) * len(campaign.faults)
    if count > _MOST:
        raise UsageError(f"the campaign has {count} cells; the limit is {_MOST}")
    cells = []
    for seed in seeds:
        drawn = dict(_draw_settings(campaign, fields, seed))
        own = {"seed": str(seed)} if "seed" in fields and "seed" not in listed else {}
        for chosen in combinations:
            world = {**own, **drawn, **chosen}
            check_world(site, world)
            cells += [
                Cell(
                    campaign.site,
                    campaign.compiler,
                    command,
                    tuple(sorted(world.items())),
                    seed,
                    fault,
                    campaign.expect,
                )
                for command in campaign.commands
                for fault in campaign.faults
            ]
    return list(dict.fromkeys(cells))


def _draw_settings(
    campaign: Campaign, fields: Mapping[str, FieldInfo], seed: int
) -> Iterator[tuple[str, str]]:
    for key in campaign.random:
        values = _declared_values(fields[key]) if key in fields else ()
        if not values:
            known = ", ".join(name for name, field in fields.items() if _declared_values(field))
            raise UsageError(
                f"random: {key} has no declared range at this site; settings with a range: "
                f"{known or 'none'}. "
                "List values under worlds, or numbers under ranges"
            )
        yield key, _text(random.Random(f"{seed} {key}").choice(values))
    for key, between in campaign.ranges.items():
        drawn = random.Random(f"{seed} {key}").uniform(between.least, between.most)
        yield key, _text(drawn)


def _declared_values(field: FieldInfo) -> Sequence[Any]:
    """Return the declared values of a world setting: choices, examples, or values within bounds."""
    if get_origin(field.annotation) is Literal:
        return get_args(field.annotation)
    if field.examples or field.annotation not in (int, float):
        return tuple(field.examples or ())
    bounds = {
        name: getattr(constraint, name)
        for constraint in field.metadata
        for name in ("ge", "gt", "le", "lt")
        if hasattr(constraint, name)
    }
    least, most = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    if least is None or most is None:
        return ()
    if field.annotation is int:
        return range(int(least) + ("ge" not in bounds), int(most) + ("le" in bounds))
    return [least + (most - least) * (n + 0.5) / _STEPS for n in range(_STEPS)]


def _text(value: _Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def faults_in(text: str) -> list[str]:
    """Return the faults in an entry of ``faults``: several are separated by commas."""
    return [] if text == "none" else [part.strip() for part in text.split(",")]
