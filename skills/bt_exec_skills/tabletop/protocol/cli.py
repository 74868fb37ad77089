"""Command ``simulator``, which serves the tabletop world to clients of the simulator protocol."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["SIMULATOR"]

SIMULATOR = typer.Typer(help="The world of the table as an HTTP server.")


@SIMULATOR.callback(invoke_without_command=True)
def simulator(
    site: Annotated[
        str, typer.Option(metavar="NAME", help="Site of the world; tabletop by default.")
    ] = "tabletop",
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 chooses a free one.")] = 8800,
    world: Annotated[
        list[str] | None,
        typer.Option("--world", metavar="KEY=VALUE", help="Initial state of the world."),
    ] = None,
    lockstep: Annotated[
        bool, typer.Option("--lockstep", help="Advance time only on POST /step.")
    ] = False,
    fast: Annotated[
        bool, typer.Option("--fast", help="Run motions faster than real time.")
    ] = False,
    token: Annotated[
        str,
        typer.Option(envvar="BT_EXEC_TOKEN", help="Token; required unless the host is loopback."),
    ] = "",
) -> None:
    """Serve the world: GET /env /state /camera, POST /send_action /cancel /step."""
    from bt_exec_skills.tabletop.protocol.run_server import serve

    serve(site, host, port, world or [], token, lockstep=lockstep, fast=fast)
