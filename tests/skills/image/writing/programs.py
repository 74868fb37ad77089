"""Program as written by a competent model, and faulty variants."""

GOOD = '''"""Counts red circles."""

import sys

from bt_exec_skills.image import tools


def run(image_path: str) -> dict:
    """Return how many red circles there are."""
    picture = tools.load_picture(image_path)
    found = tools.separate_touching(tools.segment_colour(picture))
    crops = tools.crop(picture, found)
    decisions = tools.verify_all(crops, tools.start_decisions(found), ["red", "circle"])
    counted = tools.count(found, decisions)
    return {"answer": counted.sure, "unsettled": counted.unsettled}


if __name__ == "__main__":
    try:
        print(run(sys.argv[1] if len(sys.argv) > 1 else "image.png"))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
'''


def edited(old: str, new: str) -> str:
    """Return the good program with a replaced part."""
    assert old in GOOD, old
    return GOOD.replace(old, new)


def fenced(code: str) -> str:
    """Return a program in the form of a model's answer."""
    return f"```python\n{code}\n```\n"
