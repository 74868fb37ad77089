"""HTTP server of the simulator: ``/env``, ``/state``, ``/camera``, ``/send_action``, ``/step``.

Clients of other simulators with this protocol work unchanged, but failures of motions are reported
as errors. Without a token it listens only on loopback. The size of bodies is limited, and one
motion runs at a time.
"""

from __future__ import annotations

import asyncio
import base64
import time
from asyncio import wrap_future
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, ClassVar

from fastapi import FastAPI, Request

from bt_exec.web.app_factory import json_body, new_app
from bt_exec.web.errors import WebError
from bt_exec.web.login import Login
from bt_exec.web.request_checks import RequestGuard
from bt_exec_skills.tabletop.protocol.served_world import (
    Busy,
    ProgramFailed,
    ServedWorld,
    object_data,
    pose_data,
)
from bt_exec_skills.tabletop.protocol.submitted_code_parser import CodeRefused
from bt_exec_skills.tabletop.sim.camera import HeadCamera

__all__ = ["MOST_BYTES", "make_app"]

MOST_BYTES = 32_768
"""Maximum size of a request body [bytes]."""


def make_app(served_world: ServedWorld, token: str = "", host: str = "127.0.0.1") -> RequestGuard:
    """Return the application, behind the service's request guard.

    Args:
        served_world: World that the routes read and change.
        token: Token that every request must have; without one, requests must name a loopback host.
        host: Listening address.
    """
    app = new_app("bt-exec tabletop simulator", openapi_url=None)
    _add_read_routes(app, served_world)
    _add_actions(app, served_world)

    return RequestGuard(app, Login(token), host, body_bytes=MOST_BYTES, open_paths=("/",))


class _ActionError(WebError):
    """Raised if an action failed; like other simulators, the server answers with status 200."""

    statuses: ClassVar[Mapping[str, int]] = {"CANNOT": 200}

    def body(self, language: str) -> dict[str, Any]:
        """Return the body, with the facts as top-level keys, as the protocol requires."""
        return {**super().body(language), **self.facts}


def _add_read_routes(app: FastAPI, served_world: ServedWorld) -> None:
    """Add the routes that read the world."""
    camera = HeadCamera(served_world.robot.world, 320, 240)

    @app.get("/")
    async def index() -> dict[str, str]:
        name = "bt-exec tabletop simulator"
        return {"name": name, "version": version("bt-exec"), "status": "running"}

    @app.get("/env")
    async def env() -> dict[str, Any]:
        now = await wrap_future(
            served_world.run_on_world_thread(served_world.robot.world.environment)
        )
        objects = {name: object_data(one) for name, one in now.objects.items()}
        tables = {
            name: {"pos": [one.x, one.y, one.height], "size": [2 * one.half_x, 2 * one.half_y]}
            for name, one in now.tables.items()
        }
        return {"timestamp": time.time(), "time": now.t, "objects": objects, "tables": tables}

    @app.get("/state")
    async def state() -> dict[str, Any]:
        robot, world = served_world.robot, served_world.robot.world
        return await wrap_future(
            served_world.run_on_world_thread(
                lambda: {
                    "timestamp": time.time(),
                    "time": robot.time,
                    "mobile": pose_data(world.pose),
                    "arm": {"joints": [float(value) for value in world.joints]},
                    "gripper": {
                        "width": 2 * world.half_gap,
                        "holding": world.held_item() is not None,
                    },
                    "still": robot.still,
                    "busy": served_world.busy,
                }
            )
        )

    @app.get("/camera")
    async def picture() -> dict[str, Any]:
        import cv2
        import numpy as np

        capture = await wrap_future(served_world.run_on_world_thread(camera.capture))
        view = await asyncio.to_thread(camera.view, capture)
        rgb = cv2.imencode(".jpg", view.rgb[:, :, ::-1])[1].tobytes()
        depth = (np.clip(view.depth, 0, 65) * 1000).astype(np.uint16)
        png = cv2.imencode(".png", depth)[1].tobytes()
        return {
            "timestamp": time.time(),
            "rgb_base64": base64.b64encode(rgb).decode(),
            "depth_base64": base64.b64encode(png).decode(),
            "boxes": {name: list(box) for name, box in view.boxes.items()},
        }


def _add_actions(app: FastAPI, served_world: ServedWorld) -> None:
    """Add the routes that change the world."""

    @app.post("/send_action")
    async def send_action(request: Request) -> Any:
        try:
            running = await wrap_future(served_world.run_code(await _source_code_of(request)))
            names = await wrap_future(running)
        except CodeRefused as refused:
            raise _ActionError("CANNOT", message=str(refused)) from None
        except Busy as busy:
            raise WebError("CANNOT", message=str(busy)) from None
        except ProgramFailed as ended:
            why = {"code": ended.failed.code, "message": ended.failed.message}
            raise _ActionError(
                "CANNOT", message=str(ended), result={"success": False, **why}
            ) from None
        kept = names["RESULT"] if names["RESULT"] != {} else names.get("result")
        result = kept if isinstance(kept, dict) else {} if kept is None else {"result": kept}
        return {"status": "success", "result": result}

    @app.post("/cancel")
    async def cancel() -> dict[str, Any]:
        stopped = await wrap_future(served_world.cancel())
        return {"status": "success", "result": {"stopped": stopped}}

    @app.post("/step")
    async def step(request: Request) -> Any:
        seconds = (await json_body(request)).get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise WebError("MALFORMED", message='the body must be {"seconds": NUMBER}')
        try:
            now = await wrap_future(served_world.step(float(seconds)))
        except ValueError as wrong:
            raise WebError("MALFORMED", message=str(wrong)) from None
        return {"status": "success", "result": {"time": now}}


async def _source_code_of(request: Request) -> str:
    """Return the code in the action of a request.

    Raises:
        _ActionError: If the request contains no valid action.
    """
    action = (await json_body(request)).get("action")
    if not isinstance(action, dict) or action.get("type") != "run_code":
        raise _ActionError(
            "CANNOT", message='the action must be {"type": "run_code", "payload": {"code": "…"}}'
        )
    payload = action.get("payload")
    code = payload.get("code") if isinstance(payload, dict) else None
    if not isinstance(code, str):
        raise _ActionError("CANNOT", message='the payload of run_code must be {"code": "TEXT"}')
    return code
