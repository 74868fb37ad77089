"""What commands mean: conditions, order, variants, negation, corrections, what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.language.meaning import Meaning
from bt_exec.spec.plain_yaml import parse_yaml

TABLE: dict[str, dict[str, str]] = parse_yaml(
    Path(__file__).with_name("commands.yaml").read_text(encoding="utf-8")
)
ROWS = [(site, *row) for site, rows in TABLE.items() for row in rows.items()]


@pytest.mark.parametrize(("site", "command", "expected"), ROWS)
def test_a_command_becomes_what_it_means(site, command, expected, trees):
    assert trees(site, command) == expected


@pytest.mark.parametrize(("site", "command", "expected"), ROWS)
def test_every_word_of_what_is_understood_is_accounted_for(
    site, command, expected, compilers, request_on
):
    meaning = compilers[site].read(request_on(site, command))
    if expected.isupper():
        assert not isinstance(meaning, Meaning)
        return
    assert isinstance(meaning, Meaning)
    assert " ".join(use.text for use in meaning.words) == " ".join(command.split())
    assert all(use.use in ("role", "verb", "filler", "said") for use in meaning.words)


@pytest.mark.parametrize(
    "command",
    ["open the door " * 700, "문을 열고 " * 40 + "닫아", "open\x00the door", "문\u200b열어"],
)
def test_hostile_text_is_bounded(command, compilers, request_on):
    answer = compilers["door"].compile(request_on("door", command))
    assert len(getattr(answer, "message", "")) < 600


def test_a_refusal_says_what_was_not_understood_and_what_may_be_meant(compilers, request_on):
    answer = compilers["door"].compile(request_on("door", "fetch the materiel"))
    assert (answer.missing, answer.did_you_mean) == (("materiel",), ("fetch the material",))
    assert 0 < len(answer.nearest) <= 3
    assert answer.message.count(", ") <= 3
