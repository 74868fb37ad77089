"""Comparison of two pictures or two objects: answers, programs and missions."""

import cv2
import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.image import tools
from bt_exec_skills.image.mission_worlds import build_mission_worlds
from bt_exec_skills.image.perception.instances import Crop, Instance
from bt_exec_skills.image.rules.program_from_steps import build_program
from bt_exec_skills.image.rules.program_run_check import check_program
from bt_exec_skills.image.rules.question_plans import CannotTell
from bt_exec_skills.image.workbench import Bench
from tests.skills.image.asking import ask

RED, BLUE, GREEN = (200, 30, 30), (30, 60, 200), (40, 150, 60)


def scene():
    picture = np.full((240, 320, 3), 225, np.uint8)
    cv2.circle(picture, (60, 60), 30, RED, -1)
    cv2.circle(picture, (160, 60), 30, BLUE, -1)
    cv2.rectangle(picture, (220, 30), (300, 110), BLUE, -1)
    return picture


@pytest.fixture
def pair(tmp_path):
    """Return a function that writes two pictures and returns a bench with both."""

    def make(one, other, ending=".png"):
        files = tmp_path / "one.png", tmp_path / f"two{ending}"
        for file, picture in zip(files, (one, other), strict=True):
            cv2.imwrite(str(file), picture[..., ::-1])
        return Bench(files[0], second_file=files[1])

    return make


def test_identical_pictures_are_equal(pair):
    answer = ask(pair(scene(), scene()), "Are the two pictures the same?")
    assert (answer.value, answer.text) == (True, "The pictures are the same. Confidence 0.90.")


@pytest.mark.parametrize("ending", [".jpg", ".webp"])
def test_compression_is_not_a_difference(pair, ending):
    assert ask(pair(scene(), scene(), ending), "두 사진이 같아?").value is not False


def test_scaled_picture_is_not_called_different(pair):
    half = cv2.resize(scene(), (160, 120), interpolation=cv2.INTER_AREA)
    assert ask(pair(half, scene()), "두 사진이 같아?").value is not False


def test_difference_of_two_pictures_is_reported_with_its_position(pair):
    other = scene()
    cv2.circle(other, (60, 60), 31, (225, 225, 225), -1)
    cv2.rectangle(other, (250, 190), (290, 230), GREEN, -1)
    bench = pair(scene(), other)
    answer = ask(bench, "뭐가 달라?")
    assert answer.value is False
    assert answer.text.startswith("두 사진이 다릅니다 (2곳): 위 왼쪽, 아래 오른쪽.")
    assert check_program(bench, build_program(bench, "?"), "en", trusted=True).agrees is True
    boxes = sorted(one.bbox for one in bench.candidates("target").accepted_instances())
    assert np.abs(np.subtract(boxes, [(30, 30, 91, 91), (250, 190, 291, 231)])).max() <= 4


def test_faint_change_is_undecided(pair):
    other = scene()
    cv2.rectangle(other, (250, 150), (300, 200), (194, 194, 199), -1)
    answer = ask(pair(scene(), other), "What is different?")
    assert answer.value is None
    assert "perhaps only noise" in answer.text
    assert answer.confidence <= 0.5


def test_pictures_of_different_aspect_ratios_are_different(pair):
    answer = ask(pair(scene(), scene()[:100]), "What has changed?")
    assert answer.value is False


def test_comparison_requires_a_second_picture(pair):
    bench = pair(scene(), scene())
    bench.second_file = None
    with pytest.raises(CannotTell, match="SECOND_NEEDED"):
        ask(bench, "두 사진이 같아?")


