"""Numbers of a command as arguments (repetitions, counts, durations), within their ranges."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field

from bt_exec.failure import Refusal
from bt_exec.language.meaning import Context, Turn
from bt_exec.language.messages import language_of
from bt_exec.pack import Catalogue, Pack
from bt_exec.planning.compiler import Plan, Request
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.model import Tree
from bt_exec.verify import verify_mission
from bt_exec_llm.offline import create

Rounds = Annotated[int, Field(ge=2, le=4)]
Cups = Annotated[int, Field(ge=1, le=6)]
Plot = Literal["rose", "herb"]

LEXICON = """
verbs:
  look: {en: [look around], ko: [둘러보다]}
  turn: {en: [turn], ko: [돌다]}
  boil: {en: [boil], ko: [끓이다]}
  wait: {en: [wait], ko: [대기하다]}
  water: {en: [water], ko: [급수하다]}
nouns:
  cup: {en: [cup, cups, cups of water], ko: [물]}
  drum: {en: [drum], ko: [드럼]}
values:
  Plot:
    rose: {en: [rose plot], ko: [장미밭]}
    herb: {en: [herb plot], ko: [허브밭]}
"""
TREES = (
    """
tree: rounds
utterances: [Look around., 둘러봐.]
params: {n: {type: Rounds, default: 2}}
root: {do: turn, repeat: $n}""",
    """
tree: boil
utterances: [Boil three cups., 물 세 잔 끓여.]
params: {cups: {type: Cups}}
root: {do: boil, with: {cups: $cups}}""",
    """
tree: turn_drum
utterances: [Turn the drum three times., 드럼을 세 번 돌아.]
params: {cups: {type: Cups, default: 1}}
root: {do: boil, with: {cups: $cups}}""",
    """
tree: stand_by
utterances: [Wait for 1 minute., 1분 동안 대기해.]
params: {time: {type: text, default: 10s}}
root: {do: turn, timeout: $time}""",
    """
