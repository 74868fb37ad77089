"""Networks that detect objects: the interface, and inference with ``.onnx`` or ``.pt`` weights."""

from __future__ import annotations

import ast
import os
import warnings
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from bt_exec.failure import UsageError
from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.vision.box_decoding import Found, decode, letterbox

__all__ = [
    "LEAST_SCORE",
    "MOST_OVERLAP",
    "Network",
    "OnnxNetwork",
    "UltralyticsNetwork",
    "names_in",
    "open_session",
]


def open_session(weights: Path) -> Any:
    """Return an onnxruntime session for a file.

    Raises:
        UsageError: If the file cannot be read as a network.
    """
    # Otherwise onnxruntime 1.31 writes a device id into the home folder and sends telemetry.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # a second thread saves little time and occupies a core
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(weights), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise UsageError(f"{weights} cannot be read as a network: {error}") from error


def names_in(session: Any, weights: Path) -> tuple[str, ...]:
    """Return the class names in the metadata of a network.

    Raises:
        UsageError: If the metadata has no class names.
    """
    text = session.get_modelmeta().custom_metadata_map.get("names", "")
    try:
        found = ast.literal_eval(text)
        return tuple(str(found[number]) for number in range(len(found)))
    except (SyntaxError, ValueError, KeyError, TypeError):
        raise UsageError(f"{weights}: its metadata does not name the classes") from None


LEAST_SCORE = 0.25
MOST_OVERLAP = 0.7


class Network(Protocol):
    """Network that detects objects in pictures; any thread may call it, one at a time."""

    names: tuple[str, ...]

    def find(self, frame: Frame, least_score: float = LEAST_SCORE) -> list[Found]:
        """Return the detections with a score above `least_score`, best first."""


class OnnxNetwork:
    """YOLO detector in the format of ultralytics' ONNX export, run by onnxruntime.

    Args:
        weights: The file, whose metadata contains the class names.

    Raises:
        UsageError: If the file is not a detector in this format.
    """

    def __init__(self, weights: Path) -> None:
        self._session = open_session(weights)
        self.names = names_in(self._session, weights)
        self._name, self._height, self._width = _input_name_and_size(self._session, weights)
        _check_output(self._session, weights, len(self.names))

    def find(self, frame: Frame, least_score: float = LEAST_SCORE) -> list[Found]:
        """Implement `Network.find`."""
        planes, fit = letterbox(frame, self._height, self._width)
        output = np.asarray(self._session.run(None, {self._name: planes})[0][0], np.float32)
        size = frame.shape[0], frame.shape[1]
        return decode(
            output, self.names, fit, size, least_score=least_score, most_overlap=MOST_OVERLAP
        )


def _input_name_and_size(session: Any, weights: Path) -> tuple[str, int, int]:
    """Return name, height and width of the network's input.

    Raises:
        UsageError: If the input is not one picture of fixed size.
    """
    given = session.get_inputs()[0]
    shape = given.shape
    fixed = len(shape) == 4 and all(isinstance(side, int) for side in shape)
    if not fixed or shape[:2] != [1, 3] or given.type != "tensor(float)":
        raise UsageError(
            f"{weights}: the input must be of fixed shape (1, 3, h, w) in single precision; found "
            f"{shape} of {given.type}"
        )
    return given.name, shape[2], shape[3]


def _check_output(session: Any, weights: Path, classes: int) -> None:
    """Raise UsageError unless the output consists of raw boxes with a score for each class."""
    shape = session.get_outputs()[0].shape
    if len(shape) != 3 or shape[1] != 4 + classes:
        raise UsageError(
            f"{weights}: for {classes} classes the output must be of shape (1, {4 + classes}, "
            f"boxes); found {shape}. Export a detector of ultralytics without nms"
        )


class UltralyticsNetwork:
    """YOLO detector with ``.pt`` weights, run by ultralytics and torch (extra ``yolo``).

    Args:
        weights: The file.

    Raises:
        UsageError: If ultralytics is not installed, or the file is not a detector of ultralytics.
    """

    def __init__(self, weights: Path) -> None:
        os.environ.setdefault("YOLO_OFFLINE", "true")
        os.environ.setdefault("YOLO_AUTOINSTALL", "false")
        try:
            from ultralytics import YOLO
        except ImportError:
            raise UsageError(
                f"{weights} needs ultralytics: pip install 'bt-exec[yolo]', or use .onnx weights"
            ) from None
        try:
            self._model: Any = YOLO(str(weights))
        except Exception as error:  # unpickling an unknown file may raise anything
            why = str(error).partition("\n")[0] or type(error).__name__
            raise UsageError(f"{weights} cannot be read as a network: {why}") from error
        if self._model.task != "detect":
            raise UsageError(
                f"{weights} is a network for the task {self._model.task!r}; a detector is needed"
            )
        self._size = int(self._model.overrides.get("imgsz", 320))
        self.names = tuple(str(self._model.names[i]) for i in range(len(self._model.names)))

    def find(self, frame: Frame, least_score: float = LEAST_SCORE) -> list[Found]:
        """Implement `Network.find`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = self._model.predict(
                np.ascontiguousarray(frame[..., ::-1]),
                imgsz=self._size,
                conf=least_score,
                iou=MOST_OVERLAP,
                device="cpu",
                verbose=False,
            )[0]
        boxes = result.boxes
        rows = zip(boxes.cls.int().tolist(), boxes.xyxy.tolist(), boxes.conf.tolist(), strict=True)
        return [Found(self.names[kind], (*xyxy,), score) for kind, xyxy, score in rows]
