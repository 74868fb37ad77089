"""Proxy of an address, from the environment; localhost has none."""

from __future__ import annotations

import urllib.request
from urllib.parse import urlsplit

__all__ = ["proxy_of"]


def proxy_of(url: str) -> str | None:
    """Return the environment's proxy for an address, or None; localhost has none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")
