"""User-supplied models: settings, HTTP protocol, and validation of their answers."""

import json
import urllib.error
import urllib.request

import cv2
import numpy as np
import pytest

from bt_exec.failure import Failed, UnknownName, UsageError
from bt_exec_skills.image.models.conformance_checks import check_detector, check_picture_model
from bt_exec_skills.image.models.contracts import UNMEASURED, Reply, accepted_detections
from bt_exec_skills.image.models.http_client import create
from bt_exec_skills.image.models.http_server import serve_model
from bt_exec_skills.image.perception.vision_model_queries import Looker, make_looker
from bt_exec_skills.image.rigs import make_rig
from bt_exec_skills.image.settings import ImageSettings, PictureStart
from bt_exec_skills.perception.contracts import Detection
from tests.skills.image.asking import ask, bench_of, finish
from tests.skills.image.models.samples import ByColour, Words


@pytest.fixture
def picture():
    found = np.full((240, 320, 3), 230, np.uint8)
    cv2.circle(found, (80, 120), 40, (205, 35, 35), -1)
    return found


@pytest.fixture
def bench(picture):
    found = bench_of(picture)
    found.prompted, found.detector_names, found.only_by_name = ByColour(), ("*",), True
    return found


class Both(ByColour, Words):
    def __init__(self):
        ByColour.__init__(self)
        self.reply = Reply("There is one.", 0.8)


@pytest.mark.parametrize("text", ["How many bicycles are there?", "자전거가 몇 대야?"])
def test_confidence_of_a_prompted_detector_is_limited(bench, text):
    answer = ask(bench, text)
    assert (answer.value, bench.prompted.asked) == (1, [("bicycle",)])
    assert answer.confidence <= UNMEASURED


def test_absence_reported_by_a_prompted_detector_is_uncertain(bench):
    bench.__dict__["picture"] = np.full((90, 90, 3), 200, np.uint8)
    answer = ask(bench, "Is there a dog?")
    assert (answer.value, answer.confidence <= 0.5) == (False, True)


def test_question_about_colours_does_not_use_the_prompted_detector(bench):
    assert ask(bench, "How many red circles are there?").value == 1
    assert bench.prompted.asked == []


def test_detector_that_raises_is_a_failure_with_its_message(bench):
    class Broken(ByColour):
        def detect(self, picture, prompts):
            raise RuntimeError("no memory on the device")

    bench.prompted = Broken()
    with pytest.raises(Failed, match=r"detector failed: RuntimeError: no memory") as caught:
        ask(bench, "Is there a dog?")
    assert caught.value.code == "UNREADABLE"


def test_invalid_detections_are_dropped():
    sound = Detection("cup", (1, 1, 9, 9), 0.5)
    found = [
        sound,
        Detection("Cup", (-5, 2, 40, 9), 0.9),
        Detection("dog", (1, 1, 9, 9), 0.9),
        Detection("cup", (1, 1, 9, 9), 1.5),
        Detection("cup", (1, 1, 9, 9), True),
        Detection("cup", (1, float("nan"), 9, 9), 0.9),
        Detection("cup", (30, 30, 40, 40), 0.9),
        Detection("cup", (1, 1), 0.9),
        "cup",
    ]
    assert accepted_detections(found, ["cup"], (20, 20)) == [
        Detection("cup", (0, 2, 20, 9), 0.9), sound,
    ]  # fmt: skip
    assert accepted_detections("cup", ["cup"], (20, 20)) == []


@pytest.mark.slow
def test_served_model_implements_both_interfaces(picture):
    with serve_model(Both()) as url:
        remote = create({"url": url})
        check_detector(remote)
        check_picture_model(remote)
        assert remote.detect(picture, ["red disc"]) == ByColour().detect(picture, ["red disc"])
        assert remote.answer(picture, "빨간 원이 있어?") == Reply("There is one.", 0.8)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("detect", b"{", 400),
        ("detect", b"[]", 400),
        ("detect", b'{"prompts": "cup"}', 400),
        ("detect", b'{"prompts": ["cup"], "picture": "?"}', 400),
        ("answer", b'{"question": 7}', 400),
        ("other", b"{}", 404),
    ],
)
def test_malformed_request_is_refused_with_reason(path, body, status):
    headers = {"Content-Type": "application/json"}
    with serve_model(Both()) as url, pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(urllib.request.Request(f"{url}/{path}", body, headers), timeout=10)
    assert caught.value.code == status
    assert json.loads(caught.value.read())["error"]
    caught.value.close()


def test_unreachable_or_invalid_server_is_reported(picture):
    with serve_model(ByColour()) as url:
        pass
    with pytest.raises(UsageError, match="cannot be reached"):
        create({"url": url, "timeout_s": 2}).detect(picture, ["cup"])
    with serve_model(ByColour()) as url, pytest.raises(UsageError, match="cannot be reached"):
        create({"url": url}).answer(picture, "Is there a cup?")  # it cannot answer


@pytest.mark.parametrize("settings", [{}, {"url": "ftp://x"}, {"url": "http://x", "key": 1}])
def test_invalid_settings_of_a_remote_model_are_reported(settings):
    with pytest.raises(UsageError, match=r"the model remote(:| has no setting 'key')"):
        create(settings)


def test_site_selects_its_detector_and_model(picture, tmp_path):
    file = tmp_path / "picture.png"
    cv2.imwrite(str(file), picture[..., ::-1])
    with serve_model(Both()) as url:
        brought = {"name": "remote", "url": url}
        settings = ImageSettings(robot="none", detector=brought, vqa=brought)
        rig = make_rig(settings, PictureStart(image=str(file)))
        answer = ask(rig.services["bench"], "Is there a tomato?")
        assert (answer.value, answer.confidence <= UNMEASURED) == (True, True)
        look = finish(rig.services["looker"].ask_whole_picture(picture, "Is it safe?", "en"))
    assert (look.answer, look.confidence) == ("There is one.", UNMEASURED)


def test_unknown_detector_and_model_names_are_refused():
    with pytest.raises(UnknownName, match="remote"):
        make_rig(ImageSettings(robot="none", detector={"name": "owl"}), PictureStart())
    with pytest.raises(UsageError, match="detector needs a name"):
        make_rig(ImageSettings(robot="none", detector={"url": "http://x"}), PictureStart())
    with pytest.raises(UnknownName, match="claude"):
        make_looker({"name": "owl"}, None)


@pytest.mark.parametrize(
    ("said", "holds"), [("Yes.", True), ("No, it is blue.", False), ("네.", True), ("A dog", None)]
)
def test_text_model_decides_each_crop(picture, said, holds):
    model = Words(said)
    found = finish(Looker(model).ask_each_crop([picture, picture[:50]], "Is it red?"))
    assert [one.holds for one in found] == [holds, holds]
    assert model.asked == [(picture.shape, "Is it red?"), ((50, 320, 3), "Is it red?")]
    assert all(one.confidence <= UNMEASURED for one in found)


def test_model_that_raises_or_is_silent_is_a_failure(picture):
    with pytest.raises(Failed, match="no answer"):
        finish(Looker(Words("")).ask_whole_picture(picture, "What is it?", "en"))
    broken = Words("x")
    del broken.reply
    with pytest.raises(Failed, match="AttributeError"):
        finish(Looker(broken).ask_whole_picture(picture, "What is it?", "en"))
