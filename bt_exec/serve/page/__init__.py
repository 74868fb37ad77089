"""The page: HTML, style and script as files in this folder, without a build step."""

from collections.abc import Mapping
from pathlib import Path

__all__ = ["PAGE"]

_MODULES = ("dom.js", "map.js", "tree.js", "words.js")
_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    **{f"/{name}": (name, "text/javascript; charset=utf-8") for name in _MODULES},
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}

PAGE: Mapping[str, tuple[bytes, str]] = {
    path: (Path(__file__).with_name(name).read_bytes(), kind)
    for path, (name, kind) in _FILES.items()
}
"""Content and media type by path."""
