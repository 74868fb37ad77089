"""Settings of the model client from a site: one place for the model, its address and prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.failure import UsageError
from bt_exec.site.site import load_site
from bt_exec_llm.client import ModelSettings

__all__ = ["with_client"]


def with_client(options: Mapping[str, Any], site: str) -> dict[str, Any]:
    """Return the options of a labeler, with the client settings of a site as defaults.

    Args:
        options: Given options, which take precedence.
        site: Name or file of the site.

    Raises:
        UsageError: If the compiler of the site uses no model.
    """
    settings = load_site(site).compiler.settings()
    client = {key: settings[key] for key in ModelSettings.model_fields if key in settings}
    if not client:
        raise UsageError(
            f"--site {site}: its compiler has no settings of a model; add model, base_url or "
            "prices to compiler"
        )
    given = options.get("client", {})
    return {**options, "client": {**client, **(given if isinstance(given, Mapping) else {})}}
