"""Texts, lists and closings: verbatim texts, ordered values, and ends of missions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bt_exec.failure import Refusal, RegistrationError
from bt_exec.language.messages import language_of
from bt_exec.pack import Catalogue, Pack
from bt_exec.planning.compiler import Request
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Sequence
from bt_exec_llm.offline import create
from bt_exec_llm.offline.lexicon_files import extend_lexicon, load_lexicon

LEXICON = """
lists: {Room: each, Trait: joined}
closing:
  report: {said: [answer], unless: [sing]}
texts:
  Question:
    verbs: [ask]
    shape: question
    to: [Person]
  Thing:
    verbs: [bring]
    shape: noun
    to: [Person]
verbs:
  ask: {en: [ask], ko: [묻다, 물어보다]}
  bring: {en: [bring], ko: [갖다주다]}
  look: {en: [look at], ko: [보다], finds: look}
  answer: {en: [tell me], ko: [알리다], finds: tell}
  sing: {en: [sing], ko: [노래하다]}
values:
  Trait: {colour: {en: [colour], ko: [색깔]}, size: {en: [size], ko: [크기]}}
"""
TREES = [
    "tree: ask\nutterances: [Ask Anna when it is., 안나에게 언제인지 물어봐.]\n"
    "params: {who: {type: Person}, where: {type: Room}, question: {type: Question}}\n",
    "tree: bring\nutterances: [Bring Anna the cup., 안나에게 컵을 갖다줘.]\n"
    "params: {who: {type: Person}, thing: {type: Thing}}\n",
    "tree: look\nutterances: [Look at the hall., 홀을 봐., Look at the colour of the hall.,\n"
    "  홀 색깔을 봐., Tell me the colour of the hall., 홀 색깔을 알려 줘.]\n"
    "params: {room: {type: Room}, about: {type: Trait, default: all}}\n",
    "tree: sing\nutterances: [Sing., 노래해.]\n",
    "tree: report\n",
]


@skill()
def nothing() -> Steps:
    """Do nothing."""
    yield Running()


def _words(settings):
    rooms = settings["rooms"]
    return {
        "values": {
            "Room": {name: {"en": [name], "ko": [ko]} for name, ko in rooms.items()},
            "Person": {"anna": {"en": ["anna"], "ko": ["안나"], "brings": {"where": "attic"}}},
        }
    }


@pytest.fixture(scope="module")
def say(tmp_path_factory):
    """Return the trees with arguments that a command is compiled to, or the code of its refusal."""
    path = tmp_path_factory.mktemp("lexicon") / "words.yaml"
    path.write_text(LEXICON, encoding="utf-8")
    types = dict.fromkeys(("Person", "Room", "Question", "Thing", "Trait"), str)
    catalogue = Catalogue([Pack("p", skills=(nothing,), types=types, lexicon=path, words=_words)])
    library = Library([load_text(f"{tree}root: {{do: nothing}}\n") for tree in TREES])
    compiler = create({})
    settings = {"p": {"rooms": {"hall": "홀", "attic": "다락", "cellar": "지하실"}}}

    def say(command):
        request = Request(command, language_of(command), catalogue, library, settings=settings)
        answer = compiler.compile(request)
        if isinstance(answer, Refusal):
            return answer.code
        root = answer.spec.root
        nodes = root.sequence if isinstance(root, Sequence) else (root,)
        return " | ".join(
            " ".join([n.tree, *(f"{key}=<{n.args[key]}>" for key in sorted(n.args))]) for n in nodes
        )

    return say


ASK = "ask question=<{}> where=<attic> who=<anna>"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ask Anna when the hall opens", ASK.format("when the hall opens")),
        ("Ask Anna about Bob's 2nd idea, please.", ASK.format("Bob's 2nd idea")),
        (
            "ask anna what she needs and why and sing",
            ASK.format("what she needs and why") + " | sing",
        ),
        ("ask anna if she is well and tell me", ASK.format("if she is well") + " | report"),
        ("ask Anna", "NO_OBJECT"),
        ("ask when it is", "CONDITION"),
        ("안나에게 홀이 언제 열리는지 물어봐", ASK.format("홀이 언제 열리는지")),
        ("내일 회의를 안나에게 물어봐 줘", ASK.format("내일 회의")),
        ("안나에게 '뭐 해요?' 좀 물어봐", ASK.format("뭐 해요")),
        ("안나에게 마을에 대해 물어봐", ASK.format("마을")),
        ("안나에게 색깔을 물어보고 알려줘", ASK.format("색깔") + " | report"),
        ("안나에게 물어봐", "NO_OBJECT"),
        ("안나에게 언제인지 물어보지 마", "NEGATED"),
        ("bring the cup to Anna", "bring thing=<cup> who=<anna>"),
        ("bring anna the cup of tea", "bring thing=<cup of tea> who=<anna>"),
        ("안나에게 이 컵을 갖다줘", "bring thing=<컵> who=<anna>"),
        ("안나에게 춥다고 갖다줘", "NOT_UNDERSTOOD"),
    ],
)
def test_texts_in_a_command_are_copied_verbatim(command, expected, say):
    assert say(command) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("look at the hall", "look room=<hall>"),
        ("look at the hall and the cellar", "look room=<hall> | look room=<cellar>"),
        (
            "look at the attic, the hall, and the cellar",
            "look room=<attic> | look room=<hall> | look room=<cellar>",
        ),
        ("다락이랑 홀을 봐", "look room=<attic> | look room=<hall>"),
        ("홀, 다락, 홀 봐", "look room=<hall> | look room=<attic> | look room=<hall>"),
        ("홀, 홀, 다락 봐", "NOT_UNDERSTOOD"),
        ("look at the colour and size of the hall", "look about=<colour, size> room=<hall>"),
        ("홀 크기랑 색깔 봐", "look about=<size, colour> room=<hall>"),
        ("홀 크기 색깔 봐", "look about=<size, colour> room=<hall>"),
        ("look at the hall, then sing", "look room=<hall> | sing"),
    ],
)
def test_listed_values_become_several_steps_or_one_list_argument(command, expected, say):
    assert say(command) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("look at the hall and tell me", "look room=<hall> | report"),
        ("tell me the colour of the hall", "look about=<colour> room=<hall> | report"),
        ("홀을 보고 알려줘", "look room=<hall> | report"),
        ("홀 색깔 알려줘", "look about=<colour> room=<hall> | report"),
        ("홀을 보고 색깔을 알려줘", "look about=<colour> room=<hall> | report"),
        ("홀을 보고 색깔 알려줘", "look about=<colour> room=<hall> | report"),
        ("hall colour?", "look about=<colour> room=<hall> | report"),
        ("sing and tell me", "sing"),
        ("sing and look at the hall and tell me", "sing | look room=<hall> | report"),
        ("tell me", "NOT_TOGETHER"),
    ],
)
def test_closing_tree_is_added_once_as_the_last_part(command, expected, say):
    assert say(command) == expected


def test_lexicon_of_a_site_is_validated_like_a_lexicon_file(tmp_path: Path):
    empty = tmp_path / "empty.yaml"
    empty.write_text("", encoding="utf-8")
    assert extend_lexicon((empty,), ()) == load_lexicon((empty,))
    with pytest.raises(RegistrationError, match="words of p:1:2: nouns: must be a mapping"):
        extend_lexicon((empty,), (("p", json.dumps({"nouns": ["door"]})),))
