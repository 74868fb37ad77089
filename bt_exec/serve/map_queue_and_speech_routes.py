"""Routes for maps, suggested commands, the queue, downloads and speech."""

from __future__ import annotations

import asyncio
import base64
import email
import email.policy
import pathlib
import tempfile
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Header, Path, Query, Request
from fastapi.responses import Response

from bt_exec.export import FORMS, find_exporter
from bt_exec.language.messages import language_of
from bt_exec.models import Speech
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.models import (
    Maps,
    Moved,
    Place,
    Resume,
    Resumed,
    Spoken,
    SpokenText,
    Suggestions,
    Transcript,
    is_blank,
)
from bt_exec.serve.openapi import (
    ANY_BODY,
    BODY,
    READ,
    MissionId,
    error_descriptions,
    full_mission_id,
    response_descriptions,
)
from bt_exec.serve.pictures_and_maps import maps_of
from bt_exec.serve.queued_session import QueuedSession
from bt_exec.serve.stages_and_plan_preview import suggested_commands
from bt_exec.web.request_checks import language_of_headers

__all__ = ["add_auxiliary_routes", "add_speech_routes"]


_TYPES = {
    "jsonl": "application/x-ndjson",
    "mcap": "application/octet-stream",
    "html": "text/html; charset=utf-8",
}


def add_auxiliary_routes(app: FastAPI, service: QueuedSession) -> None:
    """Add the routes for maps, suggestions, the queue and downloads to an application."""
    word = service.site.messages.translate_word

    @app.get("/maps", responses=response_descriptions(Maps))
    def maps() -> Any:
        """Return the map of the last observation of each pack, if it can be drawn."""
        newest = service.watching.maps.items()
        return {"maps": [{"pack": pack, **map_data} for pack, (_, map_data) in newest]}

    @app.get("/missions/{mission_id}/maps", responses=response_descriptions(Maps, *READ))
    def mission_maps(mission_id: MissionId) -> Any:
        """Return the maps of a mission's observations in order; of many maps, only a selection."""
        record = service.journal.mission(full_mission_id(service, mission_id))
        return {"maps": maps_of(record.events, word)}

    @app.get(
        "/missions/{mission_id}/frames/{name}",
        response_class=Response,
        responses={
            200: {
                "description": "The picture.",
                "content": {"image/png": {"schema": {"type": "string", "format": "binary"}}},
            },
            **error_descriptions("NO_PICTURE", *READ),
        },
    )
    def frame(
        mission_id: MissionId, name: Annotated[str, Path(pattern=r"^[0-9]{1,9}\.png$")]
    ) -> Response:
        """Return a recorded picture of a mission (`serve --frames`)."""
        folder = service.journal.frames / full_mission_id(service, mission_id)
        try:
            data = (folder / name).read_bytes()
        except OSError:
            raise ServiceError("NO_PICTURE") from None
        return Response(data, media_type="image/png", headers={"Cache-Control": "max-age=86400"})

    @app.get("/suggestions", responses=response_descriptions(Suggestions, "BAD_REQUEST"))
    def suggestions(accept_language: Annotated[str, Header(max_length=2000)] = "") -> Any:
        """Return commands that would be accepted now, in the language of `Accept-Language`."""
        language = language_of_headers({"accept-language": [accept_language]})
        now = service.watching.situation(service.site.catalogue)
        return {"commands": suggested_commands(service.site, service.compiler, now, language)}

    @app.post(
        "/queue/hold", responses=response_descriptions(Resumed, "NOT_JSON"), openapi_extra=ANY_BODY
    )
    def hold() -> Any:
        """Hold all waiting missions until `POST /queue/resume`."""
        service.hold_waiting()
        return {"held": bool(service.held), "waiting": len(service.waiting_missions)}

    @app.post("/queue/resume", responses=response_descriptions(Resumed, "INSPECT", *BODY))
    def resume(how: Resume) -> Any:
        """Start the held missions.

        After a failed stop, the request is rejected unless `inspected` confirms that an operator
        has inspected the robot.
        """
        held = service.resume_queue(inspected=how.inspected)
        return {"held": held, "waiting": len(service.waiting_missions)}

    @app.post(
        "/missions/{mission_id}/move",
        responses=response_descriptions(Moved, "NO_MISSION", "NOT_WAITING", "CANNOT", *BODY),
    )
    def move(mission_id: MissionId, place: Place) -> Any:
        """Move a waiting mission to another place in the queue."""
        return {"waiting": service.move_in_queue(full_mission_id(service, mission_id), place.to)}

    @app.get(
        "/missions/{mission_id}/export",
        response_class=Response,
        responses={
            200: {
                "description": "The file.",
                "content": {
                    kind.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}}
                    for kind in _TYPES.values()
                },
            },
            **error_descriptions(*READ),
        },
    )
    def export(
        mission_id: MissionId, form: Annotated[Literal["jsonl", "mcap", "html"], Query()] = "html"
    ) -> Response:
        """Return a mission as a file in JSON lines, MCAP (for Foxglove) or HTML."""
        name = full_mission_id(service, mission_id)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, f"{name}{FORMS[form]}")
            find_exporter(form)(service.journal, service.journal.mission(name), path)
            data = path.read_bytes()
        headers = {"Content-Disposition": f'attachment; filename="{path.name}"'}
        return Response(data, media_type=_TYPES[form], headers=headers)


