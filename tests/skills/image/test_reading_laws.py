"""Property tests of the reader, with all words of the pack in both languages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.language.reading.meaning_node import Node, normal_form
from bt_exec.language.reading.reader import Reading
from bt_exec.language.reading.reference_resolution import resolve_references
from bt_exec_skills.image.perception.graded_attributes import DEGREES
from bt_exec_skills.image.perception.relations import SIDES
from bt_exec_skills.image.rules.lexicon import generator, lexicon, reader
from bt_exec_skills.image.rules.meaning_to_questions import question_from_meaning
from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_plans import CannotTell, build_plan
from tests.cases import cases, examples

WORDS = lexicon()
KINDS = {name: words["kind"] for name, words in WORDS["attributes"].items()}
ADJECTIVES = sorted(name for name, kind in KINDS.items() if kind != "shape")
OPERATORS = {
    "en": {
        "not", "neither", "nor", "than", "more", "fewer", "no", "or", "least", "most",
        "except",
    },
    "ko": {"않은", "아닌", "없는", "가장", "또는", "없습니까", "이상", "이하", "초과", "미만"},
}  # fmt: skip


def node(kind, **args):
    return Node(kind, tuple(args.items()))


def has(name):
    return node("has", attribute=name)


def conjunction(parts):
    return node("and", of=tuple(parts)) if len(parts) > 1 else parts[0]


nouns = st.one_of(
    st.sampled_from(sorted(WORDS["things"])).map(lambda name: node("thing", name=name)),
    st.sampled_from(sorted(name for name, kind in KINDS.items() if kind == "shape")).map(has),
)
qualities = st.lists(st.sampled_from(ADJECTIVES), max_size=2, unique_by=KINDS.get).map(
    lambda names: [has(name) for name in names]
)
simple = st.builds(
    lambda noun, adjectives: node("np", of=conjunction([*adjectives, noun])), nouns, qualities
)
modifiers = st.one_of(
    st.sampled_from(ADJECTIVES).map(lambda name: node("not", of=(has(name),))),
    st.builds(
        lambda relation, to: node("rel", relation=relation, to=to),
        st.sampled_from(sorted(WORDS["relations"])),
        simple,
    ),
    st.builds(
        lambda relation, to: node("not", of=(node("rel", relation=relation, to=to),)),
        st.sampled_from(sorted(WORDS["relations"])),
        simple,
    ),
    st.builds(
        lambda attribute, to: node("than", attribute=attribute, to=to),
        st.sampled_from(DEGREES),
        simple,
    ),
    st.lists(st.sampled_from(ADJECTIVES), min_size=2, max_size=2, unique=True).map(
        lambda names: node("or", of=tuple(map(has, names)))
    ),
    st.builds(
        lambda row, column: node("placed", row=row, column=column),
        st.sampled_from(["top", "bottom"]),
        st.sampled_from(["left", "centre", "right"]),
    ),
    simple.map(lambda to: node("rel", relation="between", to=to)),
)
modified = st.builds(
    lambda phrase, modifier: node("np", of=conjunction([phrase.node("of"), modifier])),
    simple,
    modifiers,
)
superlatives = st.builds(
    lambda attribute, phrase, rank: node(
        "np", of=node("most", attribute=attribute, of=phrase.node("of"), **rank)
    ),
    st.sampled_from([*DEGREES, *SIDES]),
    simple,
    st.sampled_from([{}, {"rank": 2}, {"rank": 4}]),
)
phrases = st.one_of(simple, modified, superlatives)
quantities = st.builds(
    lambda bound, number: node("quantity", bound=bound, number=number),
    st.sampled_from(["at_least", "at_most", "more", "fewer", "exactly"]),
    st.integers(2, 12),
)


def ask(what, of):
    return node("ask", what=what, of=of)


questions = st.one_of(
    phrases.map(lambda phrase: ask("how_many", phrase)),
    phrases.map(lambda phrase: ask("where", phrase)),
    phrases.map(lambda phrase: ask("whether", node("exists", of=phrase))),
    st.builds(
        lambda phrase, number: ask("whether", node("exists", of=phrase.replace(quantity=number))),
        st.one_of(simple, modified),
        quantities,
    ),
    st.one_of(simple, modified).map(
        lambda phrase: ask(
            "whether",
            node("exists", of=phrase.replace(quantity=node("quantity", bound="exactly", number=0))),
        )
    ),
    phrases.map(lambda phrase: ask("what", node("aspect", name="colour", of=phrase))),
    phrases.map(lambda phrase: ask("what", node("aspect", name="writing", of=phrase))),
    st.builds(
        lambda phrase, hold: ask("whether", node("all", of=phrase, hold=hold)), simple, modifiers
    ),
    st.builds(
        lambda one, two, sign: ask("whether", node("more", of=one, to=two, sign=sign)),
        simple,
        simple,
        st.sampled_from(["more", "fewer", "as_many"]),
    ),
    st.builds(
        lambda one, two, aspect: ask("whether", node("alike", aspect=aspect, of=one, to=two)),
        simple,
        simple,
        st.sampled_from(["colour", "shape", "size"]),
    ),
    st.builds(
        lambda phrase, aspect: ask("whether", node("alike", aspect=aspect, of=phrase)),
        simple,
        st.sampled_from(["colour", "shape", "size"]),
    ),
    st.builds(
        lambda one, two: ask("how_many", node("more", of=one, to=two, sign="more")), simple, simple
    ),
).map(normal_form)  # fmt: skip
PIECES = ["은", "는", "이", "원", "안", "the", "not", "of", "빨간", "몇", "개"]
languages = st.sampled_from(["en", "ko"])


def meaning_of(text):
    found = reader().read(text)
    if not isinstance(found, Reading):
        return None
    return resolve_references(found.meaning, (), KINDS)


@settings(max_examples=examples(40), deadline=None)
@given(questions, languages)
def test_generated_sentence_is_parsed_to_its_meaning(meaning, language):
    text = generator(language).sentence(meaning)
    assert meaning_of(text) == meaning, text


@pytest.mark.slow
@settings(max_examples=cases(4000, 1200), deadline=None)
@given(questions, languages)
def test_many_generated_sentences_are_parsed_to_their_meaning(meaning, language):
    text = generator(language).sentence(meaning)
    assert meaning_of(text) == meaning, text


@settings(max_examples=examples(25), deadline=None)
@given(questions, questions, languages)
def test_two_sentences_are_two_questions_in_their_order(one, other, language):
    text = " ".join(map(generator(language).sentence, (one, other)))
    found = reader().read(text)
    both = normal_form(node("seq", of=(one, other)))
    assert isinstance(found, Reading), text
    meanings = (found.meaning, *found.rivals)
    assert both in (*meanings, *(resolve_references(one, (), KINDS) for one in meanings)), text


ORDERS = {
    "en": [
        "count the {0}, then count the {1}",
        "before you count the {1}, count the {0}",
        "count the {0} before counting the {1}",
        "once you have counted the {0}, count the {1}",
        "count the {1} after counting the {0}",
        "count the {1}, but first count the {0}",
        "count the {0} first and the {1} after that",
        "count the {1} and the {0}, the {0} first",
        "count the {0} and the {1}, but leave the {1} for last",
    ],
    "ko": [
        "{0} 개수 알려 주고 {1} 개수 알려 줘",
        "{1} 세기 전에 {0} 개수부터 알려 줘",
        "{0} 세고 나면 {1} 세어 줘",
        "{0} 다 세면 {1} 세어 줘",
        "{0} 세는 대로 {1} 세어 줘",
        "{0}부터 세고 {1} 세어 줘",
        "{1} 나중에 세고 {0} 먼저 세어 줘",
        "{1}하고 {0} 세어 줘, {0} 먼저",
    ],
}


@pytest.mark.parametrize(
    ("language", "one", "other"), [("en", "apples", "cups"), ("ko", "사과", "컵")]
)
def test_words_such_as_first_determine_the_order_of_the_questions(language, one, other):
    sentences = ORDERS[language]
    assert len({meaning_of(said.format(one, other)) for said in sentences}) == 1
    assert len({meaning_of(said.format(other, one)) for said in sentences}) == 1
    assert meaning_of(sentences[0].format(one, other)) != meaning_of(
        sentences[0].format(other, one)
    )


FRAMES = {
    "en": ["{}", "please, {}", "Hey, {}", "{} please", "  {}  ", "{}!", "so {}"],
    "ko": ["{}", "혹시 {}", "저기, {}", "  {}  ", "음 {}", "이 사진에서 {}"],
}


@settings(max_examples=examples(25), deadline=None)
@given(questions, languages, st.data())
def test_politeness_case_and_punctuation_have_no_effect(meaning, language, data):
    text = generator(language).sentence(meaning).rstrip("?")
    frame = data.draw(st.sampled_from(FRAMES[language]))
    ends = data.draw(st.sampled_from(["", "?", ".", "??"]))
    said = frame.format(data.draw(st.sampled_from([text, text.lower(), text.upper()]))) + ends
    assert meaning_of(said) == meaning, said


ENDINGS = [
    ("있습니까", ("있어", "있어요", "있나요", "있니", "있냐", "있는가요", "있는교", "있을까요")),
    ("없습니까", ("없어", "없어요", "없나요", "없니")),
    ("입니까", ("이야", "인가요", "이에요", "이죠")),
    ("같습니까", ("같아", "같아요", "같나요", "같은가요")),
    ("많습니까", ("많아", "많아요", "많나요", "많은가요")),
    ("적습니까", ("적어", "적어요", "적나요", "적은가요")),
]


@settings(max_examples=examples(25), deadline=None)
@given(questions, st.data())
def test_korean_endings_and_spacing_have_no_effect(meaning, data):
    text = generator("ko").sentence(meaning).rstrip("?")
    for formal, others in ENDINGS:
        if text.endswith(formal):
            text = text.removesuffix(formal) + data.draw(st.sampled_from(others))
    if data.draw(st.booleans()):
        words = text.split()
        place = data.draw(st.integers(0, len(words) - 1))
        text = " ".join([*words[:place], "".join(words[place : place + 2]), *words[place + 2 :]])
    assert meaning_of(text) == meaning, text


@settings(max_examples=examples(25), deadline=None)
@given(questions, languages)
def test_deleted_operator_changes_the_meaning_or_is_refused(meaning, language):
    text = generator(language).sentence(meaning).rstrip("?")
    words = text.split()
    for place, word in enumerate(words):
        if word.lower() in OPERATORS[language]:
            rest = " ".join(words[:place] + words[place + 1 :])
            assert meaning_of(rest) != meaning, rest


@settings(max_examples=examples(25), deadline=None)
@given(questions, languages, st.data())
def test_unknown_word_is_never_dropped(meaning, language, data):
    words = generator(language).sentence(meaning).rstrip("?").split()
    strange = {"en": "grumpily", "ko": "뚱하게"}[language]
    place = data.draw(st.integers(0, len(words)))
    text = " ".join([*words[:place], strange, *words[place:]])
    found = reader().read(text)
    assert not isinstance(found, Reading) or found.unknown_words, text


@settings(max_examples=examples(25), deadline=None)
@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_any_text_is_parsed_or_refused(text):
    reader().read(text)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_generator_covers_every_attribute_and_relation(language):
    for section in ("attributes", "relations", "things", "aspects"):
        for name, words in WORDS[section].items():
            assert words[language], f"{section}.{name} has no word in {language}"
    assert not re.search(
        r"\{|\}", generator(language).sentence(ask("where", node("np", of=has("red"))))
    )


exclusions = st.builds(
    lambda phrase, out: normal_form(
        node("np", of=conjunction([phrase.node("of"), node("not", of=(out,))]))
    ),
    simple,
    nouns,
)
operators = st.one_of(
    questions,
    exclusions.map(lambda phrase: ask("how_many", phrase)),
    exclusions.map(lambda phrase: ask("whether", node("exists", of=phrase))),
)
annotations = st.sampled_from(["", "apple|person", "|".join(sorted(WORDS["things"]))])
SAME_STEP = {
    "left": "left_of", "right": "right_of", "upper": "above", "lower": "below", "on": "above",
    "beside": "nearest", "outside": "overlapping", "empty": "hollow", "new": "missing",
}  # fmt: skip
BARS = node("thing", name="bar")


def computed_by(root):
    """Return the operators and names that the steps of a plan decide, each with its polarity."""
    found = set()
    for step in root["sequence"]:
        args = step["with"]
        wanted = args.get("wanted", True)
        for key in ("relation", "attribute", "row", "column", "bound", "number", "rank", "kind"):
            found.add((SAME_STEP.get(args.get(key), args.get(key)), wanted))
        found |= {(name, wanted) for name in args.get("attributes", ())}
        found |= {(name, True) for name in args.get("label", "").split("|")}
        # "empty" is decided for a plate by the relation "carrying"
        found |= {("hollow", not wanted)} if args.get("relation") == "carrying" else set()
        # a sign is a coloured region around text
        found |= {("sign", True)} if args.get("relation") == "around" else set()
        # the whole text of the picture includes that of a document
        whole = step.get("do") == "read_text" and args.get("of") == "picture"
        found |= {(name, True) for name in ("sign", "receipt", "menu", "writing") if whole}
        found |= {("shape", True)} if step.get("tree") == "from_colours" else set()
        found |= {(name, False) for name in args.get("without", "").split("|")}
    return found


def operators_of(part, wanted=True):
    """Return the parts of a meaning that a plan must decide, each with its polarity."""
    if part.kind == "not" or part.text("relation") == "outside":
        wanted = not wanted
    for key in ("name", "relation", "attribute", "row", "column", "bound", "number", "rank"):
        if part.kind != "aspect" and part.text(key):
            value = int(part.text(key)) if part.text(key).isdigit() else part.text(key)
            yield SAME_STEP.get(value, value), wanted
    for name, value in part.args:
        inner = value if isinstance(value, tuple) else (value,)
        for one in inner:
            if isinstance(one, Node):
                yield from operators_of(one, wanted or name == "to")


@settings(max_examples=examples(200), deadline=None)
@given(operators, languages, annotations)
def test_every_operator_is_computed_or_the_question_is_refused(meaning, language, names):
    facts = {"picture": "given", "annotation.names": names, "reader": "ready"}
    facts["second"] = "given"
    try:
        question = question_from_meaning(meaning, language, "")
        root = build_plan(question, language, facts)
    except (UnanswerableQuestion, CannotTell):
        return
    if BARS not in meaning.walk():  # the highest bar is the tallest one
        missing = {*operators_of(meaning)} - computed_by(root)
        assert not missing, generator(language).sentence(meaning)
