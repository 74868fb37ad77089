"""Fixtures of a campaign whose cells are computed in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bt_exec.campaign import run as campaign_run
from bt_exec.campaign.model import Campaign, Cell

DATA: dict[str, Any] = {
    "campaign": "worlds",
    "site": "building",
    "commands": ["go to the lounge", "go to the corridor"],
    "worlds": {"blocked": ["none", "lounge", "corridor"]},
    "seeds": 5,
    "faults": ["none", "navigate:1=TIMEOUT"],
}


@pytest.fixture
def campaign() -> Campaign:
    return Campaign.model_validate(DATA)


def computed(cell: Cell) -> dict[str, Any]:
    """Return a result that depends only on the cell."""
    cut_off = dict(cell.world)["blocked"] == "lounge" and "lounge" in cell.command
    status = "blocked" if cut_off or (cell.fault != "none" and cell.seed == 2) else "satisfied"
    return campaign_run._result_line(cell, status, "OK", f"seed {cell.seed}", ticks=cell.seed)


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return an engine that runs cells in this process and can end each run after some of them."""
    limits: list[int | None] = [None]

    def tasks(_: Any, cells: Iterable[Cell], **__: Any) -> Iterator[tuple[Cell, Any]]:
        for number, cell in enumerate(reversed(list(cells))):  # results arrive in another order
            if limits[0] is not None and number >= limits[0]:
                return
            yield cell, computed(cell)

    monkeypatch.setattr(campaign_run, "run_tasks", tasks)

    def limit(count: int | None) -> None:
        limits[0] = count

    return limit


@pytest.fixture
def file(tmp_path: Path) -> Path:
    import yaml

    path = tmp_path / "worlds.yaml"
    path.write_text(yaml.safe_dump(DATA), encoding="utf-8")
    return path
