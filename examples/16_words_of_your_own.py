"""Define twenty words in two languages, and compile commands in all their forms.

An author names things once. The grammar adds endings, politeness, order, lists, conditions and
corrections; this file contains no code about language.
"""

import tempfile
from pathlib import Path
from typing import Literal

from bt_exec import Catalogue, Pack, Running, Steps, Verdict, condition, skill
from bt_exec.failure import Refusal
from bt_exec.language.messages import language_of
from bt_exec.planning.compiler import Request, find_compiler
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.library import Library

Crop = Literal["tomato", "lettuce", "strawberry", "herb"]


@skill
def water(crop: Crop) -> Steps:
    """Water one kind of plant."""
    yield Running(None, "watering")


@skill
def pick(crop: Crop) -> Steps:
    """Pick the ripe fruit of one kind of plant."""
    yield Running(None, "picking")


@skill
def turn(thing: Literal["lamp", "window"], to: Literal["on", "off", "open", "closed"]) -> Steps:
    """Switch the lamp, or move the window."""
    yield Running(None, "turning")


@condition
def stands(thing: Literal["lamp", "window"], at: Literal["on", "off", "open", "closed"]) -> Verdict:
    """Return whether the lamp is on or off, or the window open or closed."""
    return Verdict.yes()


LEXICON = """
verbs:
  water: {en: [water, irrigate], ko: [급수하다]}
  give: {en: [give], ko: [주다]}
  pick: {en: [pick, harvest], ko: [따다, 수확하다]}
  switch_on: {en: [switch on, turn on], ko: [켜다], result: "on"}
  switch_off: {en: [switch off, turn off], ko: [끄다], result: "off"}
  open: {en: [open], ko: [열다], result: open}
  close: {en: [close, shut], ko: [닫다], result: closed}
  check: {en: [check, see], ko: [보다, 확인하다], finds: look}
  tell: {en: ["tell [me]", "let me know"], ko: [알리다, 말하다], finds: tell}
nouns:
  water: {en: [water], ko: [물]}
  window: {en: [window], ko: [창문]}
  lamp: {en: [lamp, light], ko: [조명, 불]}
states:
  "on": {en: ["on"], ko: [켜지다]}
  "off": {en: ["off"], ko: [꺼지다]}
  open: {en: [open], ko: [열리다]}
  closed: {en: [closed, shut], ko: [닫히다]}
values:
  Crop:
    tomato: {en: [tomato, tomatoes], ko: [토마토]}
    lettuce: {en: [lettuce], ko: [상추]}
    strawberry: {en: [strawberry, strawberries], ko: [딸기]}
    herb: {en: [herb, herbs], ko: [허브]}
lists: {Crop: each}
"""

TREES = {
    "water_crop": """
utterances: [Water the tomatoes., Give the tomatoes water., 토마토에 물을 줘., 토마토를 급수해.]
params: {crop: {type: Crop}}
root: {do: water, with: {crop: $crop}}""",
    "pick_crop": """
utterances: [Pick the tomatoes., 토마토를 따.]
params: {crop: {type: Crop}}
root: {do: pick, with: {crop: $crop}}""",
    "lamp_on": """
utterances: [Switch on the lamp., 조명을 켜.]
root: {do: turn, with: {thing: lamp, to: "on"}}""",
    "lamp_off": """
utterances: [Switch off the lamp., 조명을 꺼.]
root: {do: turn, with: {thing: lamp, to: "off"}}""",
    "open_window": """
utterances: [Open the window., 창문을 열어.]
root: {do: turn, with: {thing: window, to: open}}""",
    "close_window": """
utterances: [Close the window., 창문을 닫아.]
root: {do: turn, with: {thing: window, to: closed}}""",
    "is_window_open": """
utterances: [Is the window open?, 창문이 열려 있어?]
root: {check: {stands: {thing: window, at: open}}, tell: true}""",
    "is_window_closed": """
utterances: [Is the window closed?, 창문이 닫혀 있어?]
root: {check: {stands: {thing: window, at: closed}}, tell: true}""",
    "is_lamp_on": """
utterances: [Is the lamp on?, 조명이 켜져 있어?]
root: {check: {stands: {thing: lamp, at: "on"}}, tell: true}""",
    "is_lamp_off": """
utterances: [Is the lamp off?, 조명이 꺼져 있어?]
root: {check: {stands: {thing: lamp, at: "off"}}, tell: true}""",
}

folder = Path(tempfile.mkdtemp())  # a pack usually has these files beside its code
(folder / "lexicon.yaml").write_text(LEXICON, encoding="utf-8")
(folder / "trees").mkdir()
for name, tree in TREES.items():
    text = f"tree: {name}{tree}"
    (folder / "trees" / f"{name}.yaml").write_text(text, encoding="utf-8")

pack = Pack(
    name="greenhouse",
    skills=(water, pick, turn),
    conditions=(stands,),
    types={"Crop": Crop},
    lexicon=folder / "lexicon.yaml",
)
catalogue, library = Catalogue([pack]), Library.load([folder / "trees"])
compiler = find_compiler("offline", {})


def plan(command: str) -> str:
    """Return the plan of a command as YAML, or the code of its refusal."""
    answer = compiler.compile(Request(command, language_of(command), catalogue, library))
    if isinstance(answer, Refusal):
        return answer.code
    return dump_yaml(answer.spec).split("root:\n")[1]


if __name__ == "__main__":
    for command in (
        "상추하고 딸기에 물 좀 주시겠어요?",
        "If the window is open, shut it; otherwise switch on the light.",
        "mow the lawn",
    ):
        print(command)
        print(plan(command))

# Output:
# 상추하고 딸기에 물 좀 주시겠어요?
#   sequence:
#   - tree: water_crop
#     with:
#       crop: lettuce
#   - tree: water_crop
#     with:
#       crop: strawberry
#
# If the window is open, shut it; otherwise switch on the light.
#   fallback:
#   - sequence:
#     - check:
#         stands:
#           thing: window
#           at: open
#     - tree: close_window
#   - sequence:
#     - check:
#         not:
#           stands:
#             thing: window
#             at: open
#     - tree: lamp_on
#
# mow the lawn
# UNKNOWN_ACTION
