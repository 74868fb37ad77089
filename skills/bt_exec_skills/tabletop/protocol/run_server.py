"""Start of the simulator server for a site and an initial world."""

from __future__ import annotations

from collections.abc import Iterable

from bt_exec.failure import UsageError
from bt_exec.mission.rig_construction import check_world, parse_world_settings
from bt_exec.site.site import load_site
from bt_exec.web.login import is_loopback
from bt_exec_skills.tabletop.protocol.served_world import ServedWorld
from bt_exec_skills.tabletop.rigs import TableStart, robot_in_its_kitchen

__all__ = ["make_served_world", "serve"]


def make_served_world(
    site: str, world: Iterable[str], *, lockstep: bool = False, fast: bool = False
) -> ServedWorld:
    """Return the running simulated world of a site.

    Raises:
        UsageError: If the site has no tabletop world, or a setting in `world` is invalid.
    """
    loaded = load_site(site)
    if "tabletop" not in loaded.packs:
        raise UsageError(f"site {loaded.name!r} has no tabletop; try --site tabletop")
    chosen = parse_world_settings(world)
    check_world(loaded, chosen)
    robot = robot_in_its_kitchen(TableStart.model_validate(chosen))
    return ServedWorld(robot, lockstep=lockstep, fast=fast)


def serve(
    site: str,
    host: str,
    port: int,
    world: Iterable[str],
    token: str,
    *,
    lockstep: bool = False,
    fast: bool = False,
) -> None:
    """Serve the simulated world until interrupted.

    Raises:
        UsageError: If `host` requires a token, the port cannot be opened, or the extra ``serve``
            is not installed.
    """
    if not is_loopback(host) and not token:
        raise UsageError(f"listening on {host} needs a token: --token, or BT_EXEC_TOKEN")
    try:
        from bt_exec.web.server import AppServer, serve_until_stopped
        from bt_exec_skills.tabletop.protocol.server import make_app
    except ImportError as error:
        raise UsageError(
            "the simulator needs the extra “serve”: pip install 'bt-exec[serve]'"
        ) from error
    served_world = make_served_world(site, world, lockstep=lockstep, fast=fast)
    try:
        server = AppServer(make_app(served_world, token, host), host, port)
        serve_until_stopped(
            server, lambda: print(f"tabletop simulator: {server.url} · Ctrl-C ends it")
        )
    finally:
        served_world.close()
