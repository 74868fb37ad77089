"""Processor load of the live view: 200 nodes, 10 frames and 20 reports a second.

``python tests/benchmarks/bench_live_view.py`` prints the share of a core for the whole view
(events, layout, difference, terminal output) and the cost of one frame.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time

from bt_exec import events as ev
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.tui.live import LiveView
from bt_exec.tui.paint import Painter
from bt_exec.tui.view_model import ViewModel

SECONDS = 5.0
NODES = 200
STEPS = 9  # steps in each group


def mission(nodes: int) -> MissionSpec:
    lines = ["mission: {command: work, plan_version: 1}", "root:", "  sequence:"]
    for group in range(nodes // (STEPS + 1)):
        lines += [f"    - name: group {group}", "      sequence:"]
        for step in range(STEPS):
            lines.append(f"        - do: step_{group}_{step}")
            lines.append("          with: {arm: right, object_label: material}")
    document = load_text("\n".join(lines)).document
    assert isinstance(document, MissionSpec)
    return document


def drain(number: int) -> None:
    with contextlib.suppress(OSError):  # the peer has closed it
        while os.read(number, 65536):
            pass


def main() -> None:
    master, slave = os.openpty()
    os.environ.update(TERM="xterm-256color", COLUMNS="80", LINES="24")
    threading.Thread(target=drain, args=(master,), daemon=True).start()
    model = ViewModel()
    with os.fdopen(slave, "w", encoding="utf-8") as terminal:
        view = LiveView(model, Painter(terminal))
        model.on(ev.MissionStarted(0.0, 0, "m", "work", "en", "bench"))
        model.on(ev.Planned(0.0, 0, mission(NODES), 1))
        model.on(ev.NodeChanged(0.0, 0, "group 3", "running"))
        with view:
            began, cpu = time.perf_counter(), time.process_time()
            tick, path = 0, "group 3/step_3_0"
            while (t := time.perf_counter() - began) < SECONDS:
                if tick % 20 == 0:
                    model.on(ev.NodeChanged(t, tick, path, "done"))
                    path = f"group 3/step_3_{tick // 20 % STEPS}"
                    model.on(ev.NodeChanged(t, tick, path, "running"))
                model.on(ev.Progress(t, tick, path, tick % 20 / 20, "moving"))
                tick += 1
                time.sleep(max(began + tick * 0.05 - time.perf_counter(), 0))
            share = (time.process_time() - cpu) / (time.perf_counter() - began)
    print(f"live view, {NODES} nodes, {view.frames / SECONDS:.1f} frames/s: {share:.1%} of a core")
    print(f"a frame: {share * SECONDS / max(view.frames, 1) * 1e3:.2f} ms", file=sys.stdout)


if __name__ == "__main__":
    main()
