"""Routes around a mission: maps, suggestions, the queue, downloads."""

from __future__ import annotations

import pathlib
import tempfile
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Header, Path, Query
from fastapi.responses import Response

from bt_exec.export import FORMS, exporter
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.maps import maps_of
from bt_exec.serve.mission_ids import BODY, READ, MissionId, known_mission
from bt_exec.serve.models import Maps, Moved, Place, Resume, Resumed, Suggestions
from bt_exec.serve.openapi import ANY_BODY, answers, error_answers
from bt_exec.serve.planning import suggested
from bt_exec.serve.service import Service
from bt_exec.web.guard import language_of_headers

__all__ = ["add_world_routes"]

_TYPES = {
    "jsonl": "application/x-ndjson",
    "mcap": "application/octet-stream",
    "html": "text/html; charset=utf-8",
}


def add_world_routes(app: FastAPI, service: Service) -> None:
    """Add the routes to an application."""
    word = service.site.messages.word

    @app.get("/maps", responses=answers(Maps))
    def maps() -> Any:
        """Return what was observed last, from above, for each pack that can be drawn."""
        newest = service.watching.maps.items()
        return {"maps": [{"pack": pack, **map_data} for pack, (_, map_data) in newest]}

    @app.get("/missions/{mission_id}/maps", responses=answers(Maps, *READ))
    def mission_maps(mission_id: MissionId) -> Any:
        """Return what a mission observed, from above, in order; of very long ones a selection."""
        record = service.journal.mission(known_mission(service, mission_id))
        return {"maps": maps_of(record.events, word)}

    @app.get(
        "/missions/{mission_id}/frames/{name}",
        response_class=Response,
        responses={
            200: {
                "description": "The picture.",
                "content": {"image/png": {"schema": {"type": "string", "format": "binary"}}},
            },
            **error_answers("NO_PICTURE", *READ),
        },
    )
    def frame(
        mission_id: MissionId, name: Annotated[str, Path(pattern=r"^[0-9]{1,9}\.png$")]
    ) -> Response:
        """Return a picture that was kept of a mission (`serve --frames`)."""
        folder = service.journal.frames / known_mission(service, mission_id)
        try:
            data = (folder / name).read_bytes()
        except OSError:
            raise ServiceError("NO_PICTURE") from None
        return Response(data, media_type="image/png", headers={"Cache-Control": "max-age=86400"})

    @app.get("/suggestions", responses=answers(Suggestions, "BAD_REQUEST"))
    def suggestions(accept_language: Annotated[str, Header(max_length=2000)] = "") -> Any:
        """Return commands that would be understood now, in the language of Accept-Language."""
        language = language_of_headers({"accept-language": [accept_language]})
        now = service.watching.situation()
        return {"commands": suggested(service.site, service.compiler, now, language)}

    @app.post("/queue/hold", responses=answers(Resumed, "NOT_JSON"), openapi_extra=ANY_BODY)
    def hold() -> Any:
        """Let no waiting mission begin until `POST /queue/resume`."""
        service.hold()
        return {"held": bool(service.held), "waiting": len(service.waiting)}

    @app.post("/queue/resume", responses=answers(Resumed, "INSPECT", *BODY))
    def resume(how: Resume) -> Any:
        """Let the missions begin that wait since one was stopped.

        After a stop that failed, a person must have looked at the robot: `inspected`.
        """
        held = service.resume(inspected=how.inspected)
        return {"held": held, "waiting": len(service.waiting)}

    @app.post(
        "/missions/{mission_id}/move",
        responses=answers(Moved, "NO_MISSION", "NOT_WAITING", "CANNOT", *BODY),
    )
    def move(mission_id: MissionId, place: Place) -> Any:
        """Give a waiting mission another place in the queue."""
        return {"waiting": service.move(known_mission(service, mission_id), place.to)}

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
            **error_answers(*READ),
        },
    )
    def export(
        mission_id: MissionId, form: Annotated[Literal["jsonl", "mcap", "html"], Query()] = "html"
    ) -> Response:
        """Return a mission as a file for other programs: JSON lines, MCAP (Foxglove), HTML."""
        name = known_mission(service, mission_id)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, f"{name}{FORMS[form]}")
            exporter(form)(service.journal, service.journal.mission(name), path)
            data = path.read_bytes()
        headers = {"Content-Disposition": f'attachment; filename="{path.name}"'}
        return Response(data, media_type=_TYPES[form], headers=headers)
