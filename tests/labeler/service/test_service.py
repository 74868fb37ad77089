"""Labelling over HTTP: requests of the service, and the remote labeler."""

from __future__ import annotations

import base64
import contextlib
import json
import socketserver
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import httpx2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.failure import UsageError
from bt_exec.web.login import Login
from bt_exec.web.server import AppServer
from bt_exec_labeler.batch.budget import Budget, Ledger
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.labeler_items import Item, Role, items_of
from bt_exec_labeler.labelers import LabelerFailure, LabelerSettings, Labelled, find_labeler
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.labelers.remote import Options, RemoteLabeler
from bt_exec_labeler.plan_record import Breach
from bt_exec_labeler.service.app import make_app
from bt_exec_labeler.service.request import _jpeg_pixels, _picture_bytes, _png_pixels, item_body
from bt_exec_labeler.vocabulary import Vocabulary

TOKEN = "a-token-of-some-length"


class Knowing:
    """Labeler that recognises some moments by their pixels; replaces a model."""

    name = "knowing"

    def __init__(self, items: Sequence[Item], vocabulary: Vocabulary) -> None:
        found = RulesLabeler(vocabulary).label(items)
        self.known = {item.clip_hash: one for item, one in zip(items, found, strict=True)}
        self.asked: list[int] = []
        self.away = False

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        self.asked.append(len(items))
        if self.away:
            raise LabelerFailure("MODEL_UNREACHABLE", "nobody is there")
        none = Labelled(None, (Breach("UNSEEN", "clip", "was never seen"),))
        return [self.known.get(item.clip_hash, none) for item in items]

    def usage(self) -> Mapping[str, float]:
        return {}


@pytest.fixture(params=["planner", "controller"], scope="module")
def role(request: pytest.FixtureRequest) -> Role:
    found: Role = request.param
    return found


@pytest.fixture(scope="module")
def moments(episodes: Sequence[Episode], vocabulary: Vocabulary, role: Role) -> Sequence[Item]:
    return list(items_of(episodes[0], vocabulary, role))[::6]


@pytest.fixture(scope="module")
def knowing(moments: Sequence[Item], vocabulary: Vocabulary) -> Knowing:
    return Knowing(moments, vocabulary)


@pytest.fixture
def labeler(knowing: Knowing) -> Iterator[Knowing]:
    """Labeler of the shared service."""
    knowing.asked.clear()
    yield knowing
    knowing.away = False


@contextlib.contextmanager
def serving() -> Iterator[Callable[[Any], str]]:
    """Return a function that serves applications until the end of the test."""
    servers: list[AppServer] = []

    def begin(app: Any) -> str:
        server = AppServer(app, "127.0.0.1", 0)
        server.start()
        servers.append(server)
        return f"http://127.0.0.1:{server.port}"

    try:
        yield begin
    finally:
        for server in servers:
            server.stop()


@pytest.fixture
def serve() -> Iterator[Callable[[Any], str]]:
    with serving() as begin:
        yield begin


@pytest.fixture(scope="module")
def url(knowing: Knowing, role: Role, vocabulary: Vocabulary, game: Path) -> Iterator[str]:
    """Address of a stateless service for every test of a role."""
    with serving() as begin:
        yield begin(make_app(knowing, role, vocabulary, Login(""), "127.0.0.1", game))


def test_remote_labeler_returns_the_records_of_the_service(
    url: str, moments: Sequence[Item], vocabulary: Vocabulary, labeler: Knowing
) -> None:
    remote = RemoteLabeler(vocabulary, Options(url=url))
    found = remote.label(moments)
    assert [one.record for one in found] == [labeler.known[m.clip_hash].record for m in moments]
    assert all(one.record for one in found)
    assert remote.usage() == {"requests": 1}
    assert labeler.asked == [len(moments)]  # one batch there, too


