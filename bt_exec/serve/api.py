"""Routes of the service."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import date
from importlib import metadata
from typing import Annotated, Any

import anyio.to_thread
from fastapi import FastAPI, Header, Path, Query, Request
from fastapi.responses import Response, StreamingResponse

from bt_exec.failure import UnknownName
from bt_exec.journal.search import Wanted
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.map_queue_and_speech_routes import add_auxiliary_routes, add_speech_routes
from bt_exec.serve.models import (
    Aborted,
    Accepted,
    Answer,
    Answered,
    Asked,
    Compiled,
    Given,
    Health,
    LlmCommandAnswer,
    LlmCommandRequest,
    MissionLines,
    PlanDocument,
    Ready,
    SiteData,
    SiteList,
    Stages,
    Status,
    is_blank,
)
from bt_exec.serve.openapi import (
    ANY_BODY,
    BODY,
    ID_PATTERN,
    OPEN,
    PAGE,
    READ,
    MissionId,
    error_descriptions,
    full_mission_id,
    openapi_document,
    response_descriptions,
)
from bt_exec.serve.planner_format_response import final_answer, running_answer
from bt_exec.serve.queued_session import QueuedSession
from bt_exec.serve.stages_and_plan_preview import RecordReader, compile_in_situation
from bt_exec.serve.streams import Feeds
from bt_exec.tui.mission_history import mission_entry_data
from bt_exec.web.app_factory import Json, add_page, new_app
from bt_exec.web.login import COOKIE, Login
from bt_exec.web.request_checks import RequestGuard
from bt_exec.web.streams import format_event

__all__ = ["make_app"]

_STREAMS = 100  # maximum number of open streams
_WORKERS = 6  # maximum number of threads for requests; more would delay the ticking thread
_ANSWER_S = 600.0  # time limit of a mission for the response of /llm_command [s]
_COMPILE_S = 30.0  # time limit of a compiler if the plan is not run [s]
_LISTED = 500  # maximum number of missions in a response
_UPLOADS = {"/stt": 8 * 1024 * 1024}  # maximum size of an audio file [bytes], by path

_TAKEN = ("BUSY", "CANNOT", "QUEUE_FULL", "CLOSING", "NOT_READY", *BODY)  # errors of a submission
_SSE = {
    "type": "object",
    "description": "One server-sent event; its data are JSON.",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
}
_EVENT = (
    'id: 7\nevent: SkillStarting\ndata: {"t": 0.4, "tick": 8, "data": {"skill": "open_door"}}\n\n'
)


def make_app(
    service: QueuedSession,
    login: Login,
    host: str,
    names: Iterable[str] = (),
    sites: Iterable[tuple[str, str]] = (),
) -> RequestGuard:
    """Return the service as an ASGI application.

    Args:
        service: The open service.
        login: Authentication of requests.
        host: Address at which the server listens.
        names: Further accepted host names.
        sites: Name and path of every site at this address; by default only the service's site.
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

    app = new_app(
        "bt-exec",
        version=_version(),
        summary=f"Missions for the robots of site {service.site.name}, over HTTP.",
        description='Errors are answered as `{"error": {"code", "message", …}}`.',
        lifespan=lifespan,
    )
    app.state.feeds = feeds
    _add_missions(app, service, reader)
    _add_streams(app, service, feeds)
    _add_pictures(app, service)
    _add_plans(app, service, reader)
    add_auxiliary_routes(app, service)
    add_speech_routes(app, service.speech)
    add_page(app, PAGE)
    _add_site(app, service, tuple(sites) or ((service.site.name, ""),))
    _add_login(app, login)
    vars(app)["openapi"] = functools.cache(
        functools.partial(openapi_document, app, secured=login.is_required)
    )
    return RequestGuard(app, login, host, names, open_paths=OPEN, uploads=_UPLOADS)


