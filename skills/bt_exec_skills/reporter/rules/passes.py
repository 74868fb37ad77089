"""The rules of the reporter in the order in which they run; each is pure, named and idempotent.

=======================  ===========================================================================
pass                     result
=======================  ===========================================================================
no_professor             without the word in the command, no step concerns the professor
talk_only                a question about earlier missions is answered without moving
places_in_order          every place that is named is visited, in the order named
professor_first          with the word, what concerns the professor comes before all other work
go_before_looking        the robot goes to a place before it looks at it
report_is_no_failure     ``fail_and_report`` stands only where something has failed
fix_plan                 with a report keyword, the user gets a report (the document's repair)
report_last              … at the base, after all core work, and only then the summary
back_home                "there and back" without a report ends at the base
topics                   topics and queries are sentences in the language of the command
carry_on                 failed work is noted, and the mission continues to its report
=======================  ===========================================================================
"""

from __future__ import annotations

from bt_exec.planning.passes import Pass
from bt_exec_skills.reporter.rules.carry_on import carry_on
from bt_exec_skills.reporter.rules.places import go_before_looking, places_in_order, talk_only
from bt_exec_skills.reporter.rules.professor import no_professor, professor_first
from bt_exec_skills.reporter.rules.report import (
    back_home,
    fix_plan,
    report_is_no_failure,
    report_last,
)
from bt_exec_skills.reporter.rules.topics import topics

__all__ = ["PASSES"]

PASSES = (
    Pass("no_professor", no_professor),
    Pass("talk_only", talk_only),
    Pass("places_in_order", places_in_order),
    Pass("professor_first", professor_first),
    Pass("go_before_looking", go_before_looking),
    Pass("report_is_no_failure", report_is_no_failure),
    Pass("fix_plan", fix_plan),
    Pass("report_last", report_last),
    Pass("back_home", back_home),
    Pass("topics", topics),
    Pass("carry_on", carry_on),
)
"""Passes in execution order."""
