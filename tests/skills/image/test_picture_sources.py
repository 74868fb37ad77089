"""Sources of pictures: files, folders, standard input, addresses, and refusals."""

import io
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from bt_exec.cli.app import run_command_line
from bt_exec.failure import UsageError
from bt_exec_skills.image import cli, picture_download, picture_sources
from bt_exec_skills.image.picture_sources import find_pictures

pytestmark = pytest.mark.sampled

ONWARD = {
    "/loop": "/loop",
    "/file": "file:///etc/passwd",
    "/inward": "http://localhost:{port}/disc.png",
    "/cloud": "http://169.254.169.254/latest/meta-data",
    "/number": "http://2130706433:{port}/disc.png",
    "/mapped": "http://[::ffff:127.0.0.1]:{port}/disc.png",
    "/moved": "/disc.png",
}


@pytest.fixture
def disc(tmp_path):
    picture = np.full((120, 160, 3), 235, np.uint8)
    cv2.circle(picture, (60, 60), 30, (30, 30, 200), -1)
    file = tmp_path / "disc.png"
    cv2.imwrite(str(file), picture)
    return file


@pytest.fixture
def server(disc):
    """Serve the picture at /disc.png, and invalid responses at other paths."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def trickle(self):
            """Send an endless header until the client disconnects."""
            try:
                while not ended.wait(0.02):
                    self.wfile.write(b"HTTP/1.0 200 OK\r\nX-Wait: yes\r\n"[:1])
            except ConnectionError:
                return

        def do_GET(self):
            kind, data, code = "image/png", disc.read_bytes(), 200
            if self.path == "/page":
                kind, data = "text/html", b"<html>"
            elif self.path == "/huge":
                data = bytes(5000)
            elif self.path == "/empty":
                data = b""
            elif self.path == "/gone":
                code = 404
            elif self.path == "/slow":
                self.trickle()
                return
            onward = ONWARD.get(self.path, "").format(port=self.server.server_address[1])
            self.send_response(302 if onward else code)
            if onward:
                self.send_header("Location", onward)
            if self.path != "/untold":
                self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            try:
                self.wfile.write(data)
            except ConnectionError:
                return

    ended = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        ended.set()
        http.shutdown()
        thread.join()


def test_pictures_are_listed_in_the_order_of_arguments_and_names(disc, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("b.JPG", "a.png", "notes.txt"):
        (folder / name).write_bytes(disc.read_bytes())
    with find_pictures([str(disc), str(folder)]) as files:
        assert [one.name for one in files] == ["disc.png", "a.png", "b.JPG"]


def test_picture_is_read_from_standard_input(disc, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(disc.read_bytes())))
    with find_pictures(["-"]) as (file,):
        assert file.read_bytes() == disc.read_bytes()
    assert not file.exists()


def test_web_address_is_fetched_only_with_permission(server, disc):
    with find_pictures([f"{server}/disc.png"], allow_net=True) as (file,):
        assert (file.name, file.read_bytes()) == ("disc.png", disc.read_bytes())
    assert not file.exists()
    with (
        pytest.raises(UsageError, match="on the network; add --allow-net"),
        find_pictures([server]),
    ):
        pass


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/page", "not a picture: its content type is text/html"),
        ("/untold", "not a picture: its content type is missing"),
        ("/gone", "cannot be fetched: .*404"),
        ("/huge", "has more than 0 MB"),
        ("/empty", "is empty"),
        ("/loop", "cannot be fetched: .*redirects"),
        ("/file", "cannot be fetched"),
        ("/inward", "leads to localhost, which is not on the public internet"),
        ("/cloud", "leads to 169.254.169.254, which is not on the public internet"),
        ("/number", "leads to 2130706433, which is not on the public internet"),
        ("/mapped", "which is not on the public internet"),
    ],
)
def test_invalid_response_is_refused(server, monkeypatch, path, says):
    monkeypatch.setattr(picture_sources, "MOST_BYTES", 4000)
    monkeypatch.setattr(picture_download, "MOST_BYTES", 4000)
    with pytest.raises(UsageError, match=says), find_pictures([server + path], allow_net=True):
        pass


def test_slow_address_times_out(server, monkeypatch):
    monkeypatch.setattr(picture_download, "_MOST_S", 0.2)
    with (
        pytest.raises(UsageError, match="took longer than 0 s"),
        find_pictures([f"{server}/slow"], allow_net=True),
    ):
        pass


def test_redirect_on_the_same_host_is_followed(server, disc):
    with find_pictures([f"{server}/moved"], allow_net=True) as (file,):
        assert file.read_bytes() == disc.read_bytes()


@pytest.mark.parametrize("path", ["/..", "/!!!", "/a/.", "/%20", "/disc.png"])
def test_picture_is_fetched_from_an_address_without_a_usable_file_name(
    server, monkeypatch, disc, path
):
    monkeypatch.setattr(picture_sources, "fetch_picture", lambda *_, **__: disc.read_bytes())
    with find_pictures([server + path], allow_net=True) as (file,):
        assert file.read_bytes() == disc.read_bytes()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("file:///etc/passwd", "only http and https"),
        ("ftp://example.com/a.png", "only http and https"),
        ("http://", "cannot be fetched"),
        ("http://[", "is not an address"),
        ("http://127.0.0.1:1/a.png", "cannot be fetched"),
    ],
)
def test_private_addresses_are_refused(name, says):
    with pytest.raises(UsageError, match=says), find_pictures([name], allow_net=True):
        pass


def test_missing_picture_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    with pytest.raises(UsageError, match="is empty; pipe a picture"), find_pictures(["-"]):
        pass
    monkeypatch.setattr(sys, "stdin", None)  # closed: <&-
    with pytest.raises(UsageError, match="is empty; pipe a picture"), find_pictures(["-"]):
        pass
    with pytest.raises(UsageError, match="contains no picture"), find_pictures([str(tmp_path)]):
        pass
    (tmp_path / "a.png").write_bytes(b"")
    monkeypatch.setattr(picture_sources, "_MOST_PICTURES", 1)
    with (
        pytest.raises(UsageError, match="2 pictures; at most 1"),
        find_pictures([str(tmp_path)] * 2),
    ):
        pass


def test_question_is_asked_about_every_picture_of_a_folder(disc, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "zz-bad.png").write_bytes(b"no picture")
    out = tmp_path / "outs"
    words = [str(disc.parent), "How many red circles are there?", "--out", str(out), "--json"]
    assert run_command_line(["ask", *words]) == 2
    said, err = capsys.readouterr()
    good, bad = json.loads(said)["answers"]
    assert good["answer"]["value"] == 1
    assert "is not a readable picture" in bad["error"]
    assert "disc.png" in err
    assert [one.name for one in out.iterdir()] == ["001-disc.png"]


def test_question_is_the_last_argument(disc, capsys):
    assert run_command_line(["ask", "How many red circles are there?", str(disc)]) == 2
    assert "the question last" in capsys.readouterr().err


def test_question_without_a_picture_is_refused(capsys):
    assert run_command_line(["ask", "How many?"]) == 2
    assert "give a picture and a question" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "says"),
    [("~nobody-of-that-name/a.png", "does not exist"), ("가" * 120, "cannot be read")],
)
def test_missing_files_are_reported(name, says, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert run_command_line(["ask", name, "How many red circles are there?"]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert "a bug of" not in said


def test_unreadable_picture_does_not_stop_the_others(disc, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    words = ["x" * 300 + ".png", str(disc), "How many red circles are there?", "--json"]
    assert run_command_line(["ask", *words]) == 2
    bad, good = json.loads(capsys.readouterr().out)["answers"]
    assert "cannot be read" in bad["error"]
    assert good["answer"]["value"] == 1


def test_invalid_output_is_refused_before_any_question(disc, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    words = ["ask", str(disc), "How many red circles are there?", "--out", "seen.gif"]
    assert run_command_line(words) == 2
    told = capsys.readouterr()
    assert "seen.gif: the name of a picture must end in one of .png, .jpg" in told.err
    assert told.out == ""


@pytest.mark.slow
def test_output_of_a_single_picture_can_be_a_folder(disc, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    seen = tmp_path / "seen"
    for _ in range(2):  # created, then found
        words = ["ask", str(disc), "How many red circles are there?", "--out", str(seen)]
        assert run_command_line([*words, "--program", str(tmp_path / "p.py")]) == 0
    assert [one.name for one in seen.iterdir()] == [f"001-{disc.stem}.png"]
    assert (tmp_path / "p.py").exists()


@pytest.mark.parametrize("option", ["--out", "--program", "--annotation"])
def test_input_is_not_overwritten(option, disc, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    before = disc.read_bytes()
    beside = tmp_path / "link.png"
    beside.symlink_to(disc)
    words = ["ask", str(disc), "How many red circles are there?", option, str(beside)]
    words += ["--out", str(beside)] if option == "--annotation" else []
    assert run_command_line(words) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert disc.read_bytes() == before


def test_ctrl_c_ends_all_questions(disc, monkeypatch):
    asked = []

    def stopped(world, *_):
        asked.append(world["image"])
        return 130, {}

    monkeypatch.setattr(cli, "_ask_about_one", stopped)
    assert run_command_line(["ask", str(disc), str(disc), "How many red circles are there?"]) == 130
    assert asked == [str(disc)]
