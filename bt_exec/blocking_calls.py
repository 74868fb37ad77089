"""Blocking calls within a skill, run on a worker thread while the skill yields.

A tick never waits for a network. A skill writes
``answer = yield from run_in_thread(lambda: client.ask(…))``; it yields once a tick until the call
has returned. A cancel abandons the call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from bt_exec.skill import Running, Steps

__all__ = ["run_in_thread"]

T = TypeVar("T")


def run_in_thread(work: Callable[[], T], doing: str = "waiting") -> Steps[T]:
    """Run `work` on a worker thread and return its result.

    Args:
        work: The call. It must not touch the robot.
        doing: Phase to display meanwhile.

    Raises:
        Exception: The exception that `work` raised. Exceptions that would end the process, such as
            `SystemExit`, are raised as `RuntimeError`.
    """
    answers: list[T] = []
    errors: list[Exception] = []
    done = threading.Event()

    def call() -> None:
        try:
            answers.append(work())
        except Exception as error:  # noqa: BLE001 - raised again in the skill, below
            errors.append(error)
        except BaseException as error:  # noqa: BLE001 - it ends this thread, not the mission
            what = f"{type(error).__name__}: {error}"
            errors.append(RuntimeError(f"the call tried to end the process: {what}"))
        finally:
            done.set()

    threading.Thread(target=call, name="skill-call", daemon=True).start()
    while not done.is_set():
        yield Running(None, doing)
    if errors:
        raise errors[0]
    return answers[0]
