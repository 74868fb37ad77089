from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from bt_exec.failure import Refusal, RegistrationError, UsageError
from bt_exec.language.messages import language_of
from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.pack import Catalogue, Pack
from bt_exec.planning.compiler import Plan, Request
from bt_exec.site.shipped_data import data_path
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Sequence
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_llm.offline import create
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.lexicon_files import extend_lexicon, load_lexicon

pytestmark = pytest.mark.sampled


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("open", ("open",)),
        ("(right|just) now", ("right now", "just now")),
        ("[go [and]] get", ("go and get", "go get", "get")),
        ("안(의|에 있는)", ("안의", "안에 있는")),
    ],
)
def test_phrase_alternatives_are_expanded(phrase, expected):
    assert set(expand_phrase(phrase)) == set(expected)


@pytest.mark.parametrize("phrase", ["(open", "open)", "a|b", "[x"])
def test_unmatched_brackets_are_rejected(phrase):
    with pytest.raises(RegistrationError, match="brackets do not match"):
        expand_phrase(phrase)


def test_too_many_alternatives_are_rejected():
    with pytest.raises(RegistrationError, match="more than 400"):
        expand_phrase("(a|b|c|d)" * 6)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("verb: {}", ":1:1: verb: there is no field 'verb' here (found verb; allowed: verbs,"),
        ("filler: {en: [2]}", ":1:15: filler/en[0]: must be text; put it into quotes (found 2)"),
        (
            "nouns:\n  door: {en: [door]}\nverbs:\n  open:\n    fr: [ouvrir]",
            ":5:5: verbs/open/fr: there is no field 'fr' here (found fr; allowed: en, ko, finds,",
        ),
        (
            "verbs: {see: {finds: looks}}",
            "'finds' must be one of these (found looks; allowed: look",
        ),
        ("ways: {tour: {about: {}}}", ":1:8: ways/tour/of: needs the field 'of'"),
        ("nouns: {door: [door]}", ":1:9: nouns/door: must be a mapping with fields (found a list)"),
        ("- open", ":1:1: must be a mapping with fields (found a list)"),
        ("{", "cannot be read as a lexicon"),
        (
            "nouns:\n  a: {en: [x]}\n  a: {en: [y]}",
            ":3:3: cannot be read as a lexicon: this key was first given on line 2",
        ),
        ("verbs: [1", ":1:8: cannot be read as a lexicon: this '[' is not closed; ']' is missing"),
    ],
)
def test_invalid_lexicon_is_reported_with_file_and_position(tmp_path, text, reason):
    path = tmp_path / "words.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RegistrationError) as error:
        load_lexicon((path,))
    assert str(path) in str(error.value)
    assert reason in str(error.value)


def test_missing_lexicon_is_reported(tmp_path):
    with pytest.raises(RegistrationError, match="cannot be read"):
        load_lexicon((tmp_path / "none.yaml",))


def _ask(command: str, tree: str, lexicon=None) -> Plan | Refusal:
    library = Library([load_text(tree)])
    catalogue = Catalogue([Pack("garden", lexicon=lexicon)])
    return create({}).compile(Request(command, language_of(command), catalogue, library))


GARDEN = """
tree: water_plants
utterances: [Water the plants., 화분에 물을 줘.]
root: {do: water}
"""


@pytest.mark.parametrize(
    "command",
    ["water the plants", "Please WATER the plants now!", "화분에 물을 줘", "지금 화분에 물을 줘."],
)
def test_tree_without_lexicon_is_selected_by_its_utterances(command):
    answer = _ask(command, GARDEN)
    assert isinstance(answer, Plan)
    assert answer.spec.root.tree == "water_plants"


@pytest.mark.parametrize(
    "command", ["don't water the plants", "water the red plants", "water", "화분에 물을 주지 마"]
)
def test_utterance_with_extra_or_missing_words_is_refused(command):
    assert isinstance(_ask(command, GARDEN), Refusal)


PLACES = """
tree: look_around
utterances: [Go to the lounge and look around., 라운지에 가서 둘러봐.]
params: {place: {type: Place}}
root: {do: look, with: {place: $place}}
"""
WORDS = """
verbs:
  go: {en: [go], ko: [가다]}
  look: {en: [look around], ko: [둘러보다, 살펴보다]}
values:
  Place:
    lounge: {en: [lounge], ko: [라운지]}
    corridor: {en: [corridor, hallway], ko: [복도]}
"""


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("go to the hallway and look around", "corridor"),
        ("Could you go to the lounge and look around?", "lounge"),
        ("복도에 가서 살펴봐 주세요", "corridor"),
        ("복도에가서둘러봐", "corridor"),
    ],
)
def test_value_in_a_phrase_fills_its_parameter(tmp_path, command, place):
    path = tmp_path / "words.yaml"
    path.write_text(WORDS, encoding="utf-8")
    answer = _ask(command, PLACES, path)
    assert isinstance(answer, Plan)
    assert dict(answer.spec.root.args) == {"place": place}


