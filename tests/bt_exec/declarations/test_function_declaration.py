"""Mistakes of a skill, a condition or a pack are reported when it is imported."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import pytest
from pydantic import Field

from bt_exec import Pack
from bt_exec.failure import RegistrationError
from bt_exec.pack import Catalogue
from bt_exec.rig import WorldSettings
from bt_exec.robot import Robot
from bt_exec.skill import Label, Running, Steps, Verdict, condition, skill


def go(robot, arm: str = "left") -> Steps:
    """Go."""
    yield Running()


def near(robot, arm: str = "left") -> Verdict:
    """Whether it is near."""
    return Verdict.yes()


class Arm7(Robot, Protocol):
    """A robot of a pack."""


def misspelt(robt: Arm7) -> Steps:
    """Go."""
    yield Running()


def no_words(robot) -> Steps:
    yield Running()


def no_type(robot, arm) -> Steps:
    """Go."""
    yield Running()


def no_end(robot):
    """Go."""
    yield Running()


def no_steps(robot) -> int:
    """Go."""
    yield 1


def no_fields(robot) -> Steps[int]:
    """Go."""
    yield Running()
    return 1


def no_names(robot) -> Steps[Any]:
    """Go."""
    yield Running()


def many(robot, *arms: str) -> Steps:
    """Go."""
    yield Running()


def placed(robot, arm: str, /) -> Steps:
    """Go."""
    yield Running()


def unknown(robot, arm: "Arm") -> Steps:  # noqa: F821 - that is the mistake
    """Go."""
    yield Running()


def at_once(robot) -> Steps:
    """Go."""


async def later(robot) -> Steps:
    """Go."""
    yield Running()


async def waits(robot) -> Steps:
    """Go."""


async def later_near(robot) -> Verdict:
    """Whether it is near."""
    return Verdict.yes()


def wrong_default(robot, n: int = "x") -> Steps:
    """Go."""
    yield Running()


def no_choice(robot, arm: Literal["left", "right"] = "both") -> Steps:
    """Go."""
    yield Running()


def no_list(robot, names: list[str] = ()) -> Steps:
    """Go."""
    yield Running()


def no_value(robot, arm: str = None) -> Steps:  # noqa: RUF013 - that is the mistake
    """Go."""
    yield Running()


class Grip:
    """Object that only a skill can make."""


def good_defaults(
    robot,
    speed: float = 1,
    arm: Literal["left", "right"] = "left",
    names: tuple[str, ...] = (),
    other: str | None = None,
    thing: Annotated[Literal["cup"], Label()] = "cup",
    grip: Grip | None = None,
) -> Steps:
    """Go."""
    yield Running()


def out_of_range(robot, speed: Annotated[float, Field(gt=0)] = -1) -> Steps:
    """Go."""
    yield Running()


def maybe(robot) -> Verdict | None:
    """Whether it is near."""
    return None


class Body:
    def go(self, robot, arm: str = "left") -> Steps:
        """Go."""
        yield Running()


def yes_or_no(robot) -> bool:
    """Whether it is near."""
    return True


def wrong_limit(robot, n: int = "x") -> Verdict:
    """Whether it is near."""
    return Verdict.yes()


SKILLS = [
    (
        go,
        {"fails": "STUCK"},
        "go: fails must be a set of strings, such as {'STUCK'}; found 'STUCK'",
    ),
    (go, {"fails": {7}}, "go: fails must be a set of strings; found 7 in it"),
    (go, {"uses": "arm"}, "go: uses must be a set of strings, such as {'arm'}; found 'arm'"),
    (
        go,
        {"uses": {"arm.{hand}"}},
        "go: template 'arm.{hand}' names {hand}, which is not an argument of it (arguments: arm)",
    ),
    (go, {"needs": {"door": True}}, "go: needs must map strings to strings; found True in it"),
    (
        go,
        {"needs": ["door"]},
        "go: needs must map facts to values: {'door': 'open'}; found ['door']",
    ),
    (
        go,
        {"effects": {"at.{arm": "home"}},
        "go: template 'at.{arm': expected '}' before end of string",
    ),
    (
        go,
        {"effects": {"at.{arm.real}": "home"}},
        "go: template 'at.{arm.real}' names {arm.real}, which is not an argument of it "
        "(arguments: arm)",
    ),
    (
        misspelt,
        {},
        "misspelt: 'robt' has a robot type, which a plan cannot supply; the parameter for the "
        "pack's robot must be called robot",
    ),
    (go, {"uses": {"at.{arm!x}"}}, "go: template 'at.{arm!x}': write {arm} alone, without '!x'"),
    (go, {"uses": {"at.{arm!r}"}}, "go: template 'at.{arm!r}': write {arm} alone, without '!r'"),
    (go, {"needs": {"at": "{arm:d}"}}, "go: template '{arm:d}': write {arm} alone, without ':d'"),
    (
        go,
        {"effects": {"at": "{arm:{n}}"}},
        "go: template '{arm:{n}}': write {arm} alone, without ':{n}'",
    ),
    (go, {"timeout_s": 0}, "go: timeout_s must be a number of seconds, more than 0; found 0"),
    (go, {"timeout_s": "30"}, "go: timeout_s must be a number of seconds, more than 0; found '30'"),
    (
        go,
        {"timeout_s": float("nan")},
        "go: timeout_s must be a number of seconds, more than 0; found",
    ),
    (
        go,
        {"name": "go-on"},
        "go-on: a name has letters, digits and _, and does not start with a digit",
    ),
    (no_words, {}, "no_words needs a docstring: users and models read it"),
    (no_type, {}, "no_type: argument 'arm' needs a type annotation"),
    (no_end, {}, "skill no_end must be annotated with -> Steps"),
    (no_steps, {}, "skill no_steps must return Steps, not <class 'int'>"),
    (no_fields, {}, "skill no_fields: result <class 'int'> has no fields"),
    (no_names, {}, "skill no_names: a result needs named fields; return a dataclass"),
    (many, {}, "many: *arms cannot be an argument of a spec"),
    (placed, {}, "placed: 'robot' is given by name; remove the '/'"),
    (unknown, {}, "unknown: an annotation cannot be resolved: name 'Arm' is not defined"),
    (at_once, {}, "skill at_once must be a generator: it must yield"),
    (
        later,
        {},
        "skill later must be a plain 'def', not 'async def': a skill yields Running() once a tick; "
        "run what blocks with 'answer = yield from run_in_thread(call)'",
    ),
    (waits, {}, "skill waits must be a plain 'def', not 'async def': a skill yields Running()"),
    (
        wrong_default,
        {},
        "wrong_default: the default of 'n' is 'x', but it is annotated with int: "
        "it should be a valid integer",
    ),
    (no_choice, {}, "no_choice: the default of 'arm' is 'both', but it is annotated with "),
    (no_list, {}, "no_list: the default of 'names' is (), but it is annotated with list[str]: "),
    (
        out_of_range,
        {},
        "out_of_range: the default of 'speed' is -1, but it is annotated with float: "
        "it should be greater than 0",
    ),
    (no_value, {}, "no_value: the default of 'arm' is None, but it is annotated with str: "),
]


@pytest.mark.parametrize(("function", "declared", "said"), SKILLS)
def test_invalid_skill_declaration_is_refused(function, declared, said):
    with pytest.raises(RegistrationError) as told:
        skill(**declared)(function)
    assert str(told.value).startswith(said)


@pytest.mark.parametrize(
    ("function", "declared", "said"),
    [
        (
            near,
            {"patience_s": -1},
            "near: patience_s must be a number of seconds, 0 or more; found -1",
        ),
        (near, {"unknown": 3}, "near: unknown must be a code, such as 'NOT_SURE'; found 3"),
        (near, {"notes": "no"}, "near: notes must be True or False; found 'no'"),
        (near, {"skip_reason": 3}, "near: skip_reason must be a string; found 3"),
        (
            near,
            {"patience_s": None},
            "near: patience_s must be a number of seconds, 0 or more; found",
        ),
        (near, {"skip_reason": "at {place}"}, "near: template 'at {place}' names {place}, which"),
        (near, {"skip_reason": "{arm:.1f}"}, "near: template '{arm:.1f}': write {arm} alone, with"),
        (
            near,
            {"establishes": {"at": 1}},
            "near: establishes must map strings to strings; found 1",
        ),
        (go, {}, "condition go must return, not yield"),
        (near, {"name": "2near"}, "2near: a name has letters, digits and _"),
        (
            later_near,
            {},
            "condition later_near must be a plain 'def', not 'async def': "
            "a condition must return at once",
        ),
        (
            yes_or_no,
            {},
            "yes_or_no: is annotated with -> bool; it must return a Verdict: "
            "Verdict.yes(why), Verdict.no(why) or Verdict.unknown(why)",
        ),
        (maybe, {}, "maybe: is annotated with -> bt_exec.skill.Verdict | None; it must return a V"),
        (wrong_limit, {}, "wrong_limit: the default of 'n' is 'x', but it is annotated with int"),
    ],
)
def test_invalid_condition_declaration_is_refused(function, declared, said):
    with pytest.raises(RegistrationError) as told:
        condition(**declared)(function)
    assert str(told.value).startswith(said)


def test_valid_defaults_are_accepted():
    assert skill(good_defaults).validate({})["names"] == ()


@pytest.mark.parametrize("kind", [skill, condition])
@pytest.mark.parametrize("given", ["go", 7, int])
def test_decorated_object_must_be_a_function(kind, given):
    with pytest.raises(RegistrationError) as told:
        kind(given)
    name = kind.__name__
    said = f"@{name} decorates a function; found {given!r}; options are given by name"
    assert str(told.value) == said


def test_bound_method_can_be_decorated():
    assert list(skill(Body().go).arguments) == ["arm"]


def test_decorator_works_without_parentheses():
    assert skill(go) == skill()(go)
    assert condition(near) == condition()(near)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"skills": (go,)}, "pack p: go is not a skill; declare it with @skill(…)"),
        ({"skills": skill()(go)}, "pack p: skills must be a tuple, (skill,); found a Skill"),
        (
            {"skills": (condition()(near),)},
            "pack p: near is not a skill; declare it with @skill(…)",
        ),
        ({"conditions": [7]}, "pack p: 7 is not a condition; declare it with @condition(…)"),
        ({"skills": (skill()(go), skill()(go))}, "'go' is defined by pack p and again by p"),
        ({"types": {"text": int}}, "type 'text' of pack p redefines a built-in type"),
        ({"types": [int]}, "pack p: types must map names to types, {"),
        ({"types": {"Arm": "Arm"}}, "pack p: type 'Arm' must be a type with values in YAML"),
        (
            {"types": {"Arm": Catalogue}},
            "pack p: type 'Arm' must be a type with values in YAML",
        ),
        ({"services": ["map"]}, "pack p: services must map names to types, {"),
        ({"robots": go}, "pack p: robots must map names to functions that make a Rig, {"),
        ({"robots": (go,)}, "pack p: robots must map names to functions that make a Rig, {"),
        ({"robots": {"sim": 3}}, "pack p: robots must map names to functions that make a Rig, {"),
        ({"formats": [1]}, "pack p: formats must map names to forms of a plan, {"),
        ({"requires": "door"}, "pack p: requires must be a tuple, (one,); found 'door'"),
        ({"requires": (1,)}, 'pack p: requires must be a tuple of names, ("door",); found (1,)'),
        ({"checkers": go}, "pack p: checkers must be a tuple, (one,); found <function go"),
        ({"checkers": (1,)}, "pack p: checkers must be a tuple of functions, (check,); found (1,)"),
        ({"words": {}}, "pack p: words must be a function, or None; found {}"),
        ({"settings": dict}, "pack p: settings must be a class that derives from PackSettings"),
        (
            {"world": WorldSettings()},
            "pack p: world must be a class that derives from WorldSettings",
        ),
        ({"trees": "trees"}, "pack p: trees must be a pathlib.Path, or None; found 'trees'"),
        ({"messages": "m.yaml"}, "pack p: messages must be a pathlib.Path, or None; found"),
        ({"trees": Path("/no/trees")}, "pack p: trees: there is no folder /no/trees"),
        ({"lexicon": Path("/no/l.yaml")}, "pack p: lexicon: there is no file /no/l.yaml"),
    ],
)
def test_invalid_pack_is_refused(parts, said):
    with pytest.raises(RegistrationError) as told:
        Catalogue([Pack("p", **parts)])
    assert str(told.value).startswith(said)


Thing = Annotated[Literal["cup"], Label()]


@dataclass
class Grip:
    force: float


def test_declaration_contains_all_fields():
    @skill(
        fails=["SLIPPED"],
        needs={"hand.{arm}": "empty"},
        effects={"hand.{arm}": "{thing}"},
        uses=(f"{what}" for what in ("arm.{arm}",)),
        timeout_s=5,
    )
    def take(robot, world, thing: Thing, arm: str = "left") -> Steps[Grip]:
        """Take a thing.

        It is lifted.
        """
        yield Running()
        return Grip(1.0)

    assert (take.name, take.summary) == ("take", "Take a thing.")
    assert dict(take.arguments) == {"thing": Thing, "arm": str}
    assert (take.required, take.injected) == ({"thing"}, {"robot", "world"})
    assert (take.fails, take.uses, take.timeout_s) == ({"SLIPPED"}, {"arm.{arm}"}, 5)
    assert dict(take.results) == {"force": float}
    assert take.label_arguments() == {"thing"}