tree: water_plot
utterances: [Water the rose plot., 장미밭을 급수해.]
params: {plot: {type: Plot}}
root: {do: turn}""",
)


@skill()
def turn() -> Steps:
    """Turn once."""
    yield Running()


@skill()
def boil(cups: Cups) -> Steps:
    """Boil water."""
    yield Running()


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kitchen")
    (folder / "lexicon.yaml").write_text(LEXICON, encoding="utf-8")
    for at, tree in enumerate(TREES):
        (folder / f"{at}.yaml").write_text(tree, encoding="utf-8")
    (folder / "trees").mkdir()
    for at in range(len(TREES)):
        (folder / f"{at}.yaml").rename(folder / "trees" / f"{at}.yaml")
    pack = Pack(
        "kitchen",
        skills=(turn, boil),
        types={"Rounds": Rounds, "Cups": Cups, "Plot": Plot},
        lexicon=folder / "lexicon.yaml",
    )
    catalogue, library = Catalogue([pack]), Library.load([folder / "trees"])
    compiler = create({})

    def answer(command: str, *before: str):
        context = Context(tuple(Turn(one) for one in before))
        language = language_of(command if any(map(str.isalpha, command)) else before[-1])
        found = compiler.compile(Request(command, language, catalogue, library, context=context))
        if isinstance(found, Plan):
            expanded = expand(found.spec, library)
            assert verify_mission(expanded, catalogue) == ()
            assert isinstance(expanded.root, Tree)
            return expanded.root
        assert isinstance(found, Refusal)
        return found

    return answer


@pytest.mark.parametrize(
    ("command", "tree", "args"),
    [
        ("look around three times", "rounds", {"n": 3}),
        ("please look around 4 times", "rounds", {"n": 4}),
        ("세 번 둘러봐", "rounds", {"n": 3}),
        ("네 번 둘러봐 주세요", "rounds", {"n": 4}),
        ("look around", "rounds", {}),
        ("boil five cups of water", "boil", {"cups": 5}),
        ("물 다섯 잔 끓여 줘", "boil", {"cups": 5}),
        ("turn the drum six times", "turn_drum", {"cups": 6}),
        ("드럼 두 번 돌아", "turn_drum", {"cups": 2}),
        ("wait for 2 minutes", "stand_by", {"time": "120s"}),
        ("30초 동안 대기해", "stand_by", {"time": "30s"}),
        ("대기해 주세요", "stand_by", {}),
        ("water the herb plot twice", "water_plot", {"plot": "herb"}),
    ],
)
def test_number_becomes_an_argument(command, tree, args, answer):
    root = answer(command)
    assert (root.tree, dict(root.args)) == (tree, args)


def test_number_arguments_set_repetitions_and_duration(answer):
    assert answer("look around three times").body.repeat == 3
    assert answer("look around").body.repeat == 2
    assert answer("세 번 둘러봐").repeat is None
    assert answer("wait for 2 minutes").body.timeout == 120.0
    assert answer("water the herb plot twice").repeat == 2


@pytest.mark.parametrize(
    ("command", "code", "part"),
    [
        ("look around five times", "OUT_OF_RANGE", "2 to 4"),
        ("look around 100 times", "OUT_OF_RANGE", "2 to 4"),
        ("다섯 번 둘러봐", "OUT_OF_RANGE", "2~4"),
        ("boil nine cups", "OUT_OF_RANGE", "1 to 6"),
        ("물 아홉 잔 끓여", "OUT_OF_RANGE", "1~6"),
        ("boil cups", "NUMBER", "1 to 6"),
        ("물 끓여", "NUMBER", "1~6"),
    ],
)
def test_number_out_of_range_is_refused_with_the_range(command, code, part, answer):
    refusal = answer(command)
    assert refusal.code == code
    assert part in refusal.message
    assert refusal.missing in (("Rounds",), ("Cups",))


@pytest.mark.parametrize(
    ("before", "command", "args"),
    [
        ("boil cups", "three", {"cups": 3}),
        ("boil cups", "3, please", {"cups": 3}),
        ("boil nine cups", "five", {"cups": 5}),
        ("look around five times", "three", {"n": 3}),
        ("look around five times", "three times", {"n": 3}),
        ("물 끓여", "세 잔", {"cups": 3}),
        ("물 끓여", "세 잔이요", {"cups": 3}),
        ("물 끓여", "3", {"cups": 3}),
        ("다섯 번 둘러봐", "네 번", {"n": 4}),
    ],
)
def test_bare_number_answers_a_question_for_a_number(before, command, args, answer):
    assert dict(answer(command, before).args) == args


@pytest.mark.parametrize(
    ("before", "command"),
    [
        ("boil cups", "seven"),
        ("boil cups", "three minutes"),
        ("boil cups", "three drums"),
        ("boil cups", "not three"),
        ("boil three cups", "for four"),
        ("look around twice", "two or three"),
        ("물 끓여", "세 시"),
    ],
)
def test_answer_that_is_not_a_single_number_is_refused(before, command, answer):
    assert isinstance(answer(command, before), Refusal)


@pytest.mark.parametrize(
    "command",
    [
        "look around between 2 and 4 times",
        "look around two or three times",
        "두세 번 둘러봐",
        "boil two or three cups",
        "boil between 2 and 4 cups",
        "look around in 2 minutes",
        "2분 뒤에 둘러봐",
        "look around for 2 minutes",
        "wait in 2 minutes",
        "2분 뒤에 대기해",
        "wait three times 2 minutes",
        "boil 2 cups 3 times 4",
        "turn the drum six cups",
        "look around three cups",
        "water three plots",
        "water the rose plot 3",
        "장미밭 세 개 급수해",
        "water the rose plot 20 times",
        "wait 5",
    ],
)
def test_number_without_parameter_is_refused(command, answer):
    assert isinstance(answer(command), Refusal)