def _add_missions(app: FastAPI, service: QueuedSession, reader: RecordReader) -> None:
    @app.post(
        "/missions", status_code=202, responses=response_descriptions(Accepted, *_TAKEN, status=202)
    )
    def submit(asked: Asked, request: Request) -> Any:
        """Submit a command. It is recorded at once and runs after the commands ahead of it."""
        booked = service.submit(asked.command)
        mission_id, at = booked.mission_id, request.scope.get("root_path", "")
        waiting = [one.mission_id for one in service.waiting_missions]
        running = service.running_mission is not None and service.running_mission is not booked
        ahead = waiting.index(mission_id) + running if mission_id in waiting else 0
        return {
            "mission_id": mission_id,
            "status": "waiting" if mission_id in waiting else "running",
            "ahead": ahead,
            "mission": f"{at}/missions/{mission_id}",
            "events": f"{at}/missions/{mission_id}/events",
        }

    @app.get("/missions", responses=response_descriptions(MissionLines, *READ))
    def missions(
        limit: Annotated[int, Query(ge=1, le=_LISTED)] = 20,
        before: Annotated[
            str,
            Query(pattern=f"^({ID_PATTERN})?$", description="Only missions older than this one."),
        ] = "",
        failed: Annotated[
            bool, Query(description="Only missions that were not satisfied.")
        ] = False,
        status: Annotated[
            Status | None, Query(description="Only missions with this status.")
        ] = None,
        command: Annotated[
            str, Query(max_length=200, description="Text that the command contains.")
        ] = "",
        search: Annotated[
            str,
            Query(max_length=200, description="Words in the command, messages or codes (all)."),
        ] = "",
        day: Annotated[date | None, Query(description="The day on which they began.")] = None,
        all_sites: Annotated[bool, Query(description="Include missions of other sites.")] = False,
    ) -> Any:
        """List missions from the journal, the newest first, page by page."""
        wanted = Wanted(
            site="" if all_sites else service.site.name,
            day=day,
            status=status or "",
            failed=failed,
            command=command,
            text=search,
            before=full_mission_id(service, before) if before else "",
        )
        lines = service.journal.find(wanted, limit + 1)
        following = lines[limit - 1].id if len(lines) > limit else None
        return {"missions": [mission_entry_data(line) for line in lines[:limit]], "next": following}

    @app.get(
        "/missions/{mission_id}",
        responses=response_descriptions(Stages, "NO_MISSION", "CANNOT", "BAD_REQUEST"),
    )
    def mission(mission_id: MissionId) -> Any:
        """Return the stages of a mission: state, plan, run, results, and the cause of its end."""
        found = reader.read(full_mission_id(service, mission_id))
        current, asked = service.running_mission, service.questions.pending
        if asked is None or current is None or current.mission_id != found["mission_id"]:
            return found
        return {**found, "question": {"question": asked.number, "why": asked.why}}

    @app.post(
        "/missions/{mission_id}/abort",
        responses=response_descriptions(Aborted, "NO_MISSION", "NOT_RUNNING", "CANNOT", *BODY),
        openapi_extra=ANY_BODY,
    )
    async def abort(mission_id: MissionId) -> Any:
        """Stop a running mission, or withdraw a waiting one.

        A running mission is stopped cleanly; a repeated request stops the robot at once. After a
        stop, the waiting missions are held until `POST /queue/resume`. `last` stands for the
        running mission, never for a waiting one.
        """
        current = service.running_mission
        if current is not None and mission_id in (current.mission_id, "last"):
            result = service.abort(current.mission_id, "operator")  # does not block
            return {"mission_id": current.mission_id, "result": result}
        name = await asyncio.to_thread(full_mission_id, service, mission_id)
        if mission_id == "last":  # `last` must not withdraw a waiting mission
            raise ServiceError("NOT_RUNNING", mission_id=name)
        result = await asyncio.to_thread(service.abort, name, "operator")
        return {"mission_id": name, "result": result}

    @app.post(
        "/missions/{mission_id}/answer",
        responses=response_descriptions(Answered, "NO_QUESTION", *BODY),
    )
    async def answer(mission_id: MissionId, answer: Answer) -> Any:
        """Answer a mission's question of whether its plan may run."""
        current = service.running_mission
        ours = current is not None and mission_id in (current.mission_id, "last")
        if not (ours and service.questions.answer(answer.question, yes=answer.yes)):
            raise ServiceError("NO_QUESTION")
        return {"question": answer.question, "yes": answer.yes}


