"""The routes of the service."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib import metadata
from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import FastAPI, Header, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

from bt_exec.failure import BtExecError, UnknownName
from bt_exec.journal.plain import to_json
from bt_exec.serve.document import answer_of, still_running
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.guard import Guard, language_of_headers
from bt_exec.serve.login import COOKIE, Login
from bt_exec.serve.models import Answer, Asked, Given, answers
from bt_exec.serve.page import PAGE
from bt_exec.serve.planning import compiled
from bt_exec.serve.service import Service
from bt_exec.serve.stages import RecordReader
from bt_exec.serve.streams import Feeds, sse
from bt_exec.tui.history import line_data

__all__ = ["make_app"]

_STREAMS = 100  # that may be open at once
_WORKERS = 6  # threads that answer; more would only take time from the one that ticks
_ANSWER_S = 600.0  # how long /llm_command waits for the end of a mission [s]
_COMPILE_S = 30.0  # how long a compiler may take for somebody who asks for a plan only [s]
_LISTED = 500  # missions in one list

_log = logging.getLogger("bt_exec")

MissionId = Annotated[
    str,
    Path(pattern=r"^(\d{4}-\d{2}-\d{2}-\d{4,9}|last)$", examples=["2026-11-20-0007"]),
]


class Json(JSONResponse):
    """Plain data, whatever a skill has measured."""

    def render(self, content: Any) -> bytes:
        """Return the text."""
        return to_json(content).encode()


def make_app(service: Service, login: Login, host: str, names: Iterable[str] = ()) -> Guard:
    """Return the service as an ASGI application.

    Args:
        service: What it serves; open.
        login: Knows who may ask.
        host: The address that it listens at.
        names: Further names that it answers to.
    """
    reader = RecordReader(service.journal)
    feeds = Feeds(
        service.journal,
        lambda mission_id: service.find(mission_id) is not None,
        lambda: service.watching.progress,
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = _WORKERS
        yield

    app = FastAPI(
        title="bt-exec",
        version=_version(),
        summary=f"Missions for the robots of site {service.site.name}, over HTTP.",
        description=__doc__,
        lifespan=lifespan,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        default_response_class=Json,
    )
    app.state.feeds = feeds
    _add_errors(app)
    _add_missions(app, service, reader)
    _add_streams(app, service, feeds)
    _add_plans(app, service, reader)
    _add_page(app, service, login)
    return Guard(app, login, host, names)


def _add_missions(app: FastAPI, service: Service, reader: RecordReader) -> None:
    said = answers("accepted", 202, e409="BUSY", e429="QUEUE_FULL", e503="CLOSING, NOT_READY")

    @app.post("/missions", status_code=202, responses=said)
    def submit(asked: Asked) -> Any:
        """Take a command. It is on record when this answers; it runs when its turn comes."""
        booked = service.submit(asked.command)
        mission_id = booked.mission_id
        waiting = [one.mission_id for one in service.waiting]
        running = service.current is not None and service.current is not booked
        ahead = waiting.index(mission_id) + running if mission_id in waiting else 0
        return {
            "mission_id": mission_id,
            "status": "waiting" if mission_id in waiting else "running",
            "ahead": ahead,
            "mission": f"/missions/{mission_id}",
            "events": f"/missions/{mission_id}/events",
        }

    @app.get("/missions", responses=answers("list"))
    def missions(
        limit: Annotated[int, Query(ge=1, le=_LISTED)] = 20,
        failed: Annotated[bool, Query(description="Only those that did not end well.")] = False,
        all_sites: Annotated[bool, Query(description="Also those of other sites.")] = False,
    ) -> Any:
        """List missions from the journal, the newest first."""
        site = None if all_sites else service.site.name
        lines = service.journal.missions(_LISTED if failed else limit, site=site)
        found = [line_data(line) for line in lines]
        if failed:
            well = ("satisfied", "running", "waiting")
            found = [one for one in found if one["status"] not in well]
        return {"missions": found[:limit]}

    @app.get("/missions/{mission_id}", responses=answers("mission", e404="NO_MISSION"))
    def mission(mission_id: MissionId) -> Any:
        """Tell of a mission in its stages: state, plan, run, results, and why it ended so."""
        found = reader.read(_known(service, mission_id))
        current, asked = service.current, service.questions.pending
        if asked is None or current is None or current.mission_id != found["mission_id"]:
            return found
        return {**found, "question": {"question": asked.number, "why": asked.why}}

    @app.post(
        "/missions/{mission_id}/abort",
        responses=answers("aborted", e404="NO_MISSION", e409="NOT_RUNNING"),
    )
    async def abort(mission_id: MissionId) -> Any:
        """Stop a mission: cleanly, and the robot at once if asked again; a waiting one for good.

        Missions that wait when a running one is stopped begin after `POST /queue/resume`. `last` is
        the mission that runs, never one that waits.
        """
        current = service.current
        if current is not None and mission_id in (current.mission_id, "last"):
            result = service.abort(current.mission_id, "operator")  # waits for nobody
            return {"mission_id": current.mission_id, "result": result}
        name = await asyncio.to_thread(_known, service, mission_id)
        if mission_id == "last":  # whatever waits was not meant
            raise ServiceError("NOT_RUNNING", mission_id=name)
        result = await asyncio.to_thread(service.abort, name, "operator")
        return {"mission_id": name, "result": result}

    @app.post("/queue/resume", responses=answers("resumed"))
    async def resume() -> Any:
        """Let the missions begin that wait since one was stopped."""
        held = await asyncio.to_thread(service.resume)
        return {"held": held, "waiting": len(service.waiting)}

    @app.post("/missions/{mission_id}/answer", responses={409: {"description": "NO_QUESTION"}})
    async def answer(mission_id: MissionId, answer: Answer) -> Any:
        """Answer the question that a mission asks: whether its plan may run."""
        current = service.current
        ours = current is not None and mission_id in (current.mission_id, "last")
        if not (ours and service.questions.answer(answer.question, yes=answer.yes)):
            raise ServiceError("NO_QUESTION")
        return {"question": answer.question, "yes": answer.yes}


def _add_streams(app: FastAPI, service: Service, feeds: Feeds) -> None:
    stream: dict[int | str, dict[str, Any]] = {
        200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}},
        503: {"description": "TOO_MANY"},
    }
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

    def room() -> None:
        if feeds.followed + service.watching.latest.watched >= _STREAMS:
            raise ServiceError("TOO_MANY", limit=_STREAMS)

    @app.get(
        "/missions/{mission_id}/events",
        response_class=StreamingResponse,
        responses={**stream, 204: {"description": "It has ended, and nothing is left."}},
    )
    async def events(
        mission_id: MissionId,
        after: Annotated[int, Query(ge=0, le=2**53, description="Begin after this event.")] = 0,
        last_event_id: Annotated[str, Header()] = "",
    ) -> Response:
        """Follow a mission: every event on record, then what happens; ``end`` is the last.

        A client that was cut off sends the last ``id`` it got as ``Last-Event-ID``.
        """
        room()
        name = await asyncio.to_thread(_known, service, mission_id)
        if last_event_id:
            if not last_event_id.isdecimal() or len(last_event_id) > 15:
                message = "Last-Event-ID is the number of an event"
                raise ServiceError("BAD_REQUEST", message=message)
            after = int(last_event_id)
        if after and await feeds.ended_before(name, after):
            return Response(status_code=204)
        return StreamingResponse(
            feeds.follow(name, after), media_type="text/event-stream", headers=headers
        )

    @app.get("/plans/{digest}", responses={404: {"description": "NO_PLAN"}})
    def plan(digest: Annotated[str, Path(pattern="^[0-9a-f]{64}$")]) -> Any:
        """Return a recorded plan as YAML, by the digest that events name."""
        try:
            return {"digest": digest, "yaml": service.journal.spec(digest)}
        except UnknownName:
            raise ServiceError("NO_PLAN", digest=digest) from None

    @app.get("/live", response_class=StreamingResponse, responses=stream)
    async def live() -> Response:
        """Follow what the page shows: one JSON each, whole, ten times a second at most."""
        room()

        async def texts() -> AsyncIterator[bytes]:
            async for text in service.watching.latest.texts():
                yield sse(text.decode(), "live")

        return StreamingResponse(texts(), media_type="text/event-stream", headers=headers)

    @app.get("/pictures/{number}.png", response_class=Response, responses={404: {}})
    def picture(number: Annotated[int, Path(ge=1, le=2**53)]) -> Response:
        """Return a picture that `/live` names; only the newest few are kept."""
        png = service.watching.pictures.png(number)
        if png is None:
            raise ServiceError("NO_PICTURE")
        return Response(png, media_type="image/png", headers={"Cache-Control": "no-store"})


def _add_plans(app: FastAPI, service: Service, reader: RecordReader) -> None:
    one_at_a_time = threading.Lock()

    @app.post("/compile", responses=answers("compiled", e503="TOOK_TOO_LONG"))
    def compile_(asked: Asked) -> Any:
        """Make the plan for a command in what was seen last; nothing moves."""
        if not one_at_a_time.acquire(timeout=_COMPILE_S):
            raise ServiceError("TOOK_TOO_LONG", limit=_COMPILE_S)
        try:
            now = service.watching.situation()
            return compiled(service.site, asked.command, service.compiler, now)
        finally:
            one_at_a_time.release()

    @app.post("/llm_command", responses=answers("llm_command", e409="BUSY", e429="QUEUE_FULL"))
    async def llm_command(asked: Asked) -> Any:
        """Run a command and answer when it has ended, as other planners of this kind do."""
        booked = await asyncio.to_thread(service.submit, asked.command)
        ended = asyncio.shield(asyncio.wrap_future(booked.ended))
        try:
            outcome = await asyncio.wait_for(ended, _ANSWER_S)
        except TimeoutError:
            return still_running(booked.mission_id, booked.command)
        stages = await asyncio.to_thread(reader.read, booked.mission_id)
        return await asyncio.to_thread(answer_of, service.site, service.journal, outcome, stages)


def _add_page(app: FastAPI, service: Service, login: Login) -> None:
    for path, (data, kind) in PAGE.items():

        @app.get(path, include_in_schema=False)
        async def part(data: bytes = data, kind: str = kind) -> Response:
            return Response(data, media_type=kind, headers={"Cache-Control": "no-cache"})

    @app.get("/site")
    def site() -> Any:
        """Tell of the site: its name, and what can be said."""
        library = service.site.library
        said = [list(tree.utterances) for tree in library if tree.utterances]
        own = service.site
        return {"site": own.name, "summary": own.summary, "utterances": said}

    @app.get("/health", responses={503: {"description": "HUNG"}})
    async def health() -> Any:
        """Tell that the process can do its work; one that cannot must be restarted."""
        if service.hung:
            raise ServiceError("HUNG", mission_id=service.hung)
        return {"status": "ok", "version": _version()}

    @app.get("/ready", responses={503: {"description": "NOT_READY"}})
    async def ready() -> Any:
        """Tell whether commands can be run."""
        if trouble := service.trouble():
            raise ServiceError("NOT_READY", why=trouble)
        return {
            "status": "ready",
            "site": service.site.name,
            "waiting": len(service.waiting),
            "held": service.held or None,
        }

    @app.post("/login")
    async def log_in(given: Given) -> Response:
        """Log in with the token: the page then holds a cookie that no script can read."""
        if login.needed and not login.is_token(given.token):
            await asyncio.sleep(0.5)  # who guesses waits
            raise ServiceError("WRONG_TOKEN")
        response = Json({"status": "ok"})
        if login.needed:
            key = login.begin()
            response.set_cookie(COOKIE, key, httponly=True, samesite="strict", path="/")
        return response

    @app.post("/logout")
    async def log_out(request: Request) -> Response:
        """Forget a login."""
        login.end(request.headers.get("cookie", ""))
        response = Json({"status": "ok"})
        response.delete_cookie(COOKIE, path="/")
        return response


def _add_errors(app: FastAPI) -> None:
    def answered(request: Request, error: ServiceError) -> Response:
        headers = {key: request.headers.getlist(key) for key in ("accept-language",)}
        return Json(error.body(language_of_headers(headers)), error.status, headers=error.headers)

    @app.exception_handler(ServiceError)
    async def ours(request: Request, error: ServiceError) -> Response:
        return answered(request, error)

    @app.exception_handler(BtExecError)
    async def theirs(request: Request, error: BtExecError) -> Response:
        return answered(request, ServiceError("CANNOT", message=str(error)))

    @app.exception_handler(RequestValidationError)
    async def wrong(request: Request, error: RequestValidationError) -> Response:
        found = [
            f"{'.'.join(str(part) for part in one['loc'][1:]) or 'body'}: {one['msg']}"
            for one in error.errors()
        ]
        return answered(request, ServiceError("BAD_REQUEST", message="; ".join(found)))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        path, allowed = request.url.path[:200], _methods_at(app, request.url.path)
        facts: dict[Literal["NOT_FOUND", "NOT_ALLOWED"], dict[str, Any]] = {
            "NOT_FOUND": {"path": path},
            "NOT_ALLOWED": {"path": path, "method": request.method, "allowed": allowed},
        }
        if error.status_code == 404:
            return answered(request, ServiceError("NOT_FOUND", **facts["NOT_FOUND"]))
        if error.status_code == 405:
            refused = answered(request, ServiceError("NOT_ALLOWED", **facts["NOT_ALLOWED"]))
            refused.headers["Allow"] = allowed
            return refused
        return answered(request, ServiceError("BAD_REQUEST", message=str(error.detail)))

    @app.exception_handler(Exception)
    async def bug(request: Request, error: Exception) -> Response:
        _log.error("%s %s", request.method, request.url.path, exc_info=error)
        return answered(request, ServiceError("BUG"))


def _methods_at(app: FastAPI, path: str) -> str:
    """Return what may be done at a path, over all of its routes: ``GET, POST``."""
    here = (r for r in app.routes if isinstance(r, Route) and r.path_regex.match(path))
    return ", ".join(sorted({method for route in here for method in route.methods or ()}))


def _known(service: Service, mission_id: str) -> str:
    """Return the whole name of a mission.

    Raises:
        ServiceError: If there is none of that name.
    """
    if service.find(mission_id) is not None:
        return mission_id
    try:
        line = (
            next(iter(service.journal.missions(1)), None)
            if mission_id == "last"
            else service.journal.line(mission_id)
        )
    except UnknownName:
        line = None
    if line is None:
        raise ServiceError("NO_MISSION", mission_id=mission_id)
    return line.id


def _version() -> str:
    try:
        return metadata.version("bt-exec")
    except metadata.PackageNotFoundError:
        return "0"
