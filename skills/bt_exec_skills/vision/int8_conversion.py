"""Conversion of a YOLO detector's convolutions to 8-bit integers.

::

    python -m bt_exec_skills.vision.int8_conversion best.onnx data door.onnx  # extra yolo

Value ranges are measured on training pictures of a data set. Weights have 7 bits, so that sums do
not saturate on processors without 8-bit dot products. Layers in which rounding would lose much
accuracy and save little time stay in single precision: the first two layers, the attention, the
last convolutions of the head and the layers after them.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bt_exec_skills.vision.box_decoding import letterbox
from bt_exec_skills.vision.dataset_generation import read_pictures

__all__ = ["convert_to_int8", "with_fast_box_decoding"]

_PICTURES = 60
_PERCENTILE = 99.999  # values beyond this percentile are clipped
_IN_FLOAT = (
    r"/model\.[01]/|/model\.\d+/m/.*/attn/"
    r"|/model\.{head}/(?!cv[23]\.)|/model\.{head}/cv[23]\.\d/cv[23]\.\d\.2/"
)
"""Pattern of the nodes that stay in single precision; `head` is the index of the last module."""


def convert_to_int8(weights: Path, data: Path, out: Path) -> None:
    """Convert a detector to 8-bit integers and write it to a file.

    Args:
        weights: Detector as ultralytics exports it.
        data: Data set on whose training pictures the value ranges are measured.
        out: File of the converted detector.
    """
    import onnx
    from onnxruntime.quantization import CalibrationMethod, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory() as folder:
        draft = str(Path(folder) / "draft.onnx")
        quant_pre_process(str(weights), draft, skip_symbolic_shape=True)
        model = with_fast_box_decoding(onnx.load(draft))
        onnx.save(model, draft)
        names = [node.name for node in model.graph.node]
        head = max(int(found[1]) for name in names if (found := re.match(r"/model\.(\d+)/", name)))
        in_float = re.compile(_IN_FLOAT.replace("{head}", str(head)))
        quantize_static(
            draft,
            str(out),
            _Inputs(model.graph.input[0], data),
            activation_type=QuantType.QUInt8,  # the runtime has no fast kernels for QInt8
            per_channel=True,
            reduce_range=True,
            nodes_to_exclude=[name for name in names if in_float.match(name)],
            calibrate_method=CalibrationMethod.Percentile,
            extra_options={"CalibPercentile": _PERCENTILE},
        )


class _Inputs:
    """Inputs for the calibration; implements ``onnxruntime.quantization.CalibrationDataReader``."""

    def __init__(self, given: Any, data: Path) -> None:
        pictures = list(read_pictures(data, "train"))
        random.Random(0).shuffle(pictures)
        height, width = (side.dim_value for side in given.type.tensor_type.shape.dim[2:])
        self._inputs = (
            {given.name: letterbox(picture.image(), height, width)[0]}
            for picture in pictures[:_PICTURES]
        )

    def get_next(self) -> dict[str, Any] | None:
        """Return the next input by name, or None at the end."""
        return next(self._inputs, None)


def with_fast_box_decoding(model: Any) -> Any:
    """Return the detector (``onnx.ModelProto``) with a faster computation of the sides of boxes.

    A side is the mean of distance bins, weighted by a softmax over their scores. The softmax is
    replaced by the exponential function and two weighted sums, which the runtime computes several
    times as fast.
    """
    from onnx import helper, numpy_helper

    found = type(model)()
    found.CopyFrom(model)
    nodes = {node.name: node for node in found.graph.node}
    bins = next(node for name, node in nodes.items() if name.endswith("/dfl/Softmax"))
    mean = next(node for node in nodes.values() if node.input[0] == bins.output[0])
    weights = next(each for each in found.graph.initializer if each.name == mean.input[1])
    means = numpy_helper.to_array(weights)
    sums = np.concatenate([means, np.ones_like(means)])
    weights.CopyFrom(numpy_helper.from_array(sums, weights.name))
    one = numpy_helper.from_array(np.array([1, 1], np.int64), "dfl/one")
    found.graph.initializer.append(one)
    names = [f"{mean.name}/{part}" for part in ("exp", "sums", "weighted", "all")]
    fast = [
        helper.make_node("Exp", bins.input, names[:1], bins.name),
        helper.make_node("Conv", [names[0], weights.name], names[1:2], mean.name),
        helper.make_node("Split", [names[1], one.name], names[2:], f"{mean.name}/Split", axis=1),
        helper.make_node("Div", names[2:], mean.output, f"{mean.name}/Div"),
    ]
    rest = [node for node in found.graph.node if node.name not in (bins.name, mean.name)]
    at = next(k for k, node in enumerate(rest) if bins.input[0] in node.output) + 1
    del found.graph.node[:]
    found.graph.node.extend([*rest[:at], *fast, *rest[at:]])
    return found


if __name__ == "__main__":
    convert_to_int8(*map(Path, sys.argv[1:]))
