"""Photographs shipped by installed packages: plausible answers, or correct refusals.

Colours alone rarely separate objects in a photograph; then the answer is undecided.
"""

import importlib.util
from pathlib import Path

import pytest

from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_plans import CannotTell
from bt_exec_skills.image.workbench import Bench
from bt_exec_skills.things.detector_factory import FAINT, make_detector
from tests.skills.image.asking import ask

pytestmark = pytest.mark.sampled

SURE = 0.6
FOLDERS = {"skimage": "data", "ultralytics": "assets"}


def photograph(package, name):
    """Return a photograph of a package without importing it; skip if it is missing."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"{package} is not installed")
    file = Path(found.origin).parent / FOLDERS[package] / name
    if not file.is_file():
        pytest.skip(f"this {package} ships no {name}")
    return file


@pytest.mark.parametrize(
    ("package", "name", "text", "code"),
    [
        ("skimage", "chelsea.png", "How many cats are there?", "ANNOTATION_NEEDED"),
        ("skimage", "coins.png", "동전이 몇 개야?", "ANNOTATION_NEEDED"),
        ("skimage", "astronaut.png", "Is the woman happy?", "NEEDS_MODEL"),
        ("skimage", "rocket.jpg", "What is the rocket made of?", "NEEDS_MODEL"),
        ("ultralytics", "bus.jpg", "How many people are there?", "ANNOTATION_NEEDED"),
        ("ultralytics", "bus.jpg", "버스는 무슨 색이야?", "ANNOTATION_NEEDED"),
        ("ultralytics", "zidane.jpg", "남자가 행복해 보여?", "NEEDS_MODEL"),
    ],
)
def test_question_that_colours_cannot_answer_is_refused(package, name, text, code):
    with pytest.raises((CannotTell, UnanswerableQuestion)) as caught:
        ask(Bench(photograph(package, name)), text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("package", "name", "text", "truth"),
    [
        ("skimage", "logo.png", "Is there anything orange?", True),
        ("skimage", "logo.png", "초록색이 있어?", True),
        ("skimage", "color.png", "How many red things are there?", 1),
        ("skimage", "chelsea.png", "Is there anything green?", True),  # its eyes
        ("skimage", "coins.png", "How many things are there?", 24),
        ("skimage", "horse.png", "How many black things are there?", 1),
        ("skimage", "chessboard_RGB.png", "How many black squares are there?", 32),
        ("skimage", "moon.png", "How many green things are there?", 0),
        ("skimage", "astronaut.png", "주황색이 있어?", True),
        ("ultralytics", "bus.jpg", "Is there a blue thing?", True),
    ],
)  # fmt: skip
def test_answer_is_right_or_uncertain(package, name, text, truth):
    answer = ask(Bench(photograph(package, name)), text)
    assert answer.value == truth or answer.confidence <= SURE, answer
    assert len(answer.text) < 400  # hundreds of fragments are counted, not listed


def test_colour_is_found_although_its_objects_cannot_be_counted():
    answer = ask(Bench(photograph("skimage", "motorcycle_left.png")), "Is there anything red?")
    assert answer.value is True
    assert answer.text.startswith("Yes (red thing), but I cannot tell how many.")
    assert answer.confidence <= 0.65


@pytest.mark.slow  # similar tests of drawn signs and pages: test_text.py
def test_photograph_of_a_page_is_read():
    pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
    answer = ask(Bench(photograph("skimage", "page.png")), "What is written here?")
    assert answer.value[0] == "Region-based segmentation"
    assert "unambiguously as either object or background. Here," in answer.value
    assert answer.confidence > SURE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "name", "read"),
    [
        ("skimage", "text.png", set()),  # a handwritten formula: no word of it is invented
        ("skimage", "motorcycle_left.png", set()),  # YAMAHA, at an angle
        ("ultralytics", "zidane.jpg", set()),
        ("ultralytics", "bus.jpg", {"cero", "emisiones"}),
    ],
)
def test_text_in_a_photograph_is_read_or_undecided(package, name, read):
    pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
    answer = ask(Bench(photograph(package, name)), "사진에 뭐라고 써 있어?")
    assert read <= set(answer.value)
    assert answer.confidence <= SURE


def test_two_photographs_of_a_scene_are_not_equal():
    bench = Bench(
        photograph("skimage", "motorcycle_left.png"),
        second_file=photograph("skimage", "motorcycle_right.png"),
    )
    answer = ask(bench, "두 사진이 같아?")
    assert answer.value is False


@pytest.mark.parametrize(
    ("package", "name", "text", "truth"),
    [
        ("ultralytics", "bus.jpg", "How many people are there?", 4),
        ("ultralytics", "zidane.jpg", "사람이 몇 명이야?", 2),
        ("ultralytics", "zidane.jpg", "How many people are there?", 2),
        ("skimage", "astronaut.png", "How many people are there?", 1),
        ("skimage", "coins.png", "How many cups are there?", 0),
        ("skimage", "chelsea.png", "How many cups are there?", 0),
        ("skimage", "coffee.png", "How many cups are there?", 1),
    ],
)
def test_confident_answers_of_the_shipped_network_about_photographs_are_right(
    package, name, text, truth
):
    """The network was trained only on rendered scenes."""
    bench = Bench(photograph(package, name))
    bench.detector, bench.only_by_name = make_detector(least_score=FAINT), True
    bench.detector_names = bench.detector.names
    try:
        answer = ask(bench, text)
    except (CannotTell, UnanswerableQuestion):
        return
    assert answer.value == truth or answer.confidence <= SURE
