"""Commands of ``bt-exec vision``, and the registry of sources of training pictures.

Every command function takes plain values, shows progress on standard error, and returns plain data.

A package adds a source with::

    [project.entry-points."bt_exec_skills.scenes"]
    kitchen = "my_kitchen.practice:KitchenPractice"

A source whose pictures show states also has ``states`` and ``state_comparison(network)``; see
`bt_exec_skills.vision.evaluate.StateEstimator`. A source with shipped ``weights`` lists in
``sites`` the sites that use them, besides the site with the source's name.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from bt_exec.cli.output_streams import progress_bar
from bt_exec.failure import UsageError
from bt_exec.plugins import load_plugin, plugin_names
from bt_exec_skills.vision.evaluate import StateEstimator
from bt_exec_skills.vision.labelled_picture import SceneSource
from bt_exec_skills.vision.network_inference import Network

__all__ = [
    "dataset",
    "evaluate",
    "find_source",
    "shipped_weights",
    "show",
    "source_for",
    "state_estimator_for",
    "train",
    "train_names",
]


_GROUP = "bt_exec_skills.scenes"


def find_source(name: str = "") -> SceneSource:
    """Return the installed source `name`; an empty name selects the only installed source.

    Raises:
        UnknownName: If no source has this name.
        UsageError: If the name is empty and there are several sources.
    """
    known = plugin_names(_GROUP)
    if not name and len(known) != 1:
        raise UsageError(
            "the kind of scenes is missing; give --source NAME, one of: "
            f"{', '.join(known) or 'none'}"
        )
    name = name or known[0]
    source: SceneSource = load_plugin(_GROUP, "scene source", name)()
    return source


def source_for(site: str) -> SceneSource | None:
    """Return the source of the training pictures for a site's detector, or None."""
    for name in plugin_names(_GROUP):
        source = find_source(name)
        if site in (name, *getattr(source, "sites", ())):
            return source
    return None


def shipped_weights(source: SceneSource) -> Path:
    """Return the file of the shipped weights that were trained on pictures of `source`.

    Raises:
        UsageError: If the source has no shipped weights.
    """
    weights: Path | None = getattr(source, "weights", None)
    if weights is None:
        raise UsageError(f"no weights ship for {source.name}; name some with --weights")
    return weights


def state_estimator_for(
    source: SceneSource, network: Network
) -> tuple[StateEstimator | None, tuple[str, ...]]:
    """Return the state estimator and the states of a source; None and () without states."""
    states: tuple[str, ...] = getattr(source, "states", ())
    if not states or not set(source.classes) <= set(network.names):
        return None, ()
    answer: StateEstimator = source.state_comparison(network)  # type: ignore[attr-defined]
    return answer, states


@contextmanager
def _explain_interrupt(kept: str) -> Iterator[None]:
    """Print on Ctrl-C which results are kept, and that the same command resumes."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write(f"bt-exec: stopped; {kept}: the same command continues\n")
        raise


def dataset(source: str, out: Path, scenes: int, seed: int, val_every: int) -> dict[str, Any]:
    """Make a data set; see `bt_exec_skills.vision.dataset_generation.make_dataset`."""
    from bt_exec_skills.vision.dataset_generation import Recipe, make_dataset, read_pictures

    maker = find_source(source)
    recipe = Recipe(maker.name, seed, scenes, val_every, maker.classes)
    kept = f"the finished scenes are kept in {out}"
    with _explain_interrupt(kept), progress_bar("scenes", scenes) as tell:
        make_dataset(maker, recipe, out, lambda done, _: tell(done))
    sides: dict[str, int] = {"train": 0, "val": 0}
    for picture in read_pictures(out):
        sides[picture.file.parent.name] += 1
    return {"folder": str(out), "scenes": scenes, "pictures": sides}


def train(data: Path, out: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Train a network; see `bt_exec_skills.vision.train_detector.train`."""
    from bt_exec_skills.vision.train_detector import TrainSettings
    from bt_exec_skills.vision.train_detector import train as run

    with _explain_interrupt(f"the finished epochs are kept in {out}"):
        return run(data, out, TrainSettings(**settings))


def train_names(data: Path, out: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Train a crop classifier; see `bt_exec_skills.vision.train_crop_classifier.train_names`."""
    from bt_exec_skills.vision.train_crop_classifier import NamesSettings
    from bt_exec_skills.vision.train_crop_classifier import train_names as run

    with _explain_interrupt(f"the finished epochs are kept in {out}"):
        return run(data, out, NamesSettings(**settings), progress_bar)


def evaluate(
    weights: Path | None, data: Path, split: Literal["train", "val"], out: Path | None
) -> dict[str, Any]:
    """Evaluate a network on a data set; write figures and plots into `out`, if given."""
    from bt_exec.files import write_text_atomically
    from bt_exec_skills.vision.dataset_generation import finished_recipe, read_pictures
    from bt_exec_skills.vision.evaluate import confusion_plot, curves_plot
    from bt_exec_skills.vision.evaluate import evaluate as run
    from bt_exec_skills.vision.picture_files_and_training_folder import save_picture
    from bt_exec_skills.vision.two_stage_network_loading import load_network

    recipe = finished_recipe(data)
    source = find_source(recipe.source)
    network = load_network(weights or shipped_weights(source))
    pictures = list(read_pictures(data, split))
    if not pictures:
        other = "without" if split == "train" else "with"
        raise UsageError(f"{data} contains no pictures in split {split}; try {other} --train-side")
    answer, states = state_estimator_for(source, network)
    with progress_bar("pictures", len(pictures)) as tell:
        report = run(network, pictures, tell, recipe.classes, answer=answer, states=states)
    found = report.data()
    if out is not None:
        save_picture(out / "curves.png", curves_plot(report))
        if report.states is not None:
            save_picture(out / "states.png", confusion_plot(report.states))
        write_text_atomically(out / "figures.json", json.dumps(found, indent=2) + "\n")
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
    """Annotate a picture, a mission's frames, or a camera image of a site's robot."""
    from bt_exec_skills.vision.detection_display import show_image, show_mission, show_world

    if image is not None:
        return show_image(image, weights or _shipped_for(site), out)
    if mission is not None:
        return show_mission(mission, journal, frames, out)
    return show_world(site, world, weights, out)


def _shipped_for(site: str) -> Path:
    from bt_exec.site.shipped_data import default_site

    site = site or default_site()
    source = source_for(site)
    if source is None:
        raise UsageError(
            f"no weights for pictures of site {site} ship; name some with --weights FILE"
        )
    return shipped_weights(source)
