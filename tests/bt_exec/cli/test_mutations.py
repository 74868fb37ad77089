"""Faulty trees, lexicons, messages, sites and packs, made from correct ones by mutation.

Each class of mutation is applied wherever it fits in a correct file. `check` must report its code
at its place, with the correct spelling first among the allowed names. `mutations/classes.yaml`
lists the classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from bt_exec.failure import Problem, RegistrationError, SpecError
from bt_exec.pack import Catalogue, Pack
from bt_exec.site.check_utterances import word_problems
from bt_exec.site.own_parts import with_tool_files
from bt_exec.site.shipped_data import data_path
from bt_exec.site.site import Site, catalogue_messages, load_site
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text, parse
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec.spec.yaml_source import scan_text
from bt_exec.verify import verify_file
from bt_exec.verify.pack_declarations import fact_problems, skill_problems
from bt_exec.verify.pack_message_checks import sentence_problems

pytestmark = pytest.mark.sampled

HERE = Path(__file__).parent / "mutations"
CLASSES = parse_yaml((HERE / "classes.yaml").read_text(encoding="utf-8"))
State = Literal["on", "off"]


@skill(fails={"LAMP_BROKEN"}, effects={"lamp": "{state}"})
def turn_lamp(state: State = "on") -> Steps:
    """Turn the lamp on or off; the result `level` is its brightness."""
    yield Running()


@condition(establishes={"lamp": "{state}"})
def lamp_is(state: State) -> Verdict:
    """Return True if the lamp is in the given state."""
    raise AssertionError


PACK = Pack(
    name="lamp",
    skills=(turn_lamp,),
    conditions=(lamp_is,),
    types={"State": State, "Message": str},
    facts={"lamp": ("{State}",)},
)
LIBRARY = Library(
    load_text(
        f"tree: turn_{state}_lamp\nutterances: [Turn {state} the lamp., 램프를 {ko}.]\n"
        f"root: {{do: turn_lamp, with: {{state: '{state}'}}}}\n"
    )
    for state, ko in (("on", "켜"), ("off", "꺼"))
)


@lru_cache
def site_of(name: str) -> Site:
    return load_site(name)


def of_tree(site: str) -> Callable[[Path], list[Problem]]:
    def problems(path: Path) -> list[Problem]:
        loaded = parse(scan_text(path.read_text(encoding="utf-8"), str(path)))
        library = Library([loaded])
        library.add_missing(site_of(site).library)
        return list(verify_file(loaded, site_of(site).catalogue, library))

    return problems


def of_lexicon(path: Path) -> list[Problem]:
    return word_problems(Catalogue([replace(PACK, lexicon=path)]), LIBRARY)


def of_messages(path: Path) -> list[Problem]:
    catalogue = Catalogue([replace(PACK, messages=path)])
    catalogue_messages(catalogue)
    return sentence_problems(catalogue, LIBRARY)


def of_site(path: Path) -> list[Problem]:
    load_site(str(path))
    return []


def of_pack(path: Path) -> list[Problem]:
    catalogue = Catalogue(with_tool_files([Pack("tools")], [path]))
    return [*fact_problems(catalogue), *skill_problems(catalogue)]


def shipped(kind: str) -> Iterator[tuple[str, str]]:
    sites = {"door": "door", "reporter": "building", "tabletop": "tabletop", "image": "image"}
    for folder, site in sites.items():
        for path in sorted(data_path("trees", folder).glob("*.yaml")):
            yield site, path.read_text(encoding="utf-8")
    yield "door", (HERE / "bench.yaml").read_text(encoding="utf-8")


class Case(NamedTuple):
    kind: str
    name: str
    text: str
    check: Callable[[Path], list[Problem]]
    code: str
    at: tuple[int, int] | None
    near: str


OTHERS: dict[str, tuple[str, Callable[[Path], list[Problem]]]] = {
    "lexicons": ("lexicon.yaml", of_lexicon),
    "messages": ("messages.yaml", of_messages),
    "sites": ("site.yaml", of_site),
    "packs": ("pack.txt", of_pack),
}


def correct(kind: str) -> Iterator[tuple[str, Callable[[Path], list[Problem]]]]:
    """Yield the correct texts of a kind, each with its check function."""
    if kind == "trees":
        for site, text in shipped(kind):
            yield text, of_tree(site)
    else:
        name, check = OTHERS[kind]
        yield (HERE / name).read_text(encoding="utf-8"), check


def misspelt(word: str) -> str:
    return word[:-2] + word[-1] if len(word) > 3 else word + "q"


def position(text: str, start: int) -> tuple[int, int]:
    before = text[:start]
    return before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1


def cases(kind: str) -> Iterator[Case]:
    for text, check in correct(kind):
        for name, one in CLASSES[kind].items():
            for found in re.finditer(one["of"], text):
                group = one.get("group", 1)
                old = found[group]
                new = one.get("by", misspelt(old))
                changed = text[: found.start(group)] + new + text[found.end(group) :]
                at = found.start("at" if "at" in found.groupdict() else group)
                at += one.get("shift", 0) - bool(one.get("quoted"))
                place = position(changed, at)
                near = old if one.get("near") else ""
                where = one.get("where", "place")
                yield Case(
                    kind,
                    name,
                    changed,
                    check,
                    one["code"],
                    {"place": place, "line": (place[0], 0)}.get(where),
                    near,
                )


def problems_of(
    case_text: str, check: Callable[[Path], list[Problem]], path: Path
) -> list[Problem]:
    path.write_text(case_text, encoding="utf-8")
    try:
        return check(path)
    except (SpecError, RegistrationError) as error:
        return list(error.problems)


def shown(kind: str) -> str:
    return "py" if kind == "packs" else "yaml"


@pytest.mark.parametrize("kind", CLASSES)
def test_correct_files_are_free_of_problems(kind: str, tmp_path: Path) -> None:
    for text, check in correct(kind):
        assert problems_of(text, check, tmp_path / f"correct.{shown(kind)}") == []


NAMES = [(kind, name) for kind in CLASSES for name in CLASSES[kind]]


def assert_reported(found: list[Case], folder: Path) -> None:
    assert found
    for number, case in enumerate(found):
        problems = problems_of(case.text, case.check, folder / f"f{number}.{shown(case.kind)}")
        told = [
            one
            for one in problems
            if one.code == case.code
            and case.at in (None, (one.line, one.column), (one.line, 0))
            and (case.near in one.allowed[:1] or case.near in one.message)
        ]
        assert told, (case.at, case.near, list(map(str, problems)))


@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_mutation_is_reported_at_its_position(kind: str, name: str, tmp_path: Path) -> None:
    assert_reported([case for case in cases(kind) if case.name == name][-1:], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_mutation_is_reported_in_every_correct_file(kind: str, name: str, tmp_path: Path) -> None:
    assert_reported([case for case in cases(kind) if case.name == name], tmp_path)


def test_mutations_yield_at_least_900_faulty_files() -> None:
    assert sum(1 for kind in CLASSES for _ in cases(kind)) >= 900