def test_local_service_is_requested_without_a_proxy(
    url: str, moments: Sequence[Item], vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert RemoteLabeler(vocabulary, Options(url=url, retries=0)).label(moments[:1])[0].record


def test_frames_in_the_folder_of_the_service_are_found_by_name(
    url: str, moments: Sequence[Item], vocabulary: Vocabulary, labeler: Knowing
) -> None:
    item = moments[-1]
    body = dict(item_body(item, vocabulary, "en"))
    for clip in item.clips:
        body[f"{clip.form.name}_clip"] = [
            {"image": f"{item.episode.id}/{frame.name}", "t": round(frame.t - clip.t, 3)}
            for frame in clip.frames
        ]
    answer = post(url, {"items": [body]}).json()
    known = labeler.known[item.clip_hash].record
    assert known is not None
    assert answer["items"][0]["record"] == known.to_dict()


def post(url: str, body: Any) -> httpx2.Response:
    """Send a body to the service; no certificates are loaded, because that takes long."""
    return httpx2.post(f"{url}/label", json=body, verify=False)


def picture(height: int = 4, width: int = 4, kind: str = ".png") -> str:
    done, data = cv2.imencode(kind, np.zeros((height, width, 3), np.uint8))
    assert done
    name = {".png": "png", ".jpg": "jpeg"}[kind]
    return f"data:image/{name};base64,{base64.b64encode(data.tobytes()).decode()}"


GOOD = picture()


def bomb() -> str:
    """Return the header of a PNG with four billion pixels."""
    data = bytearray(base64.b64decode(GOOD.partition(",")[2]))
    data[16:24] = (65536).to_bytes(4, "big") * 2
    return f"data:image/png;base64,{base64.b64encode(bytes(data)).decode()}"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"mid_step_id": "fly"}, "UNKNOWN_MID_STEP"),
        ({"mid_step_text": "Fly to the moon."}, "OTHER_TEXT"),
        ({"recent_clip": ["../vocabulary.yaml"]}, "DAMAGED_FRAME"),
        ({"recent_clip": ["vocabulary.yaml"]}, "DAMAGED_FRAME"),
        ({"recent_clip": ["/etc/passwd"]}, "DAMAGED_FRAME"),
        ({"recent_clip": ["nowhere.png"]}, "DAMAGED_FRAME"),
        ({"recent_clip": ["a\0b.png"]}, "DAMAGED_FRAME"),
        ({"recent_clip": ["x" * 5000 + ".png"]}, "DAMAGED_FRAME"),
        ({"recent_clip": ["data:image/png;base64,????"]}, "DAMAGED_FRAME"),
        ({"recent_clip": [GOOD.replace(",", ",!")]}, "DAMAGED_FRAME"),
        ({"recent_clip": ["data:text/html,hello"]}, "DAMAGED_FRAME"),
        ({"recent_clip": ["data:image/png;base64,"]}, "DAMAGED_FRAME"),
        ({"recent_clip": [GOOD.replace("image", "text")]}, "DAMAGED_FRAME"),
        ({"recent_clip": [GOOD.replace(";base64", "")]}, "DAMAGED_FRAME"),
        ({"recent_clip": [GOOD[:-40]]}, "DAMAGED_FRAME"),
        ({"recent_clip": [picture(1, 1, ".jpg")[:-16] + "AAAA"]}, None),
        ({"recent_clip": [bomb()]}, "DAMAGED_FRAME"),
        ({"recent_clip": [{"image": GOOD, "t": 0}, {"image": GOOD, "t": -1}]}, "OUT_OF_ORDER"),
        ({"recent_clip": [GOOD, picture(5, 7, ".jpg")]}, "UNSEEN"),
    ],
)
def test_invalid_item_is_reported_and_the_others_are_labelled(
    url: str,
    moments: Sequence[Item],
    vocabulary: Vocabulary,
    change: dict[str, Any],
    code: str | None,
) -> None:
    good = item_body(moments[0], vocabulary, "ko")
    wrong = {**good, **change}
    answer = post(url, {"items": [wrong, good]})
    assert answer.status_code == 200
    first, second = answer.json()["items"]
    assert first["record"] is None
    assert code is None or code in [breach["code"] for breach in first["breaches"]]
    assert second["breaches"] == []


def test_controller_request_with_a_summary_clip_is_refused(
    url: str, moments: Sequence[Item], vocabulary: Vocabulary, role: Role
) -> None:
    body = {**item_body(moments[0], vocabulary, "en"), "summary_clip": [GOOD]}
    found = post(url, {"items": [body]}).json()["items"][0]
    codes = [breach["code"] for breach in found["breaches"]]
    assert codes == (["NO_SUMMARY"] if role == "controller" else ["UNSEEN"])


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"items": []},
        {"items": [{}]},
        {"items": [{"mid_step_id": "rest", "recent_clip": []}]},
        {"items": [{"mid_step_id": "rest", "recent_clip": [GOOD] * 9}]},
        {"items": [{"mid_step_id": "rest", "recent_clip": [{"image": GOOD, "t": 1}]}]},
        {"items": [{"mid_step_id": "rest", "recent_clip": [GOOD], "plan_id": "x"}]},
        {"items": [{"mid_step_id": "rest", "recent_clip": [GOOD]}] * 65},
        [],
        "no",
    ],
)
def test_malformed_request_is_refused(url: str, body: Any) -> None:
    answer = post(url, body)
    assert answer.status_code == 422
    assert answer.json()["problems"]


