"""The same picture, question and recorded exchanges give the same answer."""

import json

import pytest
import yaml

from bt_exec.cli.app import run_command_line
from bt_exec.failure import UsageError
from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_llm.turns import create
from tests.llm.turns import say
from tests.llm.turns.conftest import QUESTION


def recorded(site_file, tape, key):
    """Return the site with each model recording to a file, or replaying it."""
    data = parse_yaml(site_file.read_text())
    data["compiler"][key] = str(tape)
    for role in ("vqa", "judge"):
        data["packs"]["image"][role][key] = str(tape)
    site_file.write_text(yaml.safe_dump(data))
    return load_site(str(site_file))


def asked(site, picture):
    with Session(site, world={"image": str(picture)}, fast=True) as session:
        outcome = session.run(QUESTION["en"])
        return outcome, session.rigs["image"].services["bench"].to_dict()


def test_replay_gives_the_same_answer(models, make_site, picture, tmp_path):
    make_site(tmp_path)
    file, tape = tmp_path / "looking.yaml", tmp_path / "tape.jsonl"
    models.script(
        [say.analysis(), "gibberish", say.calls(say.SEGMENT),
         say.calls(say.CROP, say.ASK_CROPS, say.COUNT), say.final("2 are cheerful.")],
        looker=[say.each("yes", "yes", "no")], judge=[say.verdict("right", "2")],
    )  # fmt: skip
    written = file.read_text()
    first = asked(recorded(file, tape, "record"), picture)
    file.write_text(written)
    models.script(["never asked"])
    second = asked(recorded(file, tape, "replay"), picture)
    assert models.server.requests == []
    assert second[0].message == first[0].message
    assert first[0].message.startswith("2 are cheerful. There was no other way to check this.")
    assert second[1] == first[1]
    assert second[0].model_requests == first[0].model_requests == 5


def test_different_question_is_refused_with_the_first_difference(models, make_site, picture,
                                                               tmp_path):  # fmt: skip
    make_site(tmp_path)
    file, tape = tmp_path / "looking.yaml", tmp_path / "tape.jsonl"
    models.script([say.analysis(), say.final("-", "Which?")])
    written = file.read_text()
    asked(recorded(file, tape, "record"), picture)
    file.write_text(written)
    site = recorded(file, tape, "replay")
    with Session(site, world={"image": str(picture)}, fast=True) as session:
        outcome = session.run("How many sulky things are there?")
    assert (outcome.status, outcome.reason_code) == ("refused", "MODEL_REPLAY_DIFFERS")


def test_turns_scores_and_exchanges_are_recorded_and_printed(models, make_site, picture, tmp_path,
                                                      monkeypatch, capsys):  # fmt: skip
    """``ask --json`` prints the scores, ``why`` the turns; the journal contains the exchanges."""
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    make_site(tmp_path)
    models.script(
        [say.analysis(), say.calls(say.SEGMENT, say.SEPARATE),
         say.calls(say.CROP, say.VERIFY),
         say.final("There are 3.")],
        judge=[say.verdict("right", "3")],
    )  # fmt: skip
    words = [str(picture), QUESTION["en"], "--site", str(tmp_path / "looking.yaml"), "--json"]
    assert run_command_line(["ask", *words]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["judgement"]["agrees"] is None
    assert said["judgement"]["evidence_coverage"] == 0.0  # no evidence for "cheerful"
    assert 0 < said["judgement"]["reasoning"] <= 1
    assert {one["who"] for one in said["judgement"]["cross_checks"]} == {"crops", "model"}
    assert run_command_line(["why"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "There are 3." in shown
    assert "judge the answer" in shown
    kept = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    assert b"analysis_log" in kept


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"turnz": 3}, "the compiler turns has no setting 'turnz'; known: turns"),
        ({"turns": 0}, "setting 'turns' of the compiler turns"),
        ({"form": "xml"}, "setting 'form' of the compiler turns"),
        ({"first": "turns"}, "cannot be this compiler itself"),
        ({"replay": "/nowhere.jsonl"}, "cannot be read"),
    ],
)
def test_invalid_settings_are_reported(settings, says):
    with pytest.raises(UsageError) as caught:
        create(json.loads(json.dumps(settings)))
    assert says in str(caught.value)