@pytest.mark.parametrize(
    "command", ["go to the kitchen and look around", "가서 둘러봐", "look around"]
)
def test_missing_value_is_not_invented(tmp_path, command):
    path = tmp_path / "words.yaml"
    path.write_text(WORDS, encoding="utf-8")
    assert isinstance(_ask(command, PLACES, path), Refusal)


LOOK = """
tree: look_at
utterances: [Look around the lounge., 라운지를 둘러봐.]
params: {place: {type: Place}}
root: {do: look, with: {place: $place}}
---
tree: visit
utterances: [Visit anna., 안나에게 가.]
params: {who: {type: Who}}
root: {do: look, with: {place: $who}}
---
tree: look_for
utterances: [Look around for anna., 안나에게 둘러봐.]
params: {who: {type: Who}}
root: {do: look, with: {place: $who}}
"""
ROUNDS = """
verbs:
  look: {en: [look around], ko: [둘러보다]}
  patrol: {en: [patrol, go on patrol], ko: [순찰하다]}
  visit: {en: [visit], ko: [가다]}
ways:
  patrol: {of: look, about: {Place: everywhere}}
values:
  Place:
    lounge: {en: [lounge], ko: [라운지]}
    attic: {en: [attic], ko: [다락]}
    everywhere: {en: [everywhere], ko: [모든 곳], each: [attic, lounge]}
  Who:
    anna: {en: [anna], ko: [안나], proxies: {en: [attic], ko: [다락]}}
lists: {Place: each}
"""


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("look around everywhere", ["attic", "lounge"]),
        ("look around the lounge and everywhere", ["lounge", "attic"]),
        ("모든 곳을 둘러봐", ["attic", "lounge"]),
        ("go on patrol", ["attic", "lounge"]),
        ("patrol the lounge", ["lounge"]),
        ("순찰해 줘", ["attic", "lounge"]),
        ("라운지를 순찰해 줘", ["lounge"]),
        ("look around the attic", ["attic"]),
        ("visit the attic", ["anna"]),
        ("다락에 가", ["anna"]),
    ],
)
def test_word_can_select_several_values_a_default_or_a_value_of_another_type(
    tmp_path, command, args
):
    path = tmp_path / "words.yaml"
    path.write_text(ROUNDS, encoding="utf-8")
    library = Library([load_text(tree) for tree in LOOK.split("---")])
    catalogue = Catalogue([Pack("garden", lexicon=path)])
    answer = create({}).compile(Request(command, language_of(command), catalogue, library))
    assert isinstance(answer, Plan), answer
    root = answer.spec.root
    nodes = root.sequence if isinstance(root, Sequence) else (root,)
    assert [value for node in nodes for value in node.args.values()] == args


def test_verb_not_listed_under_a_general_verb_does_not_match_its_utterance(tmp_path):
    path = tmp_path / "words.yaml"
    path.write_text(ROUNDS, encoding="utf-8")
    assert isinstance(_ask("look around", LOOK.split("---")[0], path), Refusal)


def test_unknown_general_verb_is_rejected(tmp_path):
    path = tmp_path / "words.yaml"
    path.write_text("verbs: {look: {}}\nways: {patrol: {of: lok}}", encoding="utf-8")
    with pytest.raises(RegistrationError) as error:
        _ask("patrol", GARDEN, path)
    assert f"{path}:2:17" in str(error.value)
    assert "found lok; allowed: look" in str(error.value)


REFERENCES = {
    "result": ("verbs: {wash: {result: clen}}\nstates: {clean: {}}", "1:16", "clen", "clean"),
    "usual": ("verbs: {wash: {usual: cop}}\nnouns: {cup: {}}", "1:16", "cop", "cup"),
    "each": ("values: {Cup: {red: {}, all: {each: [red, rad]}}}", "1:43", "rad", "red"),
    "about": (
        "values: {Cup: {red: {}}}\nverbs: {wash: {}}\nways: {scrub: {of: wash, about: {Cup: rad}}}",
        "3:34",
        "rad",
        "red",
    ),
    "text": ("verbs: {say: {}}\ntexts: {Message: {verbs: [sai]}}", "2:27", "sai", "say"),
    "closing": ("verbs: {come: {}}\nclosing: {end: {said: [com]}}", "2:24", "com", "come"),
    "inflected": ("verbs: {wash: {ko: [씻다, 씻어]}}", "1:25", "씻어", "ending in 다"),
    "inflected state": (
        "states: {clean: {ko: ['(깨끗해|맑)다', 깨끗함]}}",
        "1:35",
        "깨끗함",
        "ending in 다",
    ),
}


