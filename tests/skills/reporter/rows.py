"""A plan as one line: ``go lounge / see lounge light / go basecamp / tell user / sum``."""

from __future__ import annotations

from bt_exec.spec.model import Do, MissionSpec
from bt_exec_skills.reporter.query import ASPECTS, aspects_of
from bt_exec_skills.reporter.rules.steps import actions

__all__ = ["row"]


def row(spec: MissionSpec) -> str:
    """Return the actions of a plan, in order, in a few words each."""
    return " / ".join(_word(action) for action in actions(spec.root))


def _word(action: Do) -> str:
    args = action.args
    match action.do:
        case "navigate":
            return f"go {args['target']}"
        case "observe_scene":
            aspects = aspects_of(args["query"])
            what = "all" if aspects == ASPECTS else " ".join(aspects)
            return f"see {args['target']} {what}"
        case "talk_to_person":
            about = "" if args["target"] == "user" else f" <{args['topic']}>"
            return f"tell {args['target']}{about}"
        case "deliver_object":
            return f"bring {args['recipient']} <{args['object']}>"
        case "summarize_mission":
            return "sum"
    return action.do
