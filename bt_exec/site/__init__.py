"""Site files and the data that ships with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bt_exec.site.site import Site, load_site

__all__ = ["Site", "load_site"]


def __getattr__(name: str) -> Any:
    """Import `bt_exec.site.site` on first use, so that importing this package is fast."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bt_exec.site import site

    return getattr(site, name)
