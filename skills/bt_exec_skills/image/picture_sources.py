"""Sources of pictures: files, folders, standard input and, if allowed, addresses."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from bt_exec.failure import UsageError
from bt_exec.files import expand_home, file_errors
from bt_exec_skills.image.picture_download import MOST_BYTES, fetch_picture

__all__ = ["find_pictures"]

_ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
_MOST_PICTURES = 200


@contextlib.contextmanager
def find_pictures(names: Sequence[str], *, allow_net: bool = False) -> Iterator[list[Path]]:
    """Yield the picture files for the given names, in order.

    Downloaded files are removed afterwards.

    Args:
        names: Files, folders (their pictures, by name), ``-`` for standard input, and addresses.
        allow_net: Whether addresses may be fetched.

    Raises:
        UsageError: If a picture is not available, or a folder contains none.
    """
    with tempfile.TemporaryDirectory(prefix="bt-exec-pictures-") as name:
        folder, found = Path(name), list[Path]()
        for number, one in enumerate(names):
            place = folder / str(number)
            place.mkdir()
            if one == "-":
                found.append(_write_picture(place / "stdin", _read_standard_input(), one))
            elif "://" in one:
                data = fetch_picture(one, allow_net=allow_net)
                found.append(_write_picture(place / _file_name_for(one), data, one))
            else:
                found += _picture_files(expand_home(one))
        if len(found) > _MOST_PICTURES:
            raise UsageError(f"{len(found)} pictures; at most {_MOST_PICTURES} at a time")
        yield found


def _read_standard_input() -> bytes:
    return b"" if sys.stdin is None else sys.stdin.buffer.read(MOST_BYTES + 1)


def _picture_files(path: Path) -> list[Path]:
    """Return the file, or the pictures in the folder sorted by name.

    An invalid file is reported later, when it is read.
    """
    try:
        if not path.is_dir():
            return [path]
    except OSError:  # such as a name that is too long, or a parent folder without access
        return [path]
    with file_errors(path, "read"):
        files = sorted(
            one for one in path.iterdir() if one.is_file() and one.suffix.lower() in _ENDINGS
        )
    if not files:
        raise UsageError(
            f"folder {path} contains no picture; allowed: {', '.join(sorted(_ENDINGS))}"
        )
    return files


def _write_picture(file: Path, data: bytes, what: str) -> Path:
    if len(data) > MOST_BYTES:
        raise UsageError(f"{what} has more than {MOST_BYTES // 1_000_000} MB")
    if not data:
        raise UsageError(f"{what} is empty; pipe a picture to it")
    file.write_bytes(data)
    return file


def _file_name_for(address: str) -> str:
    """Return a file name for a downloaded picture, from the last part of the address."""
    name = Path(urlsplit(address).path).name
    return "".join(c for c in name if c.isalnum() or c in "._-")[:80].strip(".") or "picture"
