from __future__ import annotations

import pytest

from bt_exec.failure import RegistrationError
from bt_exec_llm.hangul import bases, split_ending

FORMS = [  # verb, -고, -니, -어, -었, -(으)면, -(으)세요, -(으)ㄹ래, -(으)ㄴ, -(으)ㅂ시다
    ("열다", "열고 여니 열어 열었 열면 여세요 열래 연 엽시다"),
    ("닫다", "닫고 닫니 닫아 닫았 닫으면 닫으세요 닫을래 닫은 닫읍시다"),
    ("가져오다", "가져오고 가져오니 가져와 가져왔 가져오면 가져오세요 가져올래 가져온 가져옵시다"),
    ("꺼내다", "꺼내고 꺼내니 꺼내 꺼냈 꺼내면 꺼내세요 꺼낼래 꺼낸 꺼냅시다"),
    ("열리다", "열리고 열리니 열려 열렸 열리면 열리세요 열릴래 열린 열립시다"),
    ("주다", "주고 주니 줘 줬 주면 주세요 줄래 준 줍시다"),
    ("놓다", "놓고 놓니 놓아 놓았 놓으면 놓으세요 놓을래 놓은 놓읍시다"),
    ("보고하다", "보고하고 보고하니 보고해 보고했 보고하면 보고하세요 보고할래 보고한 보고합시다"),
    ("쓰다", "쓰고 쓰니 써 썼 쓰면 쓰세요 쓸래 쓴 씁시다"),
    ("잠그다", "잠그고 잠그니 잠가 잠갔 잠그면 잠그세요 잠글래 잠근 잠급시다"),
    ("누르다", "누르고 누르니 눌러 눌렀 누르면 누르세요 누를래 누른 누릅시다"),
    ("줍다/ㅂ", "줍고 줍니 주워 주웠 주우면 주우세요 주울래 주운 주웁시다"),
    ("묻다/ㄷ", "묻고 묻니 물어 물었 물으면 물으세요 물을래 물은 물읍시다"),
    ("짓다/ㅅ", "짓고 짓니 지어 지었 지으면 지으세요 지을래 지은 지읍시다"),
]
NOTATIONS = "-고 -니 -어 -었 -(으)면 -(으)세요 -(으)ㄹ래 -(으)ㄴ -(으)ㅂ시다"


@pytest.mark.parametrize(("verb", "forms"), FORMS)
def test_a_verb_takes_its_endings(verb, forms):
    table = bases(verb)
    for ending, form in zip(NOTATIONS.split(), forms.split(), strict=True):
        base, rest = split_ending(ending)
        assert form in [stem + rest for stem in table[base]], ending


def test_spaces_in_verbs_and_endings_do_not_count():
    assert bases("가지고 오다")["a"][0] == "가지고와"
    assert split_ending("-고 나서") == ("stem", "고나서")


@pytest.mark.parametrize("word", ["열", "다", "open", "열어", "opening다"])
def test_what_is_no_dictionary_form_is_refused(word):
    with pytest.raises(RegistrationError, match="no dictionary form"):
        bases(word)


def test_an_ending_without_its_hyphen_is_refused():
    with pytest.raises(RegistrationError, match="no ending"):
        split_ending("고")
