"""Client of a YAML language server, as an editor uses it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["PROGRAM", "LanguageServer"]

_NAME = "yaml-language-server"
_INSTALLED = Path(__file__).parents[3] / "build" / "npm" / "node_modules" / ".bin"
PROGRAM = shutil.which(_NAME, path=f"{_INSTALLED}{os.pathsep}{os.environ['PATH']}")
"""Path of the server, from ``build/npm`` or the PATH; None if it is not installed."""


class LanguageServer:
    """A running language server; `folder` is the workspace."""

    def __init__(self, folder: Path) -> None:
        assert PROGRAM is not None
        self._process = subprocess.Popen(
            [PROGRAM, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        where = {"processId": os.getpid(), "rootUri": folder.as_uri(), "capabilities": {}}
        self._request("initialize", where)
        self._send(method="initialized", params={})

    def __enter__(self) -> LanguageServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def diagnostics(self, files: Iterable[Path]) -> dict[Path, list[tuple[int, int, str]]]:
        """Open files; return line, column (from 1) and message of every problem of each."""
        wanted = {file.as_uri(): file for file in files}
        for uri, file in wanted.items():
            document = {"uri": uri, "languageId": "yaml", "version": 1}
            document["text"] = file.read_text(encoding="utf-8")
            self._send(method="textDocument/didOpen", params={"textDocument": document})
        found: dict[Path, list[tuple[int, int, str]]] = {}
        while len(found) < len(wanted):
            params = self._next(lambda one: "diagnostics" in one.get("params", {}))["params"]
            problems = ((one["range"]["start"], one["message"]) for one in params["diagnostics"])
            found[wanted[params["uri"]]] = sorted(
                (start["line"] + 1, start["character"] + 1, message) for start, message in problems
            )
        return found

    def completions(self, file: Path, line: int, column: int) -> set[str]:
        """Return the proposals at a place of an open file; line and column count from 1."""
        place = {"line": line - 1, "character": column - 1}
        params = {"textDocument": {"uri": file.as_uri()}, "position": place}
        answer = self._request("textDocument/completion", params)["result"]
        return {item["label"] for item in answer["items"]}

    def _request(self, method: str, params: Mapping[str, Any]) -> Any:
        self._number += 1
        number = self._number
        self._send(id=number, method=method, params=params)
        return self._next(lambda one: one.get("id") == number and "method" not in one)

    def _next(self, wanted: Callable[[Any], bool]) -> Any:
        """Return the next message for which `wanted` is true; answer requests of the server."""
        while not wanted(message := self._read()):
            if "id" in message and "method" in message:
                items = (message.get("params") or {}).get("items", ())
                self._send(id=message["id"], result=[{} for _ in items])
        return message

    def _send(self, **message: Any) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the language server has ended"
        return json.loads(self._process.stdout.read(length))
