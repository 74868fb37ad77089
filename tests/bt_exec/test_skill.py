"""Declarations of skills and conditions: arguments, injected objects and defaults."""

from __future__ import annotations

from collections.abc import Generator
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest
from pydantic import ValidationError

from bt_exec.failure import RegistrationError
from bt_exec.skill import (
    Condition,
    Label,
    Running,
    Said,
    Service,
    Skill,
    Steps,
    Verdict,
    condition,
    skill,
)

Thing = Annotated[Literal["cup", "box"], Label()]
Other = Annotated[Literal["cup", "box"], "a note", Label]


@skill()
def take(robot, thing: Thing, other: Other, times: int = 2, how: str = "gently") -> Steps:
    """Take things.

    One after another.
    """
    yield Running()


@skill()
def rest() -> Steps:
    """Rest."""
    yield Running()


@condition()
def near(world, place: str) -> Verdict:
    """Whether the robot is near."""
    return Verdict.yes(place)


def test_arguments_are_completed_and_converted():
    given = {"thing": "cup", "other": "box", "times": "3"}
    assert take.validate(given) == {"thing": "cup", "other": "box", "times": 3, "how": "gently"}
    assert list(take.validate(given)) == ["thing", "other", "times", "how"]
    assert rest.validate({}) == {}


@pytest.mark.parametrize(
    ("args", "kind"),
    [
        ({"thing": "cup"}, "missing"),
        ({"thing": "cup", "other": "box", "more": 1}, "extra_forbidden"),
        ({"thing": "jug", "other": "box"}, "literal_error"),
        ({"thing": "cup", "other": "box", "times": "many"}, "int_parsing"),
        ({"thing": "cup", "other": "box", "robot": 1}, "extra_forbidden"),
    ],
)
def test_invalid_arguments_are_refused(args, kind):
    with pytest.raises(ValidationError) as told:
        take.validate(args)
    assert [error["type"] for error in told.value.errors()] == [kind]


@pytest.mark.parametrize(
    ("args", "kinds"),
    [
        ({"n": "3"}, []),
        ({"n": 3, "how": "fast"}, []),
        ({}, ["missing"]),
        ({"n": 1, "m": 2}, ["extra_forbidden"]),
        ({"n": 1.5}, ["int_from_float"]),
        ({"m": 2, "how": 4}, ["missing", "string_type", "extra_forbidden"]),
    ],
)
def test_first_arguments_of_a_skill_are_validated_like_others(args, kinds):
    @skill()
    def count(n: int, how: str = "slowly") -> Steps:
        """Count."""
        yield Running()

    if not kinds:
        assert count.validate(args) == {"n": 3, "how": args.get("how", "slowly")}
        return
    with pytest.raises(ValidationError) as told:
        count.validate(args)
    assert [error["type"] for error in told.value.errors()] == kinds


def test_object_of_a_user_class_may_be_an_argument():
    class Wheel:
        pass

    def turn(wheel) -> Steps:
        """Turn it."""
        yield Running()

    turn.__annotations__["wheel"] = Wheel
    wheel = Wheel()
    assert skill()(turn).validate({"wheel": wheel}) == {"wheel": wheel}


def test_arguments_marked_as_labels_are_labels():
    assert take.label_arguments() == {"thing", "other"}
    assert rest.label_arguments() == near.label_arguments() == frozenset()


def test_only_requested_objects_are_injected():
    assert take.injected_arguments("robot", "world") == {"robot": "robot"}
    assert near.injected_arguments("robot", "world") == {"world": "world"}
    assert rest.injected_arguments("robot", "world") == {}


def test_call_starts_a_skill_and_evaluates_a_condition():
    steps = rest()
    assert isinstance(steps, Generator)
    assert next(steps) == Running(None, "")
    assert near(None, place="here") == Verdict(True, "here")
    assert near(world=None, place="here").why == "here"


@pytest.mark.parametrize(
    ("make", "holds"), [(Verdict.yes, True), (Verdict.no, False), (Verdict.unknown, None)]
)
def test_verdict_constructors_set_the_given_fields(make, holds):
    assert make() == Verdict(holds, "", (), 0.0)
    assert make("why", ["a", "b"], 1.5) == Verdict(holds, "why", ("a", "b"), 1.5)
    assert Verdict(holds).age_s == 0.0


def test_undeclared_fields_of_a_skill_have_defaults():
    assert (rest.name, rest.summary, rest.doc) == ("rest", "Rest.", "Rest.")
    assert (take.summary, take.doc) == ("Take things.", "Take things.\n\nOne after another.")
    assert (rest.fails, rest.uses, rest.timeout_s) == (frozenset(), frozenset(), 60.0)
    assert not rest.irreversible
    assert (dict(rest.needs), dict(rest.effects), dict(rest.results)) == ({}, {}, {})
    assert (rest.required, take.required) == (frozenset(), {"thing", "other"})
    bare = Skill("a", rest.function, "", "", {}, frozenset(), frozenset(), {})
    assert (bare.fails, bare.timeout_s, bare.needs) == (frozenset(), 60.0, {})


def test_undeclared_fields_of_a_condition_have_defaults():
    assert (near.patience_s, near.unknown, near.skip_reason) == (3.0, "UNCERTAIN", "")
    assert (dict(near.establishes), near.notes) == ({}, False)
    bare = Condition("a", near.function, "", "", {}, frozenset(), frozenset(), {})
    assert (bare.patience_s, bare.unknown, bare.skip_reason) == (3.0, "UNCERTAIN", "")
    assert (bare.establishes, bare.notes) == ({}, False)