@pytest.mark.parametrize("case", REFERENCES)
def test_wrong_reference_is_reported_with_its_position(tmp_path, case):
    text, place, found, allowed = REFERENCES[case]
    path = tmp_path / "words.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RegistrationError) as error:
        extend_lexicon((path,), ())
    assert f"{path}:{place}" in str(error.value)
    assert found in str(error.value)
    assert allowed in str(error.value)


def test_reference_to_another_file_is_valid(tmp_path):
    verbs, ways = tmp_path / "verbs.yaml", tmp_path / "ways.yaml"
    verbs.write_text("verbs: {look: {}}", encoding="utf-8")
    ways.write_text("ways: {patrol: {of: look}}", encoding="utf-8")
    assert extend_lexicon((verbs, ways), ()).general_verb("patrol") == "look"


def test_shared_utterance_of_two_trees_is_ambiguous():
    library = Library([load_text(GARDEN), load_text(GARDEN.replace("water_plants", "water_again"))])
    answer = create({}).compile(Request("water the plants", "en", Catalogue([]), library))
    assert isinstance(answer, Refusal)
    assert answer.code == "AMBIGUOUS"


def test_unique_utterances_of_ambiguous_trees_are_offered():
    one = GARDEN.replace("utterances: [", "utterances: [Sprinkle the plants., ")
    two = GARDEN.replace("water_plants", "soak_plants")
    two = two.replace("utterances: [", "utterances: [Soak the plants., ")
    library = Library([load_text(one), load_text(two)])
    answer = create({}).compile(Request("water the plants", "en", Catalogue([]), library))
    assert isinstance(answer, Refusal)
    assert answer.code == "AMBIGUOUS"
    assert sorted(answer.did_you_mean) == ["Soak the plants", "Sprinkle the plants"]
    assert answer.question == "Which one: “sprinkle the plants” or “soak the plants”?"


def test_too_many_ambiguous_trees_are_not_offered():
    own = [
        GARDEN.replace("water_plants", f"water_{at}").replace(
            "utterances: [", f"utterances: [Go {at}., "
        )
        for at in range(5)
    ]
    library = Library(map(load_text, own))
    answer = create({}).compile(Request("water the plants", "en", Catalogue([]), library))
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.did_you_mean, answer.question) == ("AMBIGUOUS", (), "")


def test_offline_compiler_rejects_settings():
    assert create({}).name == "offline"
    with pytest.raises(UsageError, match="has no settings \\(found model\\)"):
        create({"model": "x"})


def test_shipped_lexicon_schema_is_up_to_date():
    shipped = json.loads(data_path("configs", "schema", "lexicon.schema.json").read_text("utf-8"))
    model = Lexicon.model_json_schema()
    assert {**shipped, "title": ""} == {**model, "title": "", "$schema": shipped["$schema"]}


def test_shipped_lexicons_validate_against_the_schema():
    schema = json.loads(data_path("configs", "schema", "lexicon.schema.json").read_text("utf-8"))
    validator = Draft202012Validator(schema)
    for name in ("common", "door", "reporter"):
        path = data_path("configs", "lexicon", f"{name}.yaml")
        data = parse_yaml(path.read_text(encoding="utf-8"))
        assert [error.message for error in validator.iter_errors(data)] == []
    assert list(validator.iter_errors({"verbs": {"wash": {"finds": "lok"}}}))


BEDS = """
tree: water_beds
utterances: [Water the roses with 2 litres., 장미를 2리터 적셔.]
params:
  beds: {type: Bed, many: true}
  litres: {type: integer, min: 1, max: 5, default: 1}
root: {do: water, for_each: {bed: $beds}, with: {bed: $bed, litres: $litres}}
"""
GARDEN_WORDS = """
verbs: {water: {en: [water], ko: [적시다]}}
nouns: {litre: {en: [litre, litres], ko: [리터]}}
values: {Bed: {roses: {en: [roses], ko: [장미]}, beans: {en: [beans], ko: [콩]}}}
lists: {Bed: joined}
"""


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("water the roses", {"beds": ["roses"]}),
        ("Water the roses and the beans with 3 litres.", {"beds": ["roses", "beans"], "litres": 3}),
        ("장미하고 콩을 3리터 적셔 줘", {"beds": ["roses", "beans"], "litres": 3}),
    ],
)
def test_list_parameter_gets_every_named_value(tmp_path, command, args):
    path = tmp_path / "words.yaml"
    path.write_text(GARDEN_WORDS, encoding="utf-8")
    answer = _ask(command, BEDS, path)
    assert isinstance(answer, Plan)
    assert answer.spec.root.args == args
