import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.language.reading.reader import Reader
from tests.cases import cases

PACK = {
    "things": {
        "anna": {"en": ["Anna"], "ko": ["안나"]},
        "lounge": {"en": ["lounge"], "ko": ["라운지"]},
    },
    "verbs": {
        "tell/say": {"frame": "say", "en": ["tell"], "ko": ["전하다"]},
        "ask/ask": {"frame": "ask", "en": ["ask"], "ko": ["여쭤보다"]},
        "bring/carry": {"frame": "carry", "en": ["bring"], "ko": ["가져다주다"]},
        "look/do": {"frame": "do", "en": ["check"], "ko": ["확인하다"]},
    },
}
READER = Reader([PACK])
WORDS = {
    "en": ["Tea", "isn't", "three", "o'clock", "meeting", "Bob's", "lounge", "not", "ready"],
    "ko": ["회의", "내일", "3시에", "라운지", "안", "늦게", "Bob"],
}


def quotes(text):
    reading = READER.read(text)
    return [one.text("said") for one in reading.meaning.walk() if one.kind == "quote"]


@given(words=st.lists(st.sampled_from(WORDS["en"]), min_size=1, max_size=6))
@settings(max_examples=cases(200, 20), deadline=None)
def test_english_message_is_verbatim_until_the_next_order(words):
    said = " ".join(words)
    assert quotes(f"Tell Anna that {said}") == [said]
    assert quotes(f"Tell Anna that {said}, then check the lounge") == [said]
    assert quotes(f"check the lounge and ask Anna whether {said}, please") == [f"whether {said}"]
    assert quotes(f'Tell Anna "{said} and check the lounge"') == [f"{said} and check the lounge"]


@given(words=st.lists(st.sampled_from(WORDS["ko"]), min_size=1, max_size=5))
@settings(max_examples=cases(200, 20), deadline=None)
def test_korean_message_becomes_direct_speech_and_question_is_verbatim(words):
    said = " ".join(words)
    assert quotes(f"안나께 {said} 한다고 전해") == [f"{said} 한다"]
    assert quotes(f"라운지 확인하고 안나께 {said} 하는지 여쭤봐 줘") == [f"{said} 하는지"]


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("bring Anna the blue folder", "blue folder"),
        ("bring a pencil to Anna", "pencil"),
        ("안나께 파란 서류를 가져다줘", "파란 서류"),
    ],
)
def test_noun_outside_the_lexicon_is_an_item_to_carry(text, item):
    assert quotes(text) == [item]


@pytest.mark.parametrize(
    "text", ["bring Anna the lounge", "bring Anna and", "안나께 확인하고 가져다줘"]
)
def test_words_of_the_lexicon_are_not_items_to_carry(text):
    found = READER.read(text)
    assert not hasattr(found, "meaning") or not quotes(text)
