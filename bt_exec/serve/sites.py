"""Several sites at one address, each with its service, queue and token, on one page.

``/sites/NAME/…`` are the routes of a site. All other paths are those of the first one, so that
clients of a single site need not know of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bt_exec.serve.guard import Guard

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

__all__ = ["Sites", "path_of"]

_PREFIX = "/sites/"


def path_of(name: str) -> str:
    """Return the path under which a site is served."""
    return f"{_PREFIX}{name}"


class Sites:
    """ASGI application that forwards each request to its site.

    Args:
        guards: The applications by name of their site, each with its request checks.
    """

    def __init__(self, guards: Mapping[str, Guard]) -> None:
        self.guards = dict(guards)
        self._first = next(iter(self.guards.values()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request."""
        path = scope.get("path", "")
        for name, guard in self.guards.items():
            root = path_of(name)
            if path.startswith(f"{root}/"):
                inner = {**scope, "path": path.removeprefix(root), "root_path": root}
                await guard(inner, receive, send)
                return
        await self._first(scope, receive, send)