def _add_streams(app: FastAPI, service: QueuedSession, feeds: Feeds) -> None:
    stream: dict[int | str, dict[str, Any]] = {
        200: {
            "description": "Server-sent events.",
            "content": {"text/event-stream": {"schema": _SSE, "example": _EVENT}},
        },
        **error_descriptions("TOO_MANY"),
    }
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

    def check_stream_limit() -> None:
        if feeds.followed + service.watching.latest.watched >= _STREAMS:
            raise ServiceError("TOO_MANY", limit=_STREAMS)

    @app.get(
        "/missions/{mission_id}/events",
        response_class=StreamingResponse,
        responses={
            **stream,
            204: {"description": "It has ended, and all its events were sent."},
            **error_descriptions("TOO_MANY", *READ),
        },
    )
    async def events(
        mission_id: MissionId,
        after: Annotated[int, Query(ge=0, le=2**53, description="Begin after this event.")] = 0,
        last_event_id: Annotated[str, Header(pattern="^[0-9]{0,15}$")] = "",
    ) -> Response:
        """Stream the recorded and then the live events of a mission, followed by the event ``end``.

        A reconnecting client sends the last received ``id`` as ``Last-Event-ID``.
        """
        check_stream_limit()
        name = await asyncio.to_thread(full_mission_id, service, mission_id)
        if last_event_id:
            after = int(last_event_id)
        if after and await feeds.has_no_more_events(name, after):
            return Response(status_code=204)
        return StreamingResponse(
            feeds.follow(name, after), media_type="text/event-stream", headers=headers
        )

    @app.get(
        "/plans/{digest}",
        responses=response_descriptions(PlanDocument, "NO_PLAN", "BAD_REQUEST", "CANNOT"),
    )
    def plan(digest: Annotated[str, Path(pattern="^[0-9a-f]{64}$")]) -> Any:
        """Return a recorded plan as YAML. Its digest is in the events of the mission."""
        try:
            return {"digest": digest, "yaml": service.journal.plan_text(digest)}
        except UnknownName:
            raise ServiceError("NO_PLAN", digest=digest) from None

    @app.get("/live", response_class=StreamingResponse, responses=stream)
    async def live() -> Response:
        """Stream the state of the page as complete JSON texts, at most ten times a second."""
        check_stream_limit()

        async def event_texts() -> AsyncIterator[bytes]:
            async for text in service.watching.latest.texts():
                yield format_event(text.decode(), "live")

        return StreamingResponse(event_texts(), media_type="text/event-stream", headers=headers)


def _add_pictures(app: FastAPI, service: QueuedSession) -> None:
    @app.get(
        "/pictures/{number}.png",
        response_class=Response,
        responses={
            200: {
                "description": "The picture.",
                "content": {"image/png": {"schema": {"type": "string", "format": "binary"}}},
            },
            **error_descriptions("NO_PICTURE", "BAD_REQUEST"),
        },
    )
    def picture(number: Annotated[int, Path(ge=1, le=2**53)]) -> Response:
        """Return a picture by its number in `/live`. Only the newest pictures are kept."""
        png = service.watching.pictures.png(number)
        if png is None:
            raise ServiceError("NO_PICTURE")
        return Response(png, media_type="image/png", headers={"Cache-Control": "no-store"})


