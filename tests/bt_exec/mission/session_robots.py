"""Robot factories for session tests. They keep the settings and worlds that they received."""

from __future__ import annotations

import dataclasses
from typing import Any

from pydantic import Field, create_model

from bt_exec.pack import Catalogue, Pack
from bt_exec.rig import PackSettings, Rig, WorldSettings
from bt_exec.site.site import Site
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing import FakeClock, ScriptedRobot

GO = "tree: t\nutterances: [go]\nroot: {do: a}"


class Robots:
    """Factory of rigs that keeps the settings and worlds that it received."""

    def __init__(self) -> None:
        self.made: list[tuple[dict[str, Any], dict[str, str]]] = []
        self.rigs: list[Rig] = []
        self.fields: dict[str, Any] = {}
        self.error: BaseException | None = None

    def __call__(self, settings: Any, world: Any) -> Rig:
        self.made.append((said(settings), said(world)))
        if self.error is not None:
            raise self.error
        fields = {"simulation": FakeClock(), **self.fields}
        self.rigs.append(Rig(ScriptedRobot(), **fields))
        return self.rigs[-1]

    @property
    def robot(self) -> Any:
        return self.rigs[-1].robot


def said(model: Any) -> dict[str, Any]:
    """Return the fields that were set explicitly in settings or a world."""
    return dict(model.model_dump(exclude_unset=True))


def world_of(known: dict[str, str]) -> Any:
    """Return a world type with these keys and their descriptions."""
    fields: Any = {key: (str, Field("", description=text)) for key, text in known.items()}
    return create_model("World", __base__=WorldSettings, **fields)


def with_pack(site: Site, *others: Pack, settings: Any = None, **fields: Any) -> Site:
    pack = dataclasses.replace(site.catalogue.packs[0], **fields)
    packs = {each.name: PackSettings() for each in (pack, *others)}
    packs[pack.name] = settings or PackSettings()
    return dataclasses.replace(site, catalogue=Catalogue([pack, *others]), packs=packs)


def given(command: str = "", language: str = "ko") -> MissionSpec:
    header = Mission(command=command, language=language)
    return MissionSpec(mission=header, root=load_text(GO).document.root)


class Heard(list):
    """Listener that keeps all events."""

    def on(self, event: Any) -> None:
        self.append(event)
