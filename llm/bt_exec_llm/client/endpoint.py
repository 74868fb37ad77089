"""Availability check of a model: its API key and a connection to its address."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from bt_exec_llm.client.settings import ModelSettings

__all__ = ["check_endpoint"]

_WAIT_S = 1.5


def check_endpoint(settings: ModelSettings) -> Iterator[tuple[str, str, str, str]]:
    """Yield (name, ``ok`` or ``optional``, detail, remedy) for a model's key and address.

    No request and no key is sent: a connection is opened and closed. A missing model is never
    *missing*, because the offline compiler needs none.
    """
    variable = settings.key_variable
    if variable is None:
        yield "key", "ok", "none is needed here", ""
    elif settings.has_key():
        yield "key", "ok", f"in {variable}", ""
    else:
        yield "key", "optional", f"{variable} is not set", f"export {variable}=…"
    parts = urlsplit(settings.base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=_WAIT_S):
            yield "address", "ok", f"{settings.base_url} answers ({settings.model})", ""
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        fix = "start the server, or set compiler: {name: claude, base_url: …} in the site file"
        yield "address", "optional", f"{settings.base_url}: {reason}", fix
