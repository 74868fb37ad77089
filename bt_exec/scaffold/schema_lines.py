"""Comment lines with the schema of a YAML file for editors: ``# yaml-language-server: $schema=…``.

``bt-exec schema --to DIR`` writes the schemas of a site to a folder. Files beside or below a folder
named ``schema`` refer to it by a relative path, which is valid on every machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bt_exec.files import write_user_file
from bt_exec.pack import find_pack, pack_names
from bt_exec.planning.compiler import compiler_names
from bt_exec.site.shipped_data import data_path
from bt_exec.site.site import Site
from bt_exec.site.site_schema import site_schema
from bt_exec.site.tree_schema import tree_schema
from bt_exec.spec.shipped_yaml import parse_yaml

__all__ = ["FOLDER", "with_schema_line", "write_schemas"]

FOLDER = "schema"
"""Name of the folder with the schemas."""

_MARK = "# yaml-language-server:"
_KINDS: Mapping[str, str] = {
    "tree": "tree",
    "mission": "tree",
    "site": "site",
    "verbs": "lexicon",
    "nouns": "lexicon",
    "phrases": "messages",
}
"""Names of schemas, by a top-level field that occurs only in files of this schema."""


def write_schemas(site: Site, folder: Path) -> tuple[Path, ...]:
    """Write the schemas of trees, sites, lexicons and messages, and return the paths.

    Raises:
        UsageError: If a file cannot be written.
    """
    schemas: dict[str, Any] = {
        "tree": tree_schema(site.catalogue, site.library),
        "site": site_schema(map(find_pack, pack_names()), compiler_names()),
    }
    texts = {
        kind: json.dumps(found, indent=2, ensure_ascii=False) for kind, found in schemas.items()
    }
    for kind in ("lexicon", "messages"):
        shipped = data_path("configs", "schema", f"{kind}.schema.json")
        texts[kind] = shipped.read_text(encoding="utf-8").rstrip()
    files = {folder / f"{kind}.schema.json": text for kind, text in texts.items()}
    for file, text in files.items():
        write_user_file(file, f"{text}\n", folders=True)
    return tuple(files)


def with_schema_line(text: str, file: Path) -> str:
    """Return the text of a YAML file with a schema line added.

    The text is unchanged if it has such a line, or if no folder above the file has a schema for it.

    Args:
        text: The text.
        file: Path of the file, which need not exist yet.
    """
    if _MARK in text:
        return text
    data = parse_yaml(text)
    kind = (
        next((_KINDS[key] for key in data if key in _KINDS), "") if isinstance(data, dict) else ""
    )
    here = Path(os.path.realpath(file)).parent
    for folder in (here, *here.parents) if kind else ():
        schema = folder / FOLDER / f"{kind}.schema.json"
        if schema.is_file():
            return f"{_MARK} $schema={os.path.relpath(schema, here)}\n{text}"
        if (folder / ".git").exists():
            break
    return text
