"""What ``bt-exec vision …`` does; found by the command line through an entry point.

Every function takes plain values, shows its progress on standard error, and returns plain data.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from bt_exec.failure import UsageError

__all__ = ["dataset", "evaluate", "show", "train"]


@contextmanager
def _bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar with rate and time left; give what moves it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.update(task, completed=done)


def dataset(source: str, out: Path, scenes: int, seed: int, val_every: int) -> dict[str, Any]:
    """Make a data set; see `bt_exec_skills.vision.dataset.make_dataset`."""
    from bt_exec_skills.vision.dataset import Recipe, make_dataset, read_pictures
    from bt_exec_skills.vision.sources import find_source

    maker = find_source(source)
    recipe = Recipe(source, seed, scenes, val_every, maker.classes)
    with _bar("scenes", scenes) as tell:
        try:
            make_dataset(maker, recipe, out, lambda done, _: tell(done))
        except KeyboardInterrupt:
            raise UsageError(
                f"stopped; the finished scenes are kept in {out}: the same command goes on"
            ) from None
    sides: dict[str, int] = {"train": 0, "val": 0}
    for picture in read_pictures(out):
        sides[picture.file.parent.name] += 1
    return {"folder": str(out), "scenes": scenes, "pictures": sides}


def train(data: Path, out: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Train a network; see `bt_exec_skills.vision.train.train`."""
    from bt_exec_skills.vision.train import TrainSettings
    from bt_exec_skills.vision.train import train as run

    return run(data, out, TrainSettings(**settings))


def evaluate(
    weights: Path | None, data: Path, split: Literal["train", "val"], out: Path | None
) -> dict[str, Any]:
    """Try a network on a data set; write figures and plots into `out`, if given."""
    from bt_exec_skills.vision.dataset import read_pictures, read_recipe
    from bt_exec_skills.vision.draw import save_picture
    from bt_exec_skills.vision.evaluate import evaluate as run
    from bt_exec_skills.vision.network import load
    from bt_exec_skills.vision.plots import confusion_plot, curves_plot
    from bt_exec_skills.vision.sources import find_source, shipped_weights, state_question

    source = find_source(read_recipe(data).source)
    network = load(weights or shipped_weights(source))
    pictures = list(read_pictures(data, split))
    if not pictures:
        raise UsageError(f"{data} holds no pictures on side {split}")
    answer, states = state_question(source, network)
    with _bar("pictures", len(pictures)) as tell:
        report = run(network, pictures, tell, answer=answer, states=states)
    found = report.data()
    if out is not None:
        save_picture(out / "curves.png", curves_plot(report))
        if report.states is not None:
            save_picture(out / "states.png", confusion_plot(report.states))
        text = json.dumps(found, indent=2) + "\n"
        (out / "figures.json").write_text(text, encoding="utf-8")
    return found


def show(
    image: Path | None,
    mission: str | None,
    journal: Path | None,
    frames: Path | None,
    site: str,
    world: Mapping[str, str],
    weights: Path | None,
    out: Path,
) -> dict[str, Any]:
    """Annotate a picture, a mission's frames, or what a robot sees."""
    from bt_exec_skills.vision.show import show_image, show_mission, show_world
    from bt_exec_skills.vision.sources import find_source, shipped_weights

    if image is not None:
        return show_image(image, weights or shipped_weights(find_source(site)), out)
    if mission is not None:
        return show_mission(mission, journal, frames, out)
    detector = None if weights is None else {"weights": str(weights)}
    return show_world(site, world, detector, out)
