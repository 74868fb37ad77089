"""How long it takes to read a model's answer, as a ratio to reading as much JSON.

Every answer is as long as the server may send, or as long as is read at all, and made to be slow:
spaces behind a fence, quotes and comments that never end, thousands of fences, keys, brackets.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from bt_exec_llm.client.reading import LONGEST
from bt_exec_llm.client.settings import LARGEST_ANSWER
from bt_exec_llm.model_compiler.document import document_in

PIECES = (
    *("{", "[", '"', "'", "```\n", "<think>", "- ", "root: x\n", "{}", "\t\n", "/*", "a: b: c\n"),
    *(
        "\\",
        '\\"',
        ", ",
        ",",
        "\u00a0",
        "\u201c",
        "{},",
        " ",
        "x",
        "x: ",
        "//",
        "None ",
        "&a ",
        "--- \n",
    ),
    *("```\nroot: {}\n```\n", "root:\n - ", "hello there\n", "cannot: no\n", "\u200b", "*", "?: "),
)
AROUND = (
    "{}",
    "```{}!",
    "{{{}",
    "root: x{}!: y",
    "Sure:\n{}",
    "root: [{}",
    "root:\n{}\n- x",
    '"{}',
)
MOST_S = 0.5
"""What reading an answer of 1 MB may take on any machine that runs the executive."""


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.benchmark
def test_reading_an_answer_takes_no_longer_than_reading_json(capsys: pytest.CaptureFixture) -> None:
    document = {"root": {"sequence": [{"tree": "open_door", "with": {"arm": "left"}}] * 3000}}
    plain = json.dumps(document)
    plain = plain + " " * (LONGEST - len(plain))
    base = min(_seconds(lambda: json.loads(plain)) for _ in range(5))
    slowest, case = 0.0, ""
    for size in (LONGEST, LARGEST_ANSWER):
        for piece in PIECES:
            for around in AROUND:
                room = size - len(around)
                text = around.format(piece * (room // len(piece)))[:size]
                seconds = _seconds(lambda text=text: document_in(text))
                if seconds > slowest:
                    slowest, case = seconds, f"{size} characters of {piece!r} in {around!r}"
    good = _seconds(lambda: document_in(plain))
    with capsys.disabled():
        print(f"\nJSON of {LONGEST} characters: {base * 1000:.1f} ms")
        print(f"a good plan of that size: {good:.3f} s, {good / base:.0f} times as long")
        print(f"the slowest answer: {slowest:.3f} s, {slowest / base:.0f} times as long")
        print(f"  {case}; {MOST_S} s are allowed")