def _add_plans(app: FastAPI, service: QueuedSession, reader: RecordReader) -> None:
    one_at_a_time = threading.Lock()

    @app.post(
        "/compile", responses=response_descriptions(Compiled, "TOOK_TOO_LONG", "CANNOT", *BODY)
    )
    def compile_(asked: Asked) -> Any:
        """Return the plan for a command in the last observed situation, without running it."""
        if not one_at_a_time.acquire(timeout=_COMPILE_S):
            raise ServiceError("TOOK_TOO_LONG", limit=_COMPILE_S)
        try:
            now = service.watching.situation(service.site.catalogue)
            return compile_in_situation(service.site, asked.command, service.compiler, now)
        finally:
            one_at_a_time.release()

    @app.post(
        "/llm_command", responses=response_descriptions(LlmCommandAnswer, "NO_COMMAND", *_TAKEN)
    )
    async def llm_command(asked: LlmCommandRequest) -> Any:
        """Run a command and respond after the mission, in the format of other planners."""
        if is_blank(asked.command):
            raise ServiceError("NO_COMMAND")
        booked = await asyncio.to_thread(service.submit, asked.command)
        ended = asyncio.shield(asyncio.wrap_future(booked.ended))
        try:
            outcome = await asyncio.wait_for(ended, _ANSWER_S)
        except TimeoutError:
            return running_answer(booked.mission_id, booked.command)
        stages = await asyncio.to_thread(reader.read, booked.mission_id)
        return await asyncio.to_thread(final_answer, service.site, service.journal, outcome, stages)


def _add_site(app: FastAPI, service: QueuedSession, sites: tuple[tuple[str, str], ...]) -> None:
    @app.get("/sites", responses=response_descriptions(SiteList))
    async def served() -> Any:
        """List the sites at this address, each with the path of its routes."""
        return {"sites": [{"site": name, "path": path} for name, path in sites]}

    @app.get("/site", responses=response_descriptions(SiteData))
    def site() -> Any:
        """Return the site's name and the utterances of its trees."""
        library = service.site.library
        said = [list(tree.utterances) for tree in library if tree.utterances]
        own = service.site
        return {"site": own.name, "summary": own.summary_in("en"), "utterances": said}

    @app.get("/health", responses=response_descriptions(Health, "HUNG"))
    async def health() -> Any:
        """Report that the process responds. If there is no response, restart the process."""
        if service.hung:
            raise ServiceError("HUNG", mission_id=service.hung)
        return {"status": "ok", "version": _version()}

    @app.get("/ready", responses=response_descriptions(Ready, "NOT_READY"))
    async def ready() -> Any:
        """Report whether commands can be run."""
        if trouble := service.why_unavailable():
            raise ServiceError("NOT_READY", why=trouble)
        return {
            "status": "ready",
            "site": service.site.name,
            "running": service.running_mission is not None,
            "waiting": len(service.waiting_missions),
            "held": service.held or None,
        }


def _add_login(app: FastAPI, login: Login) -> None:
    @app.post("/login", responses=response_descriptions(Health, "WRONG_TOKEN", *BODY))
    async def log_in(given: Given, request: Request) -> Response:
        """Log in with the token. The response sets a session cookie that scripts cannot read."""
        if login.is_required and not login.is_valid_token(given.token):
            await asyncio.sleep(0.5)  # slows down guessing of the token
            raise ServiceError("WRONG_TOKEN")
        response = Json({"status": "ok"})
        if login.is_required:
            key = login.log_in()
            path = request.scope.get("root_path") or "/"
            response.set_cookie(COOKIE, key, httponly=True, samesite="strict", path=path)
        return response

    @app.post(
        "/logout", responses=response_descriptions(Health, "NOT_JSON"), openapi_extra=ANY_BODY
    )
    async def log_out(request: Request) -> Response:
        """Invalidate and delete the session cookie."""
        login.log_out(request.headers.get("cookie", ""))
        response = Json({"status": "ok"})
        response.delete_cookie(COOKIE, path=request.scope.get("root_path") or "/")
        return response


def _version() -> str:
    try:
        return metadata.version("bt-exec")
    except metadata.PackageNotFoundError:
        return "0"
