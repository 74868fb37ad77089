"""Where pictures come from: files, folders, standard input, and addresses where that is allowed."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from bt_exec.failure import UsageError

__all__ = ["pictures"]

_ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
_MOST_PICTURES = 200
_MOST_BYTES = 32_000_000
_MOST_S = 20.0
_MOST_HOPS = 3


@contextlib.contextmanager
def pictures(names: Sequence[str], *, allow_net: bool = False) -> Iterator[list[Path]]:
    """Give the files of what a person named, in order; what was fetched is removed afterwards.

    Args:
        names: Files, folders (their pictures, by name), ``-`` for standard input, and addresses.
        allow_net: Whether addresses may be fetched.

    Raises:
        UsageError: If something cannot be had, or there is nothing.
    """
    with tempfile.TemporaryDirectory(prefix="bt-exec-pictures-") as name:
        folder, found = Path(name), list[Path]()
        for number, one in enumerate(names):
            place = folder / str(number)
            place.mkdir()
            if one == "-":
                found.append(_written(place / "stdin", sys.stdin.buffer.read(_MOST_BYTES + 1), one))
            elif "://" in one:
                found.append(_fetched(one, place, allow_net=allow_net))
            elif Path(one).expanduser().is_dir():
                found += _inside(Path(one).expanduser())
            else:
                found.append(Path(one))
        if len(found) > _MOST_PICTURES:
            raise UsageError(f"{len(found)} pictures; at most {_MOST_PICTURES} at a time")
        yield found


def _inside(folder: Path) -> list[Path]:
    files = sorted(
        one for one in folder.iterdir() if one.is_file() and one.suffix.lower() in _ENDINGS
    )
    if not files:
        raise UsageError(
            f"folder {folder} holds no picture; allowed are {', '.join(sorted(_ENDINGS))}"
        )
    return files


def _written(file: Path, data: bytes, what: str) -> Path:
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{what} has more than {_MOST_BYTES // 1_000_000} MB")
    if not data:
        raise UsageError(f"{what} gives nothing; pipe a picture to it")
    file.write_bytes(data)
    return file


def _fetched(address: str, folder: Path, *, allow_net: bool) -> Path:
    import httpx2

    try:
        scheme, path = urlsplit(address).scheme, urlsplit(address).path
    except ValueError as error:
        raise UsageError(f"{address} is no address: {error}") from None
    if scheme not in ("http", "https"):
        raise UsageError(f"{address}: only http and https addresses are fetched")
    if not allow_net:
        raise UsageError(f"{address} is on the network; say --allow-net to fetch it")
    until, data, kind = time.monotonic() + _MOST_S, bytearray(), ""
    client = httpx2.Client(timeout=_MOST_S / 2, follow_redirects=True, max_redirects=_MOST_HOPS)
    try:
        with client, client.stream("GET", address) as answer:
            answer.raise_for_status()
            kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
            if not kind.startswith("image/"):
                raise UsageError(
                    f"{address} is no picture: its content type is {kind or 'missing'}"
                )
            for part in answer.iter_bytes():
                data += part
                if len(data) > _MOST_BYTES:
                    break
                if time.monotonic() > until:
                    raise UsageError(f"{address} takes longer than {_MOST_S:.0f} s")
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise UsageError(f"{address} cannot be fetched: {error or type(error).__name__}") from None
    named = Path(path).name or "picture"
    return _written(
        folder / "".join(c for c in named if c.isalnum() or c in "._-")[:80], bytes(data), address
    )
