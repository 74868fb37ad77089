"""Loading of networks: a detector, ``NAME.onnx`` or ``NAME.pt``, or a pair.

A detector may have a classifier ``NAME.names.onnx`` in the same folder. Then the detector locates
objects and the classifier names them (`bt_exec_skills.vision.two_stage`).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from bt_exec.failure import UsageError
from bt_exec_skills.vision.namer import Namer
from bt_exec_skills.vision.network import Network, OnnxNetwork, UltralyticsNetwork
from bt_exec_skills.vision.session import THREADS
from bt_exec_skills.vision.two_stage import TwoStageNetwork

__all__ = ["load", "load_alone", "loaded", "names_beside"]


def names_beside(weights: Path) -> Path:
    """Return the path of a detector's classifier."""
    return weights.with_suffix(".names.onnx")


@lru_cache(maxsize=4)
def loaded(weights: Path) -> Network:
    """Return the network in a file; cached."""
    return load(weights)


def load(weights: Path, *, threads: int = THREADS) -> Network:
    """Return the network in a file, with its classifier if there is one beside it.

    Raises:
        UsageError: If the file is missing, is of another kind, or cannot be read.
    """
    network, names = load_alone(weights, threads=threads), names_beside(weights)
    if not names.is_file():
        return network
    return TwoStageNetwork(network, Namer(names, threads=threads))


def load_alone(weights: Path, *, threads: int = THREADS) -> Network:
    """Return the detector in a file, without a classifier.

    Raises:
        UsageError: If the file is missing, is of another kind, or cannot be read.
    """
    if not weights.is_file():
        where = "" if weights.is_absolute() else f" in {Path.cwd()}"
        raise UsageError(f"weights {weights} not found{where}; they end in .onnx or .pt")
    if weights.suffix == ".onnx":
        return OnnxNetwork(weights, threads=threads)
    if weights.suffix == ".pt":
        return UltralyticsNetwork(weights)
    raise UsageError(f"{weights}: weights end in .onnx (onnxruntime) or .pt (ultralytics)")
