"""Final summary of a mission."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bt_exec.journal import record_argument
from bt_exec.mission_outcome import Outcome
from bt_exec.planning.compiler import REPLIES
from bt_exec.tui.node_text import duration_text
from bt_exec.tui.terminal_text import (
    ASCII,
    UNICODE,
    Line,
    fit,
    safe_line,
    without_code,
    without_cursor_moves,
    wrap,
)
from bt_exec.tui.view_model import ViewModel

__all__ = ["SIGNS", "old_observation_text", "summary_lines", "utterances_not_in"]

_OLD_S = 1.0
"""Age from which an observation is shown with its age [s]."""

SIGNS = {
    "satisfied": "done",
    "partial": "stopped",
    "blocked": "stopped",
    "failed": "failed",
    "refused": "skipped",
    "aborted": "stopped",
    "interrupted": "stopped",
    "damaged": "failed",
    "running": "running",
    "waiting": "",
}
"""For each mission status, the node state with the glyph and colour to show it."""


def summary_lines(
    outcome: Outcome,
    width: int,
    *,
    model: ViewModel | None = None,
    ascii: bool = False,  # noqa: A002 - the usual word for it
    commands: Sequence[str] = (),
    verbose: bool = False,
    prompt: bool = False,
) -> list[Line]:
    """Return the summary lines of a mission.

    Args:
        outcome: The outcome.
        width: Maximum width [cells].
        model: State of the mission, for the last observation; None to leave it out.
        ascii: Whether to use only ASCII signs.
        commands: Commands to suggest that query the record, such as ``why``.
        verbose: Whether to show the reason code, and tracebacks of crashes.
        prompt: Whether the suggested commands are for the prompt, without the program's name.
    """
    glyphs = ASCII if ascii else UNICODE

    translate = model.fixed_word if model is not None else safe_line

    def signed(text: str) -> str:
        return glyphs.text(text)

    style = SIGNS[outcome.status]
    head = _status_line(outcome, translate, verbose=verbose)
    if outcome.reason_code in REPLIES:  # there was no plan, so the reply is all there is to show
        return [
            line
            for part in outcome.message.split("\n")
            for line in _wrapped(safe_line(part), width, "", signed)
        ]
    lines: list[Line] = [
        (
            (f" {glyphs.states[style]} ", style),
            (fit(signed(head), width - 4, glyphs.dots), style),
        )
    ]
    for part in outcome.message.split("\n"):
        lines += _wrapped(safe_line(part), width, "", signed)
    seen = model.newest_observations_text() if model is not None else ""
    if outcome.status in ("blocked", "failed") and model is not None and seen:
        age = model.newest_observation_age(model.began + outcome.sim_seconds)
        old = "" if model.blinded else old_observation_text(age, translate)
        text = " · ".join(filter(None, (f"{translate('seen')}: {seen}", old)))
        lines += _wrapped(text, width, "dim", signed)
    for what, why in outcome.undone_in_words:
        if safe_line(what) not in safe_line(outcome.message):
            text = f"{translate('not done')}: {safe_line(what)} · {safe_line(why)}"
            lines += _wrapped(text, width, "stopped", signed)
    for problem in outcome.problems:
        text = problem if verbose else without_code(problem)
        lines += _wrapped(safe_line(text), width, "dim", signed)
    for trace in _tracebacks(outcome) if verbose else ():
        lines += [((f"   {line}", "dim"),) for line in trace]
    asked = outcome.did_you_mean or outcome.question
    if not asked and (further := utterances_not_in(outcome.message, outcome.nearest)):
        lines.append(((f"   {translate('try one of these')}:", "dim"),))
        lines += [((f"     {fit(signed(safe_line(text)), width - 6)}", ""),) for text in further]
    if outcome.record_problem:
        text = f"{translate('the record is incomplete')}: {safe_line(outcome.record_problem)}"
        lines += _wrapped(text, width, "failed", signed)
    if outcome.journal:
        record = record_argument(outcome.mission_id, None if prompt else outcome.journal)
        suggestions = [f"{'' if prompt else 'bt-exec '}{command} {record}" for command in commands]
        text = " · ".join((f"{translate('record')} {outcome.mission_id}", *suggestions))
        lines += _wrapped(text, width, "dim", signed)
    return lines


def _tracebacks(outcome: Outcome) -> list[list[str]]:
    """Return the tracebacks of crashes, each as lines that are safe to print."""
    found = (data.get("evidence", {}).get("traceback", "") for data in outcome.failures)
    return [
        [without_cursor_moves(line) for line in str(text).splitlines()] for text in found if text
    ]


def utterances_not_in(message: str, utterances: Sequence[str]) -> tuple[str, ...]:
    """Return the utterances, or none of them if `message` already contains one."""
    said = message.casefold()
    named = any(text.casefold().rstrip(".?! ") in said for text in utterances)
    return () if named else tuple(utterances)


def old_observation_text(age: float, translate: Callable[[str], str]) -> str:
    """Return the age [s] of an observation as text, such as "2.0 s old"; empty if it is current."""
    return translate(f"{duration_text(age)} old") if age >= _OLD_S else ""


def _status_line(outcome: Outcome, translate: Callable[[str], str], *, verbose: bool) -> str:
    """Return a line with status, duration and counts, and the reason code if `verbose`."""
    time = duration_text(outcome.sim_seconds)
    plain = not verbose or outcome.reason_code in ("OK", "ABORTED")
    code = "" if plain else outcome.reason_code
    if outcome.status == "refused":
        return " · ".join(filter(None, (translate("refused"), code, translate("exit 5"))))
    word = "in" if outcome.status in ("satisfied", "partial") else "after"
    status = "stopped" if outcome.status == "aborted" else outcome.status
    facts = [f"{translate(status)} {translate(f'{word} {time}')}", code]
    plans, failures = outcome.plan_version, len(outcome.failures)
    if outcome.status == "satisfied":
        recovered = translate(f"{_count(failures, 'failure')} recovered") if failures else ""
        facts.append(", ".join(filter(None, (translate(_count(plans, "plan")), recovered))))
        facts.append(translate(_count(outcome.ticks, "tick")))
    else:
        facts.append(translate(_count(plans, "plan")) if plans > 1 else "")
        facts.append(translate(f"exit {outcome.exit_code}"))
    return " · ".join(filter(None, facts))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _wrapped(text: str, width: int, style: str, signed: Callable[[str], str]) -> list[Line]:
    return [((f"   {line}", style),) for line in wrap(signed(text), width - 4)] if text else []