@pytest.mark.parametrize(
    ("text", "value", "says"),
    [
        ("Do the blue circle and the blue square have the same colour?", True, "Yes, the same"),
        ("빨간 원과 파란 원은 색이 같아?", False, "다릅니다: 빨간 원, 파란 원 (빨간색, 파란색)."),
        ("빨간 원과 파란 원은 크기가 같아?", True, "네, 크기가 같습니다"),
        ("Is the red circle the same shape as the blue square?", False, "(circle, square)"),
        ("Does the green circle have the same colour as the red circle?", None, "None found"),
    ],
)  # fmt: skip
def test_attributes_of_two_objects_are_compared(pair, text, value, says):
    bench = pair(scene(), scene())
    answer = ask(bench, text)
    assert answer.value is value
    assert says in answer.text
    namespace = {}
    exec(build_program(bench, text), namespace)
    assert namespace["run"](str(bench.file))["answer"] is value


def test_similarity_of_slightly_different_sizes_is_undecided():
    pixels = np.zeros((9, 9, 3), np.uint8)
    crops = [
        Crop(Instance("", (0, 0, side, side), 1.0, "annotation"), pixels, np.ones((9, 9), bool))
        for side in (100, 125)
    ]
    assert tools.alike(*crops, "size").holds is None


def test_second_picture_is_accepted_only_for_a_comparison(tmp_path):
    files = [tmp_path / name for name in ("a.png", "b.png", "c.png")]
    first, second = (str(one) for one in files[:2])
    assert build_mission_worlds(files[:1], "몇 개야?") == [{"image": first}]
    assert build_mission_worlds(files[:2], "몇 개야?") == [{"image": first}, {"image": second}]
    assert build_mission_worlds(files[:2], "두 사진이 같아?") == [
        {"image": first, "second": second}
    ]
    for question in (
        "Are there more cups in the second picture?",
        "Has the cup moved?",
        "컵이 몇 개야? 두 번째 사진에서는?",
        "If the pictures differ, what has changed?",
    ):
        expected = [{"image": first, "second": second}]
        assert build_mission_worlds(files[:2], question) == expected, question
    with pytest.raises(UsageError, match="a comparison takes two pictures; found 3"):
        build_mission_worlds(files, "What is different?")
    with pytest.raises(UsageError, match="a program can only be written for one picture; found 3"):
        build_mission_worlds(files, "몇 개야?", program=tmp_path / "p.py")
    outs = [
        world["out"] for world in build_mission_worlds(files, "몇 개야?", out=tmp_path / "outs")
    ]
    assert outs[0] == str(tmp_path / "outs" / "001-a.png")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="must be a folder"):
        build_mission_worlds(files, "몇 개야?", out=tmp_path / "file")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Is a red circle missing in the second picture?", True),
        ("Is a blue circle missing in the second picture?", False),
        ("What is in the first picture but not in the second?", ["red circle"]),
        ("두 번째 사진에서 없어진 빨간 원이 있어?", True),
        ("Is anything missing in the second picture?", True),
        ("How many circles are missing in the second picture?", 1),
        ("Which squares have changed?", []),
        ("How many circles have not changed?", 1),
    ],
)
def test_objects_in_differing_regions_are_named(pair, text, places):
    other = scene()
    cv2.circle(other, (60, 60), 30, (225, 225, 225), -1)
    assert ask(pair(scene(), other), text).value == places
    if isinstance(places, list):
        assert ask(pair(scene(), scene()), text).value == []


@pytest.mark.parametrize("change", ["painted", "moved", "added"])
def test_recoloured_moved_or_added_object_is_not_missing(pair, change):
    """An object of another colour or at another place has changed, but is not missing."""
    other = scene()
    if change != "added":
        cv2.circle(other, (60, 60), 30, (225, 225, 225), -1)
    at = {"painted": (60, 60), "moved": (60, 170), "added": (60, 170)}[change]
    cv2.circle(other, at, 30, (30, 160, 60) if change == "painted" else (200, 30, 30), -1)
    for text in ("Is anything missing in the second picture?", "두 번째 사진에서 없어진 게 있어?"):
        assert not ask(pair(scene(), other), text).value
