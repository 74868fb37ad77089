"""Proxy of an address, from the environment; none for this machine."""

from __future__ import annotations

import urllib.request
from urllib.parse import urlsplit

__all__ = ["proxy_of"]


def proxy_of(url: str) -> str | None:
    """Return the proxy that the environment names for an address; none for this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")
