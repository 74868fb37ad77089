"""Columns of training sets as Arrow types and as features of Hugging Face ``datasets``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bt_exec.batch.parquet import needs_parquet

__all__ = ["write_rows"]

_DICTIONARY_BYTES = 1 << 30  # a picture of several clips is stored once per row group
_ROWS = 1000  # rows of a row group


def write_rows(path: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as Parquet, with clips as pictures of ``datasets``.

    Args:
        path: The file.
        rows: At least one; all have the same columns.
    """
    arrow, parquet = needs_parquet()
    types = {name: _arrow_type(arrow, name, value) for name, value in rows[0].items()}
    features = {name: _feature(name, value) for name, value in rows[0].items()}
    about = json.dumps({"info": {"features": features}})
    schema = arrow.schema(list(types.items()), metadata={"huggingface": about})
    with parquet.ParquetWriter(
        path, schema, use_dictionary=True, dictionary_pagesize_limit=_DICTIONARY_BYTES
    ) as file:
        for first in range(0, len(rows), _ROWS):
            file.write_table(arrow.Table.from_pylist(rows[first : first + _ROWS], schema=schema))


def _arrow_type(arrow: Any, name: str, value: Any) -> Any:
    if name.endswith("_clip"):
        picture = [("bytes", arrow.binary()), ("path", arrow.string())]
        return arrow.list_(arrow.struct(picture))
    if isinstance(value, list):
        return arrow.list_(arrow.float64() if name.endswith("_times") else arrow.string())
    return arrow.float64() if isinstance(value, float) else arrow.string()


def _feature(name: str, value: Any) -> dict[str, Any]:
    if name.endswith("_clip"):
        return {"feature": {"_type": "Image"}, "_type": "List"}
    if isinstance(value, list):
        kind = "float64" if name.endswith("_times") else "string"
        return {"feature": {"dtype": kind, "_type": "Value"}, "_type": "List"}
    return {"dtype": "float64" if isinstance(value, float) else "string", "_type": "Value"}
