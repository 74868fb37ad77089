"""Declare the facts of a pack: a misspelt need and an undeclared code are reported with line."""

from pathlib import Path

from bt_exec import Failed, Pack, Running, Steps, skill
from bt_exec.pack import Catalogue
from bt_exec.verify.pack_declarations import fact_problems, skill_problems


@skill(fails={"SPILT"}, needs={"jugg": "full"}, effects={"jug": "empty"})
def pour() -> Steps:
    """Pour the jug into the cup."""
    yield Running()
    raise Failed("SPILLED")


PACK = Pack("bar", skills=(pour,), facts={"jug": ("full", "empty"), "cup": ("full", "empty")})

catalogue = Catalogue([PACK])
for problem in (*fact_problems(catalogue), *skill_problems(catalogue)):
    print(f"{Path(problem.file).name}:{problem.line}: {problem.code} {problem.found}")
    print(f"    allowed: {', '.join(problem.allowed)}")

# Output:
# 28_facts_and_codes_that_are_checked.py:10: UNKNOWN_FACT jugg
#     allowed: jug, cup
# 28_facts_and_codes_that_are_checked.py:14: UNDECLARED_CODE SPILLED
#     allowed: SPILT
