"""The simulator's HTTP server: ``/env``, ``/state``, ``/camera``, ``/send_action``, and ``/step``.

It speaks as the simulators of this protocol do, so their clients drive it unchanged; it is stricter
where they are careless. What fails is called an error. It listens on loopback unless there is a
token, bodies are bounded, one motion runs at a time.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import re
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from bt_exec.serve.guard import is_loopback
from bt_exec_skills.tabletop.protocol.code import CodeRefused
from bt_exec_skills.tabletop.protocol.engine import Busy, Ended, Engine, object_of, pose_of
from bt_exec_skills.tabletop.sim.camera import HeadCamera

__all__ = ["MOST_BYTES", "make_app"]

MOST_BYTES = 32_768
"""The longest body that is read [bytes]."""
_SEND_S = 10.0


def make_app(engine: Engine, token: str = "") -> FastAPI:
    """Return the application.

    Args:
        engine: Runs the world.
        token: What every request must bear; without one, requests must name a loopback host.
    """
    app = FastAPI(
        title="bt-exec tabletop simulator", docs_url=None, redoc_url=None, openapi_url=None
    )
    camera = HeadCamera(engine.robot.world, 320, 240)

    def error_of(code: int, message: str, **more: Any) -> JSONResponse:
        return JSONResponse({"status": "error", "message": message, **more}, code)

    @app.middleware("http")
    async def guard(request: Request, call: Callable[[Request], Awaitable[Any]]) -> Any:
        host = re.sub(r":\d+$", "", request.headers.get("host", ""))
        if token:
            given = request.headers.get("authorization", "")
            if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
                return error_of(401, "a token is needed: Authorization: Bearer TOKEN")
        elif not is_loopback(host):
            return error_of(403, f"this simulator serves loopback only; found host {host!r:.60}")
        return await call(request)

    async def body_of(request: Request) -> dict[str, Any] | JSONResponse:
        """Return the JSON object that was sent, or what is wrong with it."""
        if "json" not in request.headers.get("content-type", ""):
            return error_of(415, "send JSON, with Content-Type: application/json")
        raw = b""
        try:
            async with asyncio.timeout(_SEND_S):
                async for part in request.stream():
                    raw += part
                    if len(raw) > MOST_BYTES:
                        return error_of(413, f"a body has at most {MOST_BYTES} bytes")
        except TimeoutError:
            return error_of(408, f"the body did not arrive within {_SEND_S:g} s")
        try:
            found = json.loads(raw)
        except (ValueError, RecursionError):
            return error_of(400, "the body is not JSON")
        if not isinstance(found, dict):
            return error_of(400, f"the body is a JSON object; found {type(found).__name__}")
        return found

    async def done(future: Future[Any]) -> Any:
        return await asyncio.wrap_future(future)

    @app.get("/")
    async def index() -> dict[str, str]:
        name = "bt-exec tabletop simulator"
        return {"name": name, "version": version("bt-exec"), "status": "running"}

    @app.get("/env")
    async def env() -> dict[str, Any]:
        now = await done(engine.ask(engine.robot.world.environment))
        objects = {name: object_of(one) for name, one in now.objects.items()}
        tables = {
            name: {"pos": [one.x, one.y, one.height], "size": [2 * one.half_x, 2 * one.half_y]}
            for name, one in now.tables.items()
        }
        return {"timestamp": time.time(), "time": now.t, "objects": objects, "tables": tables}

    @app.get("/state")
    async def state() -> dict[str, Any]:
        robot, world = engine.robot, engine.robot.world
        return await done(  # type: ignore[no-any-return]  # what the world's thread returns
            engine.ask(
                lambda: {
                    "timestamp": time.time(),
                    "time": robot.time,
                    "mobile": pose_of(world.pose),
                    "arm": {"joints": [float(value) for value in world.joints]},
                    "gripper": {"width": 2 * world.gap},
                    "still": robot.still,
                    "busy": engine.busy,
                }
            )
        )

    @app.get("/camera")
    async def picture() -> dict[str, Any]:
        import cv2
        import numpy as np

        capture = await done(engine.ask(camera.capture))
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

    @app.post("/send_action")
    async def send_action(request: Request) -> Any:
        body = await body_of(request)
        if isinstance(body, JSONResponse):
            return body
        action = body.get("action")
        payload = action.get("payload") if isinstance(action, dict) else None
        code = payload.get("code") if isinstance(payload, dict) else None
        if not isinstance(action, dict) or action.get("type") != "run_code":
            return error_of(200, 'an action is {"type": "run_code", "payload": {"code": "…"}}')
        if not isinstance(code, str):
            return error_of(200, 'the payload of run_code is {"code": "…"}, a text')
        try:
            names = await done(await done(engine.run_code(code)))
        except CodeRefused as refused:
            return error_of(200, str(refused))
        except Busy as busy:
            return error_of(409, str(busy))
        except Ended as ended:
            why = {"code": ended.failed.code, "message": ended.failed.message}
            return error_of(200, str(ended), result={"success": False, **why})
        kept = names["RESULT"] if names["RESULT"] != {} else names.get("result")
        result = kept if isinstance(kept, dict) else {} if kept is None else {"result": kept}
        return {"status": "success", "result": result}

    @app.post("/cancel")
    async def cancel() -> dict[str, Any]:
        return {"status": "success", "result": {"stopped": await done(engine.cancel())}}

    @app.post("/step")
    async def step(request: Request) -> Any:
        body = await body_of(request)
        if isinstance(body, JSONResponse):
            return body
        seconds = body.get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            return error_of(400, 'a step is {"seconds": NUMBER}')
        try:
            now = await done(engine.step(float(seconds)))
        except ValueError as wrong:
            return error_of(400, str(wrong))
        return {"status": "success", "result": {"time": now}}

    return app
