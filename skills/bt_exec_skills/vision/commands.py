"""Commands of ``bt-exec vision``; the command line finds them through an entry point.

Every function takes plain values, shows its progress on standard error, and returns plain data.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from bt_exec.cli.output import progress_bar
from bt_exec.failure import UsageError

__all__ = ["dataset", "evaluate", "show", "train", "train_names"]


@contextmanager
def _stoppable(kept: str) -> Iterator[None]:
    """On Ctrl-C, print what is kept and that the same command resumes."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write(f"bt-exec: stopped; {kept}: the same command continues\n")
        raise


def dataset(source: str, out: Path, scenes: int, seed: int, val_every: int) -> dict[str, Any]:
    """Make a data set; see `bt_exec_skills.vision.dataset.make_dataset`."""
    from bt_exec_skills.vision.dataset import Recipe, make_dataset, read_pictures
    from bt_exec_skills.vision.sources import find_source

    maker = find_source(source)
    recipe = Recipe(maker.name, seed, scenes, val_every, maker.classes)
    kept = f"the finished scenes are kept in {out}"
    with _stoppable(kept), progress_bar("scenes", scenes) as tell:
        make_dataset(maker, recipe, out, lambda done, _: tell(done))
    sides: dict[str, int] = {"train": 0, "val": 0}
    for picture in read_pictures(out):
        sides[picture.file.parent.name] += 1
    return {"folder": str(out), "scenes": scenes, "pictures": sides}


def train(data: Path, out: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Train a network; see `bt_exec_skills.vision.train.train`."""
    from bt_exec_skills.vision.train import TrainSettings
    from bt_exec_skills.vision.train import train as run

    with _stoppable(f"the finished epochs are kept in {out}"):
        return run(data, out, TrainSettings(**settings))


def train_names(data: Path, out: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Train a namer; see `bt_exec_skills.vision.train_names.train_names`."""
    from bt_exec_skills.vision.train_names import NamesSettings
    from bt_exec_skills.vision.train_names import train_names as run

    with _stoppable(f"the finished epochs are kept in {out}"):
        return run(data, out, NamesSettings(**settings), progress_bar)


def evaluate(
    weights: Path | None, data: Path, split: Literal["train", "val"], out: Path | None
) -> dict[str, Any]:
    """Evaluate a network on a data set; write figures and plots into `out`, if given."""
    from bt_exec.files import write_whole
    from bt_exec_skills.vision.dataset import finished_recipe, read_pictures
    from bt_exec_skills.vision.evaluate import evaluate as run
    from bt_exec_skills.vision.files import save_picture
    from bt_exec_skills.vision.plots import confusion_plot, curves_plot
    from bt_exec_skills.vision.sources import find_source, shipped_weights, state_question
    from bt_exec_skills.vision.weights import load

    recipe = finished_recipe(data)
    source = find_source(recipe.source)
    network = load(weights or shipped_weights(source))
    pictures = list(read_pictures(data, split))
    if not pictures:
        other = "without" if split == "train" else "with"
        raise UsageError(f"{data} holds no pictures on side {split}; try {other} --train-side")
    answer, states = state_question(source, network)
    with progress_bar("pictures", len(pictures)) as tell:
        report = run(network, pictures, tell, recipe.classes, answer=answer, states=states)
    found = report.data()
    if out is not None:
        save_picture(out / "curves.png", curves_plot(report))
        if report.states is not None:
            save_picture(out / "states.png", confusion_plot(report.states))
        write_whole(out / "figures.json", json.dumps(found, indent=2) + "\n")
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
    from bt_exec_skills.vision.display import show_image, show_mission, show_world

    if image is not None:
        return show_image(image, weights or _shipped_for(site), out)
    if mission is not None:
        return show_mission(mission, journal, frames, out)
    return show_world(site, world, weights, out)


def _shipped_for(site: str) -> Path:
    from bt_exec.site.data import default_site
    from bt_exec_skills.vision.sources import shipped_weights, source_for

    site = site or default_site()
    source = source_for(site)
    if source is None:
        raise UsageError(
            f"no weights for pictures of site {site} ship; name some with --weights FILE"
        )
    return shipped_weights(source)