def test_declared_fields_of_a_condition_are_kept():
    @condition(
        patience_s=0,
        unknown="DARK",
        skip_reason="already {place}",
        establishes={"at": "{place}"},
        name="is_at",
    )
    def at(place: str) -> Verdict:
        """Return True."""
        return Verdict.no()

    assert (at.name, at.patience_s, at.unknown) == ("is_at", 0, "DARK")
    assert (at.skip_reason, dict(at.establishes)) == ("already {place}", {"at": "{place}"})


class Grip(NamedTuple):
    force: float


class Pose(TypedDict):
    x: float
    y: Annotated[int, "cells"]


@pytest.mark.parametrize(
    ("result", "fields"),
    [
        (Grip, {"force": float}),
        (Pose, {"x": float, "y": Annotated[int, "cells"]}),
        (None, {}),
        (type(None), {}),
    ],
)
def test_fields_of_a_result_can_be_named(result, fields):
    def give() -> Any:
        """Give it."""
        yield Running()

    give.__annotations__["return"] = Steps[result]
    assert dict(skill()(give).results) == fields


def test_declaration_is_immutable():
    needs = {"hand": "empty"}
    declared = skill(needs=needs, effects=needs)(rest.function)
    needs["hand"] = "cup"
    assert dict(declared.needs) == dict(declared.effects) == {"hand": "empty"}
    for mapping in (declared.needs, declared.arguments, declared.results):
        with pytest.raises(TypeError):
            mapping["x"] = "y"


@pytest.mark.parametrize("name", ["a", "_a", "A9_b"])
def test_valid_skill_name_is_accepted(name):
    assert skill(name=name)(rest.function).name == name


@pytest.mark.parametrize("name", ["9a", "a b", "a-b", "a\n", "가"])
def test_name_that_trees_cannot_call_is_refused(name):
    with pytest.raises(RegistrationError) as told:
        skill(name=name)(rest.function)
    assert str(told.value) == (
        f"{name}: a name has letters, digits and _, and does not start with a digit"
    )


def test_names_allowed_in_a_template_are_listed():
    def go() -> Steps:
        """Go."""
        yield Running()

    with pytest.raises(RegistrationError) as told:
        skill(uses={"arm.{arm}"})(go)
    assert str(told.value) == (
        "go: template 'arm.{arm}' names {arm}, which is not an argument of it (arguments: none)"
    )


@pytest.mark.parametrize(
    ("kind", "said"),
    [("*args", "go: *args cannot be an argument of a spec"), ("**more", "go: *more cannot be")],
)
def test_variadic_arguments_are_refused(kind, said):
    space: dict[str, Any] = {"Steps": Steps}
    exec(f"def go({kind}: int) -> Steps:\n    'Go.'\n    yield", space)
    with pytest.raises(RegistrationError) as told:
        skill()(space["go"])
    assert str(told.value).startswith(said)


@pytest.mark.parametrize("seconds", [0.001, 1, 600.0])
def test_valid_timeout_and_patience_are_accepted(seconds):
    assert skill(timeout_s=seconds)(rest.function).timeout_s == seconds
    assert condition(patience_s=seconds)(near.function).patience_s == seconds


def test_only_marked_arguments_are_labels_or_spoken() -> None:
    @skill()
    def point(
        robot: Any,
        thing: Thing,
        other: Other,
        noted: Annotated[Literal["cup", "box"], "a note"],
        told: Annotated[str, Said()],
        plain: str,
    ) -> Steps:
        """Point at something."""
        yield Running()

    assert point.label_arguments() == {"thing", "other"}
    assert point.said_arguments() == {"told"}


def test_each_parameter_is_a_service_or_an_argument() -> None:
    @skill(needs={"hand.{arm}": "empty"}, uses={"arm.{arm}", "table"}, fails={"NO"}, timeout_s=5)
    def lend(
        robot: Any, world: Any, shelf: Service[list], arm: str, n: Annotated[int, "x"] = 1
    ) -> Steps[Grip]:
        """Lend a book."""
        yield Running()

    assert (lend.injected, dict(lend.services)) == ({"robot", "world"}, {"shelf": list})
    assert list(lend.arguments.items()) == [("arm", str), ("n", Annotated[int, "x"])]
    assert (lend.required, lend.fails, lend.uses) == ({"arm"}, {"NO"}, {"arm.{arm}", "table"})
    assert (dict(lend.needs), lend.timeout_s) == ({"hand.{arm}": "empty"}, 5)
    assert dict(lend.results) == {"force": float}
    offered = {"shelf": ["Emma"], "map": {}}
    given = {"robot": "robot", "world": "world", "shelf": ["Emma"]}
    assert lend.injected_arguments("robot", "world", offered) == given


def test_condition_can_declare_that_it_notes_failures() -> None:
    @condition(notes=True)
    def told(world: Any, place: str = "here") -> Verdict:
        """Return True."""
        return Verdict.yes()

    assert (told.notes, told.required, told.injected) == (True, frozenset(), {"world"})


@pytest.mark.parametrize(
    ("decorator", "argument", "near"),
    [
        (skill, "fail", "fails"),
        (skill, "timeout", "timeout_s"),
        (condition, "patience", "patience_s"),
    ],
)
def test_decorator_suggests_the_nearest_argument_name(decorator, argument, near):
    kind = "condition" if near == "patience_s" else "skill"
    expected = rf"@{kind} has no argument '{argument}'; nearest first: {near}"
    with pytest.raises(RegistrationError, match=expected):
        decorator(**{argument: 1})
