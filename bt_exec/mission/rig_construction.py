"""Construction of rigs from the settings of a site and the requested world."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from pydantic import ValidationError

from bt_exec.declarations.exception_description import describe_error, is_interrupt
from bt_exec.failure import (
    BtExecError,
    RegistrationError,
    UnknownName,
    UsageError,
    describe_exception,
    nearest_names,
)
from bt_exec.pack import Pack
from bt_exec.rig import PackSettings, Rig, WorldSettings
from bt_exec.robot import Robot
from bt_exec.site.site import Site
from bt_exec.spec.user_data_validation import value_error

__all__ = ["check_world", "make_rig", "parse_world_settings", "world_settings"]


def parse_world_settings(texts: Iterable[str]) -> dict[str, str]:
    """Read ``KEY=VALUE`` pairs.

    Raises:
        UsageError: If a text does not have this form or a key is given twice.
    """
    world: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise UsageError(f"world setting {text!r} must be KEY=VALUE")
        if key in world:
            raise UsageError(f"world setting {key} is given twice: {world[key]} and {value}")
        world[key] = value
    return world


def check_world(site: Site, world: Mapping[str, str]) -> None:
    """Raise UsageError for world settings that no pack of the site supports.

    Raises:
        UsageError: If a key is unknown or a value is not allowed; the message lists valid ones.
    """
    robots = site.catalogue.robots_sharing_pack
    known = {
        key: f"{key}: {field.description or 'see the pack'}"
        for pack in site.catalogue.packs
        for name, field in pack.world.model_fields.items()
        for key in (name, *([f"{pack.name}.{name}"] if pack.name in robots else []))
    }
    for key, value in world.items():
        if key not in known:
            near = nearest_names(key, known)
            listed = "; ".join(known[name] for name in dict.fromkeys((*near, *known)))
            raise UsageError(
                f"world setting {key}={value}: site {site.name!r} has no {key!r}; "
                f"known: {listed or 'none'}"
            )
    for pack in site.catalogue.packs:
        world_settings(pack, world)


def make_rig(
    pack: Pack, settings: PackSettings | Mapping[str, Any], world: Mapping[str, str]
) -> Rig:
    """Return the rig of a pack for the settings of a site.

    Args:
        pack: The pack.
        settings: The site's settings for the pack, validated or as written.
        world: ``KEY=VALUE`` pairs; pairs for other packs are ignored.

    Raises:
        UsageError: If a setting is wrong, or the robot is unavailable.
        RegistrationError: If the factory returned no rig, or a rig with invalid or missing parts.
    """
    if not isinstance(settings, PackSettings):
        settings = _settings_of(pack, settings)
    name = settings.robot or next(iter(pack.robots))
    if name not in pack.robots:
        raise UnknownName("robot", name, pack.robots, owner=f"pack {pack.name}")
    start = world_settings(pack, world)
    try:
        rig = pack.robots[name](settings, start)
    except BtExecError:
        raise
    except ValueError as error:  # an invalid setting or world
        raise UsageError(str(error)) from error
    except BaseException as error:  # for instance, the robot is off or a driver is missing
        if is_interrupt(error):
            raise
        # the source line of an OSError is omitted, because the environment caused the error
        why = describe_exception(error) if isinstance(error, OSError) else describe_error(error)
        raise UsageError(f"robot {name!r} of pack {pack.name} is unavailable: {why}") from error
    if not isinstance(rig, Rig):
        raise RegistrationError(f"robot {name!r} of pack {pack.name} did not return a Rig")
    if rig.robot is not None and not isinstance(rig.robot, Robot):
        raise RegistrationError(
            f"robot {name!r} of pack {pack.name} lacks stop() or still; see bt_exec.robot.Robot"
        )
    _check_parts(rig, f"robot {name!r} of pack {pack.name}")
    _check_offered_services(rig, name, pack)
    return rig


def robot_identity(pack: Pack, robot: str, settings: PackSettings) -> str:
    """Return the identity that a pack declares for one of its robots.

    Raises:
        UsageError: If a setting is missing.
        RegistrationError: If the declared function does not return a string.
    """
    try:
        identity = pack.identities[robot](settings)
    except BtExecError:
        raise
    except BaseException as error:
        if is_interrupt(error):
            raise
        raise RegistrationError(
            f"identity of robot {robot!r} of pack {pack.name}: {describe_error(error)}"
        ) from error
    if not isinstance(identity, str) or not identity:
        raise RegistrationError(
            f"identity of robot {robot!r} of pack {pack.name} must be a string; "
            f"found {identity!r:.60}"
        )
    return identity


def _settings_of(pack: Pack, given: Mapping[str, Any]) -> PackSettings:
    known = pack.settings.model_fields
    for key in given:
        if key not in known:
            raise UnknownName("setting", key, known, owner=f"pack {pack.name}")
    try:
        return pack.settings.model_validate(dict(given))
    except ValidationError as error:
        raise UsageError(f"pack {pack.name}: {value_error(error)}") from None


def world_settings(pack: Pack, world: Mapping[str, str]) -> WorldSettings:
    """Return the initial state of a pack's simulated world; keys of other packs are ignored.

    A key may begin with the name of a robot: ``cart_a.seed``.

    Raises:
        UsageError: If a value is not allowed.
    """
    known = pack.world.model_fields
    here = {key: world[f"{pack.name}.{key}"] for key in known if f"{pack.name}.{key}" in world}
    own = {key: value for key, value in world.items() if key in known} | here
    try:
        return pack.world.model_validate(own)
    except ValidationError as error:
        raise UsageError(f"world setting {value_error(error)}") from None


def _check_parts(rig: Rig, whose: str) -> None:
    """Raise RegistrationError for a rig with an invalid part, such as a robot without `stop`."""

    def refuse(what: str, found: Any) -> NoReturn:
        raise RegistrationError(f"{whose}: {what}; found {found!r:.60}")

    robot = rig.robot
    if robot is not None:
        kind = type(robot).__name__
        if not callable(robot.stop):
            refuse(f"stop of {kind} is not a method", robot.stop)
        if inspect.isroutine(inspect.getattr_static(robot, "still", None)):
            raise RegistrationError(
                f"{whose}: still of {kind} is a method; write @property above it"
            )
    world = rig.simulation
    if world is not None and not (
        hasattr(world, "time") and _has_method(world, "step", "start_step")
    ):
        refuse("simulation must have time, and step or start_step", world)
    for name in ("facts", "close", "frame"):
        if (found := getattr(rig, name)) is not None and not callable(found):
            refuse(f"{name} must be a function without arguments", found)
    if not isinstance(rig.services, Mapping):
        refuse("services must map names to objects", rig.services)


def _has_method(part: Any, *names: str) -> bool:
    """Return True if a part has one of the methods named in `names`."""
    return any(callable(getattr(part, name, None)) for name in names)


def _check_offered_services(rig: Rig, robot: str, pack: Pack) -> None:
    """Raise RegistrationError if a declared service is missing or has the wrong type."""
    for name, kind in pack.services.items():
        wanting = [p.name for p in (*pack.skills, *pack.conditions) if name in p.services]
        wanted = f" (required by {', '.join(wanting)})" if wanting else ""
        if name not in rig.services:
            raise RegistrationError(
                f"robot {robot!r} of pack {pack.name} offers no service {name!r}{wanted}"
            )
        found = rig.services[name]
        if not getattr(kind, "_is_protocol", False) and not isinstance(found, kind):
            raise RegistrationError(
                f"service {name!r} of robot {robot!r} of pack {pack.name} must be a "
                f"{kind.__name__}, not a {type(found).__name__}{wanted}"
            )
