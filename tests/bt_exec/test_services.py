"""Services: objects that a pack provides to its skills by name, with or without a robot."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from bt_exec import (
    Pack,
    RegistrationError,
    Rig,
    Running,
    Service,
    Session,
    Site,
    Steps,
    UsageError,
    Verdict,
)
from bt_exec.language.messages import Messages
from bt_exec.pack import Catalogue
from bt_exec.rig import PackSettings
from bt_exec.site.site import CompilerSettings, Limits, Rates
from bt_exec.skill import condition, skill
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text


class Shelf:
    """Service with books."""

    def __init__(self, *books: str) -> None:
        self.books = list(books)


class GlassShelf(Shelf):
    """Subclass of the service."""


@skill(fails={"NO_SUCH_BOOK"})
def lend(shelf: Service[Shelf], title: str) -> Steps:
    """Take a book from the shelf."""
    yield Running(None, "looking")
    shelf.books.remove(title)


@condition()
def on_shelf(shelf: Service[Shelf], title: str) -> Verdict:
    """Return True if a book is on the shelf."""
    return Verdict.yes() if title in shelf.books else Verdict.no(f"{title} is lent")


def library_pack(*books: str, services=None, offered=None) -> Pack:
    """Return a pack without a robot."""
    found = {"shelf": Shelf(*books)} if services is None else services
    return Pack(
        name="library",
        skills=(lend,),
        conditions=(on_shelf,),
        services={"shelf": Shelf} if offered is None else offered,
        robots={"none": lambda settings, world: Rig(services=found)},
    )


def site_of(pack: Pack, *trees: str) -> Site:
    return Site(
        "library",
        "",
        Path("library.yaml"),
        {pack.name: PackSettings()},
        CompilerSettings(),
        Rates(tick_hz=200),
        Limits(),
        Catalogue([pack]),
        Library(map(load_text, trees)),
        Messages(),
    )


def test_skills_of_a_pack_without_a_robot_get_its_services():
    steps = "{check: {on_shelf: {title: Emma}}}, {do: lend, with: {title: Emma}}"
    plan = load_text(f"mission: {{command: lend}}\nroot: {{sequence: [{steps}]}}").document
    pack = library_pack("Emma", "Ulysses")
    with Session(site_of(pack)) as session:
        shelf = session.rigs["library"].services["shelf"]
        assert session.run("lend me Emma", plan).status == "satisfied"
        assert shelf.books == ["Ulysses"]
        again = session.run("lend me Emma", plan)
        assert (again.status, again.failures[0]["message"]) == ("blocked", "Emma is lent")


def test_service_is_not_an_argument():
    assert dict(lend.services) == {"shelf": Shelf}
    assert list(lend.arguments) == ["title"]
    assert lend.model.model_json_schema()["required"] == ["title"]


def test_service_missing_from_the_pack_is_refused_at_registration():
    with pytest.raises(RegistrationError) as error:
        Catalogue([library_pack(offered={"map": Shelf})])
    assert str(error.value) == (
        "skill lend requires the service 'shelf', which pack library does not offer; it offers: map"
    )


def test_service_of_another_type_is_refused_at_registration():
    with pytest.raises(RegistrationError) as error:
        Catalogue([library_pack(offered={"shelf": dict})])
    assert str(error.value) == (
        "skill lend requires the service 'shelf' to be a Shelf, but pack library offers a dict"
    )
    Catalogue([library_pack(offered={"shelf": GlassShelf})])  # a subclass is accepted


@pytest.mark.parametrize(
    ("services", "said"),
    [
        ({}, "robot 'none' of pack library offers no service 'shelf' (required by lend, on_shelf)"),
        (
            {"shelf": ["Emma"]},
            "service 'shelf' of robot 'none' of pack library must be a Shelf, not a list "
            "(required by lend, on_shelf)",
        ),
    ],
)
def test_rig_without_a_declared_service_is_refused_when_the_site_opens(services, said):
    with pytest.raises(RegistrationError) as error:
        Session(site_of(library_pack(services=services)))
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("services", "said"),
    [
        ({}, "robot 'none' of pack library offers no service 'map'"),
        ({"map": 7}, "service 'map' of robot 'none' of pack library must be a dict, not a int"),
    ],
)
def test_unused_declared_service_is_required_as_well(services, said):
    pack = library_pack(
        offered={"shelf": Shelf, "map": dict}, services={"shelf": Shelf(), **services}
    )
    with pytest.raises(RegistrationError) as error:
        Session(site_of(pack))
    assert str(error.value) == said


def test_default_value_of_a_service_is_refused():
    with pytest.raises(RegistrationError, match="service 'shelf' has no default"):

        @skill()
        def look(shelf: Service[Shelf] = None) -> Steps:  # type: ignore[assignment]
            """Look."""
            yield Running()


def test_only_simulations_run_faster_than_real_time():
    pack = library_pack()
    Session(site_of(pack), fast=True).close()
    robot = type("Robot", (), {"stop": lambda self: None, "still": True})()
    services = {"shelf": Shelf()}
    robots = {"real": lambda settings, world: Rig(robot, services=services)}
    with pytest.raises(UsageError, match="only simulated robots run faster"):
        Session(site_of(dataclasses.replace(pack, robots=robots)), fast=True)


def test_argument_with_the_type_of_a_service_is_refused_at_registration():
    @skill
    def borrow(shelf: Shelf) -> Steps:
        """Take any book."""
        yield Running()

    said = (
        "skill borrow takes the service 'shelf' of pack library as an argument; "
        r"write shelf: Service\[Shelf\]"
    )
    with pytest.raises(RegistrationError, match=said):
        Catalogue([dataclasses.replace(library_pack(), skills=(borrow,), conditions=())])
