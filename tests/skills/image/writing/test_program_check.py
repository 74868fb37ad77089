"""Form of programs written by a model: each fault has a code, and valid programs have none."""

import pytest

from bt_exec_skills.image.rules.program_from_steps import build_program
from bt_exec_skills.image.workbench import Bench
from bt_exec_skills.image.writing.program_author import describe_role
from bt_exec_skills.image.writing.program_check import LONGEST, check_code, read_code
from tests.skills.image.asking import ask
from tests.skills.image.writing.programs import GOOD, edited


@pytest.mark.parametrize(
    "text",
    [f"```python\n{GOOD}\n```", f"```\n{GOOD}```", f"Here it is:\n```py\n{GOOD}\n```\nDone.", GOOD],
)
def test_program_is_read_with_and_without_a_fence(text):
    code, problems = read_code(text)
    assert problems == []
    assert code.strip() == GOOD.strip()
    assert check_code(code) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "NO_CODE"), ("I cannot write programs.", "NO_CODE"), ("프로그램 없음", "NO_CODE"),
        ("```python\n```", "NO_CODE"), (f"```\n{GOOD}", "BLOCK_NOT_CLOSED"),
        (f"```\n{GOOD}\n```\nor\n```\n{GOOD}\n```", "TWO_BLOCKS"),
        ("```\n" + "#" * LONGEST + "\n```", "TOO_LONG"),
    ],
)  # fmt: skip
def test_text_without_a_program_is_reported(text, code):
    found, problems = read_code(text)
    assert found is None
    assert [one.code for one in problems] == [code]


BREACHES = [
    (edited("def run(", "def ran("), "NO_RUN"),
    (edited("def run(image_path: str)", "def run()"), "WRONG_PARAMETERS"),
    (edited("def run(image_path: str)", "def run(path)"), "WRONG_PARAMETERS"),
    (edited("def run(image_path: str)", "def run(image_path, colour)"), "WRONG_PARAMETERS"),
    (edited("def run(image_path: str)", "def run(image_path, *, colour)"), "WRONG_PARAMETERS"),
    (edited('__name__ == "__main__"', "True"), "NO_MAIN"),
    (edited("def run", "def run run"), "NOT_PYTHON"),
    (edited("import sys", "import sys\0"), "NOT_PYTHON"),
    ("x = " + "(" * 3000 + ")" * 3000, "NOT_PYTHON"),
    ("x = " + "-" * 15000 + "1", "NOT_PYTHON"),
    (edited("import sys", "import sys, os"), "UNKNOWN_IMPORT"),
    (edited("import sys", "import sys\nimport subprocess"), "UNKNOWN_IMPORT"),
    (edited("import sys", "import sys\nfrom socket import socket"), "UNKNOWN_IMPORT"),
    (edited("import sys", "import sys\nimport torch"), "UNKNOWN_IMPORT"),
    (edited("import sys", "import sys\nfrom . import tools as more"), "UNKNOWN_IMPORT"),
    (edited("import sys", "import sys\nimport bt_exec_skills.image.workbench"), "UNKNOWN_IMPORT"),
    (edited("import sys", "import sys\nfrom bt_exec_skills.image.perception import segment"),
     "UNKNOWN_IMPORT"),
    (edited("    picture =", "    import requests\n    picture ="), "UNKNOWN_IMPORT"),
    (edited("tools.segment_colour", "tools.detect_red"), "UNKNOWN_TOOL"),
    (edited("import sys", "import sys\nfrom bt_exec_skills.image.tools import florence"),
     "UNKNOWN_TOOL"),
    (edited("import sys", "import sys\nfrom bt_exec_skills.image.tools import *"), "UNKNOWN_TOOL"),
    (edited("    picture =", "    open('/etc/passwd')\n    picture ="), "FORBIDDEN_NAME"),
    (edited("    picture =", "    eval('1')\n    picture ="), "FORBIDDEN_NAME"),
    (edited("    picture =", "    __import__('os')\n    picture ="), "FORBIDDEN_NAME"),
    (edited("    picture =", "    ().__class__.__bases__\n    picture ="), "FORBIDDEN_NAME"),
    (edited("    picture =", "    print('looking')\n    picture ="), "PRINTS"),
    (edited("tools.load_picture(image_path)", "image_path"), "READS_NO_PICTURE"),
    (edited('{"answer": counted.sure', '{"answer": 3'), "CONSTANT_ANSWER"),
    (edited('{"answer": counted.sure', '{"answer": False'), "CONSTANT_ANSWER"),
    (edited("    picture =", "    sys.modules['x'] = None\n    picture ="), "FORBIDDEN_NAME"),
    (edited("import sys", "import sys\nfrom sys import modules"), "FORBIDDEN_NAME"),
    (edited("import sys", "import sys\nimport sys as s"), "FORBIDDEN_NAME"),
    (edited("    picture =", "    getattr(sys, 'mod' + 'ules')\n    picture ="), "FORBIDDEN_NAME"),
    (edited("    picture =", "    tools.count = None\n    picture ="), "FORBIDDEN_NAME"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), BREACHES, ids=range(len(BREACHES)))
def test_violation_of_the_program_form_is_reported(text, code):
    assert code in [one.code for one in check_code(text)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from bt_exec_skills.image import tools", "import bt_exec_skills.image.tools as tools"),
        ("import sys", "import sys\nimport numpy as np\nfrom collections.abc import Sequence"),
        ("import sys", "import sys\nfrom bt_exec_skills.image.tools import load_picture, Crop"),
        ("def run(image_path: str)", "def run(image_path: str, least: float = 0.5)"),
        ('if __name__ == "__main__":', "if '__main__' == __name__:"),
        ("    picture =", "    if not image_path:\n        return {'answer': None}\n    picture ="),
    ],
)
def test_alternative_styles_are_accepted(old, new):
    assert check_code(edited(old, new)) == []


def test_all_violations_of_the_program_form_are_reported_at_once():
    text = edited("import sys", "import os").replace("tools.crop", "tools.cut")
    assert {"UNKNOWN_IMPORT", "UNKNOWN_TOOL"} <= {one.code for one in check_code(text)}


def test_generated_programs_satisfy_the_program_form(picture_file):
    bench = Bench(picture_file)
    for question in ("How many red circles are there?", "Where is the blue circle?",
                     "파란 원은 무슨 색이야?", "Is there a blue circle?"):  # fmt: skip
        ask(bench, question)
        assert check_code(build_program(bench, question)) == []


def test_writer_prompt_lists_every_available_function():
    for name in ("segment_colour(picture", "verify_all(crops", "## Decision", "'watershed'"):
        assert name.strip("'") in describe_role()


def test_hostile_programs_are_parsed_completely():
    """Even for the longest allowed text, the time is linear and no exception is raised."""
    shapes = ["```\n" * 4999, "`" * 19_999, "a." * 9_999 + "b", "x\n" * 9_999, "[" * 19_999]
    for text in shapes:
        code, _ = read_code(text)
        if code is not None:
            check_code(code)
        assert len(describe_role()) < 40_000