def test_problem_path_points_to_the_field_and_not_to_its_list(url: str) -> None:
    def places(*items: Any) -> list[str]:
        return [one["where"] for one in post(url, {"items": items}).json()["problems"]]

    assert places() == ["items"]
    assert places({}) == ["items.0.mid_step_id", "items.0.recent_clip"]
    late = {"mid_step_id": "rest", "recent_clip": [{"image": GOOD, "t": 1}]}
    assert "items.0.recent_clip" not in places(late)


def test_requests_without_token_are_rejected(
    serve: Callable[[Any], str],
    labeler: Knowing,
    role: Role,
    moments: Sequence[Item],
    vocabulary: Vocabulary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = serve(make_app(labeler, role, vocabulary, Login(TOKEN), "127.0.0.1"))
    monkeypatch.delenv("BT_EXEC_TOKEN", raising=False)
    with pytest.raises(LabelerFailure, match="401") as caught:
        RemoteLabeler(vocabulary, Options(url=url)).label(moments[:1])
    assert caught.value.code == "REMOTE_REFUSED"
    monkeypatch.setenv("BT_EXEC_TOKEN", TOKEN)
    found = RemoteLabeler(vocabulary, Options(url=url)).label(moments[:1])
    assert found[0].record is not None


def test_service_with_an_unavailable_model_is_retried(
    url: str, labeler: Knowing, moments: Sequence[Item], vocabulary: Vocabulary
) -> None:
    labeler.away = True
    pauses: list[float] = []
    remote = RemoteLabeler(vocabulary, Options(url=url), pauses.append)
    with pytest.raises(LabelerFailure, match="nobody is there") as caught:
        remote.label(moments[:1])
    assert (caught.value.code, pauses) == ("REMOTE_AWAY", [1.0, 2.0, 4.0])


def answering(status: int, body: bytes) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            while (await receive())["type"] != "lifespan.shutdown":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


def said(*items: Any, version: str = "plan_v1.0") -> bytes:
    return json.dumps({"schema_version": version, "items": items}).encode()


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (200, b"no", "REMOTE_FORM"),
        (200, b"[" * 100_000, "REMOTE_FORM"),
        (200, b"[]", "REMOTE_FORM"),
        (200, said(), "REMOTE_FORM"),
        (200, said({"provenance": "\ud800"}), "REMOTE_FORM"),
        (200, said({}, {}), "REMOTE_FORM"),
        (200, said({}, version="plan_v9"), "REMOTE_SCHEMA"),
        (200, b" " * 5_000_000, "REMOTE_FORM"),
        (404, b"", "REMOTE_REFUSED"),
        (500, b"", "REMOTE_AWAY"),
        (200, said(7), "breach REMOTE_FORM"),
        (200, said({}), "breach ITEM_MISSING"),
        (200, said({"record": {"plan_id": "x"}}), "breach INJECTED_FIELD"),
        (200, said({"record": None, "breaches": [{"code": "X"}, 3]}), "breach X"),
    ],
)
def test_invalid_response_of_a_service_is_refused(
    serve: Callable[[Any], str],
    items: Sequence[Item],
    vocabulary: Vocabulary,
    status: int,
    body: bytes,
    code: str,
) -> None:
    url = serve(answering(status, body))
    remote = RemoteLabeler(vocabulary, Options(url=url, retries=0))
    if code.startswith("breach "):
        found = remote.label(items[:1])[0]
        assert found.record is None
        assert found.breaches[0].code == code.removeprefix("breach ")
        return
    with pytest.raises(LabelerFailure) as caught:
        remote.label(items[:1])
    assert caught.value.code == code


def test_oversized_answer_is_not_read_completely(
    serve: Callable[[Any], str], items: Sequence[Item], vocabulary: Vocabulary
) -> None:
    url = serve(answering(200, said({"record": None}) + b" " * 5_000_000))
    with pytest.raises(LabelerFailure, match="the answer is too long"):
        RemoteLabeler(vocabulary, Options(url=url, retries=0)).label(items[:1])


def test_service_that_answers_too_late_is_reported_as_unavailable(
    items: Sequence[Item], vocabulary: Vocabulary
) -> None:
    given_up = threading.Event()
    body = said({"record": None, "breaches": [{"code": "X"}]})

    class Late(socketserver.BaseRequestHandler):
        """Server that answers when the client has given up, or after four seconds."""

        def handle(self) -> None:
            given_up.wait(4.0)
            head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\n\r\n"
            with contextlib.suppress(OSError):
                self.request.sendall(head.encode() + body)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Late) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        remote = RemoteLabeler(vocabulary, Options(url=url, retries=0, timeout_s=0.2))
        try:
            with pytest.raises(LabelerFailure) as caught:
                remote.label(items[:1])
        finally:
            given_up.set()
            server.shutdown()
    assert caught.value.code == "REMOTE_AWAY"


