"""Programs that try to escape from the sandbox: each is contained, and leaves no process."""

import os
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_skills.image.sandbox.limits import Limits
from bt_exec_skills.image.sandbox.run import run_program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made of Linux")

CORPUS = parse_yaml(Path(__file__).with_name("escapes.yaml").read_text("utf-8"))
ALWAYS = {
    "connect to this machine", "a socket in the file system", "read a file of the user",
    "write to the picture", "kill the parent", "trace the guard", "secrets of the environment",
    "a fork bomb", "children that survive", "leave for another namespace",
    "pin the guard to one processor", "kill the guard through the owner of a pipe",
    "memory of one process", "memory while the guard is starved", "interrupt the guard",
    "limits of the guard", "another process by any call", "deaf to signals", "huge output",
    "end the process",
}  # fmt: skip
ESCAPES = [
    pytest.param(body, id=f"{kind}: {name}", marks=[] if name in ALWAYS else [pytest.mark.slow])
    for kind, some in CORPUS.items()
    for name, body in some.items()
]
SMALL = Limits(wall_s=30.0, cpu_s=5, memory_bytes=400_000_000, file_bytes=20_000_000)
MOST_TRIED_S = 20.0


@pytest.fixture(scope="module")
def room():
    """Skip the test if the kernel allows no sandbox. Programs of models are not run then."""
    ran = run_program("def run(image_path):\n    return 1\n", Path(__file__))
    if ran.ending == "not_run":
        pytest.skip(f"no sandbox on this machine: {ran.why}")


@pytest.fixture
def outside(room, tmp_path, monkeypatch):
    """Create targets outside the sandbox: a listener, a file, a socket, a variable, a process."""
    monkeypatch.setenv("BT_EXEC_SECRET", "hush")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hush")
    (tmp_path / "secret.txt").write_text("hush")
    (tmp_path / "secret_module.py").write_text("")
    image = tmp_path / "picture.png"
    image.write_bytes(b"a picture")
    path = f"/tmp/bt-exec-test-{os.getpid()}.socket"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(path)
        local.listen()
        server.settimeout(0.0)
        words = {
            "PORT": str(server.getsockname()[1]),
            "SECRET": str(tmp_path / "secret.txt"),
            "SOCKET": path,
            "PARENT": str(os.getpid()),
        }
        yield image, words, server
        Path(path).unlink()


def left_of(image):
    """Return the processes whose command contains the picture, after waiting for dying ones."""
    until = time.monotonic() + MOST_TRIED_S
    while True:
        found = []
        for file in Path("/proc").glob("[1-9]*/cmdline"):
            try:
                if str(image).encode() in file.read_bytes():
                    found.append(file.parent.name)
            except OSError:
                continue
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.02)


def test_corpus_has_the_minimum_size():
    names = {name for some in CORPUS.values() for name in some}
    assert len(names) >= 75
    assert names >= ALWAYS


@pytest.mark.parametrize(
    ("kind", "name"),
    [("network", "connect to this machine"), ("files", "read it through a link"),
     ("processes", "see other processes"), ("resources", "memory that no process holds")],
)  # fmt: skip
def test_hostile_program_escapes_without_the_sandbox(outside, monkeypatch, kind, name):
    """Shows that the programs are contained by the sandbox and not by their own errors."""
    image, words, _ = outside
    monkeypatch.chdir(image.parent)
    found = {}
    exec(program_of(CORPUS[kind][name], words), found)  # these four are harmless
    assert found["run"](str(image)) == "escaped"


def program_of(body, words):
    for word, value in words.items():
        body = body.replace(word, value)
    return "def run(image_path):\n" + "".join(f"    {line}\n" for line in body.splitlines())


@pytest.mark.parametrize("body", ESCAPES)
def test_hostile_program_is_contained_by_the_sandbox(outside, body):
    image, words, server = outside
    text = program_of(body, words)
    before = sorted(one.name for one in image.parent.iterdir())

    expected = [line.partition("ends: ")[2] for line in body.splitlines() if "# ends: " in line]
    short = replace(SMALL, wall_s=1.0) if "time" in expected else SMALL  # a busy machine is slow

    ran = run_program(text, image, limits=short)

    assert ran.isolated, ran
    assert ran.result != "escaped"
    assert ran.ending in (expected or ["failed", "returned"]), ran
    assert image.read_bytes() == b"a picture"
    assert sorted(one.name for one in image.parent.iterdir()) == before
    assert not Path("/usr/bt-exec-was-here").exists()
    with pytest.raises(BlockingIOError):
        server.accept()
    assert left_of(image) == []
