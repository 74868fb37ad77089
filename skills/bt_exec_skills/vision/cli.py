"""Command group ``bt-exec vision``: data sets, training, evaluation, annotated pictures.

The command line finds this group through the entry point ``vision`` of ``bt_exec.commands``. Its
commands call `bt_exec_skills.vision.commands`, which is imported only when a command runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.output_streams import write_result

__all__ = ["VISION"]

VISION = typer.Typer(
    help="Perception: data sets, training, figures, annotated pictures.", no_args_is_help=True
)

Weights = Annotated[
    Path | None,
    typer.Option(
        "--weights", metavar="FILE", help="Network file, .onnx or .pt; by default the shipped one."
    ),
]


def _commands_module() -> Any:
    """Return the module `commands`, imported late because its imports are slow."""
    from bt_exec_skills.vision import commands

    return commands


@VISION.command()
def dataset(
    out: Annotated[Path, typer.Argument(metavar="FOLDER", help="Output folder.")],
    source: Annotated[str, typer.Option(metavar="NAME", help="Kind of scenes: door, table.")] = "",
    scenes: Annotated[int, typer.Option(min=1, help="Number of scenes.")] = 440,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the scenes.")] = 0,
    val_every: Annotated[
        int, typer.Option(min=0, help="Every n-th scene is held out; 0 none, 1 all.")
    ] = 11,
    json: opt.Json = False,
) -> None:
    """Make a labelled data set of random scenes; the same command continues after a Ctrl-C."""
    found = _commands_module().dataset(source, out, scenes, seed, val_every)
    sides = found["pictures"]
    write_result(
        found,
        [f"{found['folder']}: {sides['train']} to train, {sides['val']} held out"],
        as_json=json,
    )


@VISION.command()
def train(
    data: Annotated[
        Path, typer.Argument(metavar="DATASET", help="Data set made by bt-exec vision dataset.")
    ],
    out: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Output folder of weights and figures.")
    ],
    epochs: Annotated[int, typer.Option(min=1, help="Number of passes over the pictures.")] = 12,
    batch: Annotated[int, typer.Option(min=1, help="Number of pictures per step.")] = 16,
    model: Annotated[
        str, typer.Option(metavar="YAML", help="Name of the network in ultralytics.")
    ] = "yolo11n.yaml",
    imgsz: Annotated[
        int, typer.Option(min=32, max=1280, help="Longest side of a picture in the network, px.")
    ] = 320,
    lr0: Annotated[float, typer.Option(min=1e-6, max=1.0, help="Initial learning rate.")] = 0.0012,
    after: Annotated[
        str,
        typer.Option(
            metavar="FOLDER", help="Folder of a finished training, to start from its weights."
        ),
    ] = "",
    one_class: Annotated[
        bool,
        typer.Option(
            "--one-class", help="Train a single class; a second network names the objects."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of weights and order.")] = 0,
    device: Annotated[
        str,
        typer.Option(metavar="NAME", help="Device: cpu, 0, …; by default a GPU if there is one."),
    ] = "auto",
    json: opt.Json = False,
) -> None:
    """Train a detector and export it to ONNX (needs the extra yolo); continues after a Ctrl-C."""
    settings = {
        "epochs": epochs,
        "batch": batch,
        "model": model,
        "imgsz": imgsz,
        "lr0": lr0,
        "after": after,
        "one_class": one_class,
        "seed": seed,
        "device": device,
    }
    found = _commands_module().train(data, out, settings)
    lines = [f"{out / 'best.onnx'} after {found['minutes']:g} min; held out:"]
    lines += [f"  {name:24}{value:8.4f}" for name, value in found["val"].items()]
    write_result(found, lines, as_json=json)


@VISION.command("train-names")
def train_names(
    data: Annotated[
        Path, typer.Argument(metavar="DATASET", help="Data set made by bt-exec vision dataset.")
    ],
    out: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Output folder of weights and figures.")
    ],
    boxes: Annotated[
        Path, typer.Option(metavar="FILE", help="The detector that locates the objects.")
    ],
    epochs: Annotated[int, typer.Option(min=1, help="Number of passes over the crops.")] = 8,
    batch: Annotated[int, typer.Option(min=2, help="Number of crops per step.")] = 64,
    lr0: Annotated[float, typer.Option(min=1e-6, max=1.0, help="Highest learning rate.")] = 0.002,
    after: Annotated[
        str,
        typer.Option(
            metavar="FOLDER", help="Folder of a finished training, to start from its weights."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(min=0, help="Seed of weights and order.")] = 0,
    json: opt.Json = False,
) -> None:
    """Train a network that classifies a detector's boxes (needs the extra yolo).

    If saved as NAME.names.onnx beside the detector's NAME.onnx, both are used together. Continues
    after a Ctrl-C.
    """
    settings = {
        "boxes": str(boxes),
        "epochs": epochs,
        "batch": batch,
        "lr0": lr0,
        "after": after,
        "seed": seed,
    }
    found = _commands_module().train_names(data, out, settings)
    lines = [f"{out / 'names.onnx'} after {found['minutes']:g} min; held out, named correctly:"]
    lines += [f"  {name:24}{value:8.4f}" for name, value in found["val"].items()]
    write_result(found, lines, as_json=json)


@VISION.command("eval")
def evaluate(
    data: Annotated[
        Path, typer.Argument(metavar="DATASET", help="Data set made by bt-exec vision dataset.")
    ],
    weights: Weights = None,
    train_side: Annotated[
        bool, typer.Option("--train-side", help="Use the training pictures, not those held out.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Output folder of plots.")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Evaluate a detector on held-out scenes: figures per class, and the state of the door."""
    found = _commands_module().evaluate(weights, data, "train" if train_side else "val", out)
    write_result(found, _figures(found), as_json=json)