def test_unreachable_service_is_reported(items: Sequence[Item], vocabulary: Vocabulary) -> None:
    remote = RemoteLabeler(vocabulary, Options(url="http://127.0.0.1:9", retries=0))
    with pytest.raises(LabelerFailure) as caught:
        remote.label(items[:1])
    assert caught.value.code == "REMOTE_AWAY"


def test_remote_labeler_requires_an_address(vocabulary: Vocabulary) -> None:
    secret = {"url": "http://ann:secret@x"}  # it would be part of every record
    for options in ({}, {"url": "ftp://x"}, {"url": "http://x", "speed": 1}, secret):
        with pytest.raises(UsageError, match="the labeler remote"):
            find_labeler("remote", LabelerSettings("planner", vocabulary, options))


def test_budget_of_requests_includes_those_to_a_service(
    url: str, moments: Sequence[Item], vocabulary: Vocabulary
) -> None:
    ledger = Ledger(Budget(requests=2))
    labeler = RemoteLabeler(vocabulary, Options(url=url), allowance=ledger)
    for _ in range(2):
        assert len(labeler.label(moments[:1])) == 1
    with pytest.raises(LabelerFailure, match="budget of 2 requests is used up") as failure:
        labeler.label(moments[:1])
    assert failure.value.code == "BUDGET_SPENT"
    assert labeler.usage() == {"requests": 2}


def test_picture_outside_the_folder_of_the_service_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    for path in (tmp_path / "secret.png", tmp_path / "inside" / "shown.png"):
        cv2.imwrite(str(path), np.zeros((4, 6, 3), np.uint8))
    read = partial(_picture_bytes, folder=tmp_path / "inside")
    assert read("shown.png")
    for name in ("../secret.png", str(tmp_path / "secret.png"), "nowhere.png"):
        with pytest.raises(ValueError, match="is not a picture below the folder"):
            read(name)


@pytest.mark.parametrize("progressive", [0, 1])
def test_number_of_pixels_is_read_from_the_header(progressive: int) -> None:
    image = np.zeros((48, 64, 3), np.uint8)
    how = [cv2.IMWRITE_JPEG_PROGRESSIVE, progressive]
    jpeg = cv2.imencode(".jpg", image, how)[1].tobytes()
    png = cv2.imencode(".png", image)[1].tobytes()
    assert (_jpeg_pixels(jpeg), _png_pixels(png)) == (48 * 64, 48 * 64)
    assert (_jpeg_pixels(png), _png_pixels(jpeg)) == (0, 0)
    assert _png_pixels(png[:12] + b"IDAT" + png[16:]) == 0
    assert _png_pixels(b"\x89BMP" + png[4:]) == 0


FRAMES = [n for n in range(0xC0, 0xD0) if n not in (0xC4, 0xC8, 0xCC)]
"""Markers of frame headers, SOF0 to SOF15 (ITU-T T.81, table B.1)."""

OTHERS = [0xC4, 0xC8, 0xCC, 0xDB, 0xDD, *range(0xE0, 0xF0), 0xFE]


def segment(marker: int, content: bytes) -> bytes:
    return bytes([0xFF, marker]) + (len(content) + 2).to_bytes(2, "big") + content


@given(
    frame=st.sampled_from(FRAMES),
    before=st.lists(st.tuples(st.sampled_from(OTHERS), st.binary(max_size=300)), max_size=4),
    height=st.integers(1, 65535),
    width=st.integers(1, 65535),
)
def test_jpeg_pixel_count_comes_from_the_first_frame_header(
    frame: int, before: list[tuple[int, bytes]], height: int, width: int
) -> None:
    size = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    head = b"\xff\xd8" + b"".join(segment(*one) for one in before)
    whole = head + segment(frame, b"\x08" + size + b"\x01")
    assert _jpeg_pixels(whole) == height * width
    assert _jpeg_pixels(whole + segment(0xC0, b"\x08" + bytes(5))) == height * width
    for cut in (head, whole[: len(head) + 8], whole[1:], b""):
        assert _jpeg_pixels(cut) == 0


@given(height=st.integers(1, 2**31 - 1), width=st.integers(1, 2**31 - 1))
def test_pixel_count_of_a_png_is_read_from_its_header(height: int, width: int) -> None:
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    assert _png_pixels(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR" + size) == height * width