_FIELDS = ("audio", "file")  # form fields in order of preference
_FILE = {"type": "string", "format": "binary", "minLength": 1}
_UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "An audio file: the body itself, or the field `audio` of a form.",
        "content": {
            "application/octet-stream": {"schema": _FILE},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["audio"],
                    "properties": {"audio": _FILE},
                }
            },
        },
    }
}


def add_speech_routes(app: FastAPI, speech: Speech) -> None:
    """Add the routes for speech recognition and synthesis to an application."""
    one_at_a_time = asyncio.Lock()

    @app.post(
        "/stt",
        responses=response_descriptions(Transcript, "NO_AUDIO", "CANNOT", *BODY),
        openapi_extra=_UPLOAD,
    )
    async def stt(
        request: Request, accept_language: Annotated[str, Header(max_length=2000)] = ""
    ) -> Any:
        """Transcribe an audio file. The text is not run as a command."""
        audio = _audio_bytes(await request.body(), request.headers.get("content-type", ""))
        if not audio:
            raise ServiceError("NO_AUDIO")
        language = language_of_headers({"accept-language": [accept_language]})
        async with one_at_a_time:
            text = await asyncio.to_thread(speech.transcribe, audio, language)
        return {"status": "success", "text": text}

    @app.post("/tts", responses=response_descriptions(Spoken, "NO_TEXT", "CANNOT", *BODY))
    async def tts(asked: SpokenText) -> Any:
        """Return speech for a text as an audio file in base64; empty without a speech plugin."""
        if is_blank(asked.text):
            raise ServiceError("NO_TEXT")
        text = asked.text.strip()
        async with one_at_a_time:
            audio = await asyncio.to_thread(speech.synthesize, text, language_of(text))
        return {"status": "success", "text": text, "audio": base64.b64encode(audio).decode()}


def _audio_bytes(body: bytes, content_type: str) -> bytes:
    """Return the audio file in a form or raw body; empty if there is none."""
    if not content_type.casefold().startswith("multipart/form-data"):
        return body
    head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    form = email.message_from_bytes(head + body, policy=email.policy.HTTP)
    parts: dict[Any, bytes] = {}
    for part in form.iter_parts() if form.is_multipart() else ():
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            parts[part.get_param("name", header="content-disposition")] = content
    return next((parts[name] for name in _FIELDS if parts.get(name)), b"")
