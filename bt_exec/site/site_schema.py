"""JSON Schema of site files, for editors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from bt_exec.pack import Pack
from bt_exec.site.site import SiteFile

__all__ = ["site_schema"]


def site_schema(packs: Iterable[Pack], compilers: Iterable[str]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of site files.

    Rules about the whole site, such as whether a place is on the map, are checked only when the
    site is loaded.

    Args:
        packs: Packs that a site may use.
        compilers: Names of compilers that a site may use.
    """
    schema = SiteFile.model_json_schema()
    definitions = schema.setdefault("$defs", {})
    settings: dict[str, Any] = {}
    robots: list[dict[str, Any]] = []
    for pack in packs:
        own = _schema_of(pack.settings, definitions)
        own["description"] = pack.summary
        own["properties"]["robot"]["enum"] = sorted(pack.robots)
        definitions[f"pack_{pack.name}"] = own
        settings[pack.name] = {"$ref": f"#/$defs/pack_{pack.name}"}
        named = {"properties": {"pack": {"const": pack.name}}, "required": ["pack"]}
        robots.append({"allOf": [settings[pack.name], named]})
    schema["properties"]["packs"] = {
        "type": "object",
        "description": "Packs of the site, each with its settings; or robots that name a pack.",
        "properties": settings,
        "additionalProperties": {"anyOf": robots},
        "minProperties": 1,
    }
    definitions["CompilerSettings"]["properties"]["name"]["enum"] = sorted(compilers)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bt-exec site",
        **{key: value for key, value in schema.items() if key != "title"},
    }


def _schema_of(model: type[BaseModel], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a model, and add referenced models to `definitions`."""
    own = model.model_json_schema()
    definitions.update(own.pop("$defs", {}))
    return own
