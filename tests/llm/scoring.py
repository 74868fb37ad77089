"""Scores the offline compiler on the labelled commands of tests/data/commands.

python -m tests.llm.scoring door FILE …
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

from bt_exec.evaluation.cases import Cases
from bt_exec.evaluation.run import answer_mistake, collect_answers, evaluate
from bt_exec.planning.compiler import find_compiler
from bt_exec.site import load_site
from bt_exec.spec.shipped_yaml import parse_yaml

ON_THE_WAY = frozenset({"return_home", "navigate", "summarize_mission", "talk_to_person"})


class Score(NamedTuple):
    understood: int
    asked: int
    wrong: int
    total: int
    faults: list[str]


def score(site: Any, cases: list[dict[str, Any]]) -> Score:
    labelled = Cases.model_validate({"commands": cases, "on_the_way": ON_THE_WAY})
    lines = list(collect_answers(site, labelled, {"offline": find_compiler("offline", {})}))
    faults = []
    for line in lines:
        if found := answer_mistake(labelled, line):
            faults.append(f"WRONG ({found}): {line['say']} -> {line['steps']}")
        elif line["steps"] is None and labelled.commands[line["item"]].want == "act":
            faults.append(f"refused: {line['say']} ({line['code']})")
    (found,) = evaluate(labelled, lines)
    return Score(*found.understood, *found.wrong, faults)


def main() -> None:
    site = load_site(sys.argv[1])
    for name in sys.argv[2:]:
        found = score(site, parse_yaml(Path(name).read_text(encoding="utf-8")))
        print(*found.faults, sep="\n")
        share = f"understood {found.understood} of {found.asked}"
        print(f"{name}: {share}, wrong {found.wrong} of {found.total}")


if __name__ == "__main__":
    main()
