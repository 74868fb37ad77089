"""Korean inflection against a table of forms."""

from __future__ import annotations

import pytest

from bt_exec.language.reading.korean_inflection import FORMS, decompose_hangul, inflect, past_stem
from bt_exec.language.reading.lexicon import language_data

TABLE = """
빨갛다 빨갛 빨가 빨가 빨가 빨개 빨간 빨갈 빨갛습
하얗다 하얗 하야 하야 하야 하얘 하얀 하얄 하얗습
어둡다 어둡 어둡 어두우 어두우 어두워 어두운 어두울 어둡습
크다 크 크 크 크 커 큰 클 큽
작다 작 작 작으 작으 작아 작은 작을 작습
열다 열 여 열 여 열어 연 열 엽
놓다 놓 놓 놓으 놓으 놓아 놓은 놓을 놓습
하다 하 하 하 하 해 한 할 합
다르다 다르 다르 다르 다르 달라 다른 다를 다릅
보이다 보이 보이 보이 보이 보여 보인 보일 보입
듣다 듣 듣 들으 들으 들어 들은 들을 듣습
짓다 짓 짓 지으 지으 지어 지은 지을 짓습
잡다 잡 잡 잡으 잡으 잡아 잡은 잡을 잡습
보다 보 보 보 보 봐 본 볼 봅
주다 주 주 주 주 줘 준 줄 줍
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_inflect_returns_the_forms_in_the_table(row):
    word, *expected = row.split()
    found = inflect(word, language_data("ko")["classes"])
    assert [found[form][0] for form in FORMS] == expected


def test_past_stem_adds_a_final_consonant():
    assert past_stem("바뀌어") == "바뀌었"
    assert past_stem("커") == "컸"


def test_decompose_hangul_returns_letters_of_syllables():
    assert decompose_hangul("몇 a") == "ㅁㅕㅊ a"
