"""HTTP server of the services of one or more sites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bt_exec.serve.api import make_app
from bt_exec.serve.queued_session import QueuedSession
from bt_exec.web.login import Login
from bt_exec.web.request_checks import RequestGuard
from bt_exec.web.server import AppServer

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

__all__ = ["HttpServer"]

_PREFIX = "/sites/"


class HttpServer(AppServer):
    """HTTP server of a service, which runs until it is stopped.

    Args:
        service: The open service.
        login: Authentication of requests.
        host: Address at which the server listens.
        port: Port; 0 for any free port.
        names: Further accepted host names.
        others: Open services of further sites, each with its authentication.

    Raises:
        UsageError: If the address or port is not available.
    """

    def __init__(
        self,
        service: QueuedSession,
        login: Login,
        host: str,
        port: int,
        names: Iterable[str] = (),
        others: Iterable[tuple[QueuedSession, Login]] = (),
    ) -> None:
        every = ((service, login), *others)
        self._services = [one for one, _ in every]
        sites = [one.site.name for one in self._services]
        paths = [(name, _site_url_path(name)) for name in sites] if len(sites) > 1 else []
        made = [make_app(one, its, host, names, paths) for one, its in every]
        self._apps: list[Any] = [guard.app for guard in made]
        alone = len(made) == 1
        super().__init__(
            made[0] if alone else _Sites(dict(zip(sites, made, strict=True))), host, port
        )

    def _end_streams(self) -> None:
        for service in self._services:
            service.watching.latest.close()
        for app in self._apps:
            app.state.feeds.close()


def _site_url_path(name: str) -> str:
    """Return the path under which a site is served."""
    return f"{_PREFIX}{name}"


class _Sites:
    """ASGI application that forwards each request to its site, under ``/sites/NAME/…``.

    Requests for other paths are forwarded to the first site, so that clients of a single-site
    service need no prefix.

    Args:
        guards: Application of each site, wrapped in its request checks, by name of the site.
    """

    def __init__(self, guards: Mapping[str, RequestGuard]) -> None:
        self.guards = dict(guards)
        self._first = next(iter(self.guards.values()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request to the site in its path, or to the first site."""
        path = scope.get("path", "")
        for name, guard in self.guards.items():
            root = _site_url_path(name)
            if path.startswith(f"{root}/"):
                inner = {**scope, "path": path.removeprefix(root), "root_path": root}
                await guard(inner, receive, send)
                return
        await self._first(scope, receive, send)
