"""A model plans for a site with a table and a door: one command for both packs."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.planning.compiler import Plan
from bt_exec.site.compile_command import compiler_of_site, first_request
from bt_exec.site.site import load_site
from tests.bt_exec.planning.table_and_door import SITE, WORLD

OPEN = "{tree: open_door}"
PUT = "{tree: move_object, with: {object: object_apple_0, to: object_red_bowl_0, side: in}}"
BOTH = f"root: {{sequence: [{PUT}, {OPEN}]}}"
NOWHERE = BOTH.replace("object_red_bowl_0", "object_red_bowl_7")


@pytest.mark.parametrize(
    "command",
    ["Put the apple in the red bowl and open the door.", "사과를 빨간 그릇에 담고 문 열어 줘"],
)
@pytest.mark.parametrize(("answers", "calls"), [([BOTH], 1), ([NOWHERE, BOTH], 2)])
def test_plan_for_both_packs_is_verified_and_needs_consent(
    scripted: Any, tmp_path: Any, command: str, answers: list[str], calls: int
) -> None:
    file = tmp_path / "table_and_door.yaml"
    file.write_text(SITE, encoding="utf-8")
    site = load_site(str(file))
    answer = compiler_of_site(scripted(answers), site).compile(first_request(site, command, WORLD))
    assert isinstance(answer, Plan), answer
    assert answer.calls == calls
    assert answer.unconfirmed
    assert answer.verified is not None
    assert [node.tree for node in answer.spec.root.sequence] == ["move_object", "open_door"]
