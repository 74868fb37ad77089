"""Converts ONNX weights to float16 for storage; inference stays in float32.

::

    python -m bt_exec_skills.vision.float16 best.onnx table.onnx      # needs the extra yolo

The runtime converts them back on loading. Scores change in the third digit.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = ["with_float16_weights"]

_LEAST = 256  # smaller tensors are not converted


def with_float16_weights(model: Any) -> Any:
    """Return a model (``onnx.ModelProto``) with large weights in half precision."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    found = onnx.ModelProto()
    found.CopyFrom(model)
    casts = []
    for one in found.graph.initializer:
        if one.data_type != TensorProto.FLOAT or np.prod(one.dims) < _LEAST:
            continue
        name, kept = one.name, numpy_helper.to_array(one).astype(np.float16)
        one.CopyFrom(numpy_helper.from_array(kept, f"{name}/half"))
        casts.append(helper.make_node("Cast", [one.name], [name], to=TensorProto.FLOAT))
    rest = list(found.graph.node)
    del found.graph.node[:]
    found.graph.node.extend([*casts, *rest])
    return found


if __name__ == "__main__":
    import onnx

    onnx.save(with_float16_weights(onnx.load(sys.argv[1])), sys.argv[2])