@VISION.command()
def show(
    image: Annotated[
        Path | None,
        typer.Argument(metavar="IMAGE", help="A picture; by default, a camera image of the robot."),
    ] = None,
    mission: Annotated[
        str | None, typer.Option(metavar="N", help="The frames of a mission on record.")
    ] = None,
    frames: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder that run --save-frames wrote for that mission."),
    ] = None,
    site: opt.SiteName = "",
    world: opt.WorldTexts = None,
    weights: Weights = None,
    journal: opt.JournalFile = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE|FOLDER",
            help="Output file or folder; by default seen.png or the folder seen.",
        ),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Write an annotated picture: boxes, labels, scores and their interpretation."""
    from bt_exec.failure import UsageError

    given = {"--world": world, "--frames": frames, "--weights": weights}
    what, useless = "a robot's look", ["--frames"]
    if image is not None and mission is not None:
        raise UsageError("give either a picture or a mission")
    if image is not None:
        what, useless = "a picture", ["--world", "--frames"]
    elif mission is not None:
        what, useless = "a mission", ["--world", "--weights"]
    for name in useless:
        if given[name]:
            raise UsageError(f"{name} does not apply to {what}; see bt-exec vision show --help")
    pairs = dict(text.partition("=")[::2] for text in world or [])
    place = out or Path("seen.png" if mission is None else "seen")
    found = _commands_module().show(image, mission, journal, frames, site, pairs, weights, place)
    if mission is not None:
        lines = [f"{found['pictures']} pictures in {found['folder']}"]
    else:
        seen = ", ".join(f"{one['type']} {one['score']:.2f}" for one in found["detections"])
        lines = [f"{found['picture']}: {seen or 'nothing seen'}"]
    if "door" in found:
        door = found["door"]
        lines.append(f"{door['state']} {door['confidence']:.2f}: {' '.join(door['evidence'])}")
    write_result(found, lines, as_json=json)


def _figures(found: dict[str, Any]) -> list[str]:
    head = f"{'':14}{'count':>7}{'precision':>11}{'recall':>9}{'mAP50':>9}{'mAP50-95':>10}"
    lines = [head]
    for name, one in found["classes"].items():
        if not one["count"]:
            lines.append(f"{name:14}{0:7}{'-':>11}{'-':>9}{'-':>9}{'-':>10}")
            continue
        lines.append(
            f"{name:14}{one['count']:7}{one['precision']:11.3f}{one['recall']:9.3f}"
            f"{one['ap50']:9.3f}{one['ap50_95']:10.3f}"
        )
    lines.append(f"{'all':14}{'':27}{found['map50']:9.3f}{found['map50_95']:10.3f}")
    lines.append(f"{found['pictures']} pictures, {found['inference_ms']:.1f} ms an inference")
    states = found.get("states")
    if states:
        lines.append("")
        lines.append(f"{'true, told':14}" + "".join(f"{name:>11}" for name in states["told"]))
        for name, row in states["rows"].items():
            lines.append(f"{name:14}" + "".join(f"{count:11}" for count in row))
        lines.append(
            f"answered {states['answered']:.3f}, right of that {states['right_of_answered']:.3f}"
        )
    return lines
