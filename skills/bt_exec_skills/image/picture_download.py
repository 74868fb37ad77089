"""Download of pictures with limits on time, size and redirects.

The address that the user gives may be on any host. A redirect is controlled by a server, so it may
only lead to the same host or to the public internet.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bt_exec.failure import UsageError

if TYPE_CHECKING:
    import httpx2

__all__ = ["MOST_BYTES", "fetch_picture"]

MOST_BYTES = 32_000_000
_MOST_S = 20.0
_MOST_HOPS = 3


def fetch_picture(address: str, *, allow_net: bool) -> bytes:
    """Return the data of the picture at an address.

    Reading stops soon after `MOST_BYTES`, so that the caller can detect a picture that is too
    large.

    Args:
        address: An http or https address.
        allow_net: Whether addresses may be fetched.

    Raises:
        UsageError: If fetching is not allowed or fails, the address or a redirect is refused, or
            the content is not a picture.
    """
    import httpx2

    try:
        scheme = urlsplit(address).scheme
    except ValueError as error:
        raise UsageError(f"{address} is not an address: {error}") from None
    if scheme not in ("http", "https"):
        raise UsageError(f"{address}: only http and https addresses are fetched")
    if not allow_net:
        raise UsageError(f"{address} is on the network; add --allow-net to fetch it")
    try:
        return asyncio.run(_fetch_with_timeout(address))
    except TimeoutError:
        raise UsageError(f"the download of {address} took longer than {_MOST_S:.0f} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise UsageError(f"{address} cannot be fetched: {error or type(error).__name__}") from None


async def _fetch_with_timeout(address: str) -> bytes:
    import httpx2

    async with asyncio.timeout(_MOST_S), httpx2.AsyncClient(timeout=None) as client:
        url = httpx2.URL(address)
        for _ in range(_MOST_HOPS + 1):
            async with client.stream("GET", url) as answer:
                if answer.next_request is None:
                    return await _read_picture(answer, address)
                onward = answer.next_request.url
            if onward.host != url.host:
                await _check_public(onward, address)
            url = onward
    raise UsageError(f"{address} cannot be fetched: more than {_MOST_HOPS} redirects")


async def _check_public(onward: httpx2.URL, address: str) -> None:
    """Raise UsageError for a host that is not on the public internet, such as this machine.

    A host name that cannot be resolved is accepted, because it cannot be fetched either, except
    through a proxy that resolves it.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(onward.host, None)
    except (socket.gaierror, UnicodeError):
        return
    for *_, place in found:
        one = ipaddress.ip_address(str(place[0]).partition("%")[0])
        if not one.is_global or one.is_multicast:
            raise UsageError(
                f"{address} leads to {onward.host}, which is not on the public internet; "
                "name that address yourself if you mean it"
            )


async def _read_picture(answer: httpx2.Response, address: str) -> bytes:
    answer.raise_for_status()
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not kind.startswith("image/"):
        raise UsageError(f"{address} is not a picture: its content type is {kind or 'missing'}")
    data = bytearray()
    async for part in answer.aiter_bytes():
        data += part
        if len(data) > MOST_BYTES:
            break
    return bytes(data)
