"""Validation of settings and files from users, with error messages in the user's terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from bt_exec.failure import Problem, SpecError, UsageError, nearest_first
from bt_exec.spec.yaml_source import Place, Source, read_file

__all__ = [
    "UserData",
    "first_error",
    "load_model",
    "read_settings",
    "validated_model",
    "value_error",
]

_Model = TypeVar("_Model", bound=BaseModel)

_NUMBERS = {"int_parsing": "must be a whole number", "float_parsing": "must be a number"}
_MAPPINGS = ("dict_type", "mapping_type", "model_type", "model_attributes_type")
_WORDS = {**_NUMBERS, **dict.fromkeys(_MAPPINGS, "must be a mapping of names to settings")}


class UserData(BaseModel):
    """Base of models of user data; instances are immutable, and unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def read_settings(
    model: type[_Model],
    given: Mapping[str, Any],
    whose: str,
    known: Sequence[str] = (),
    such_as: str = "",
) -> _Model:
    """Return settings validated by their model.

    Args:
        model: Model of the settings.
        given: Settings from the user.
        whose: Owner of the settings in the message, such as ``the compiler turns``.
        known: Names of all settings of the owner; by default, those of the model.
        such_as: Example of a valid setting, for the message.

    Raises:
        UsageError: If a setting is unknown, missing or invalid; lists every mistake.
    """
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        names = tuple(known) or tuple(_fields(model))
        mistakes = "; ".join(_mistake(found, names, whose) for found in error.errors())
        raise UsageError(mistakes + (f"; for example {such_as}" if such_as else "")) from None


def _mistake(found: Any, known: tuple[str, ...], whose: str) -> str:
    name = ".".join(map(str, found["loc"]))
    if found["type"] == "extra_forbidden":
        return f"{whose} has no setting {name!r}; known: {', '.join(nearest_first(name, known))}"
    return f"setting {name!r} of {whose}: {found['msg'].lower()}"


def first_error(error: ValidationError) -> str:
    """Return the first pydantic error as ``field: reason``."""
    found = error.errors()[0]
    where = ".".join(map(str, found["loc"]))
    return f"{where}: {found['msg'].lower()}" if where else str(found["msg"]).lower()


def value_error(error: ValidationError) -> str:
    """Return the first pydantic error as ``key='value': reason``, with a readable reason."""
    found = error.errors()[0]
    message, where = _reason_text(found), ".".join(map(str, found["loc"]))
    if found["type"] == "missing":
        return f"{where} is missing"
    if not where or message.startswith(where.split(".")[0]):
        return message
    return f"{where}={found['input']!r}: {message}"


def load_model(model: type[_Model], path: Path) -> _Model:
    """Return the content of a YAML file, validated by a model.

    It must be used only for files that ``bt-exec check`` does not check, because its errors do not
    suggest that command.

    Raises:
        UsageError: If there is no such file.
        SpecError: If the content is invalid; contains every mistake with its position.
    """
    try:
        return validated_model(model, read_file(path))
    except SpecError as error:
        problems = [_settings_problem(problem, model) for problem in error.problems]
        raise SpecError(problems, checkable=False) from None


def _settings_problem(problem: Problem, model: type[BaseModel]) -> Problem:
    """Return a problem unchanged, or with the allowed fields added if the file is empty."""
    if problem.code != "EMPTY":
        return problem
    return replace(problem, message="is empty", allowed=tuple(_fields(model)))


def validated_model(
    model: type[_Model], source: Source, inside: Place = (), data: Any = None, whose: str = ""
) -> _Model:
    """Return the data of a file, or a part of it, validated by a model.

    Args:
        model: Model of the data.
        source: The file.
        inside: Place of the data in the file.
        data: The data to validate; None for the whole file.
        whose: Owner of the fields in the message, such as ``a site``.

    Raises:
        SpecError: If the data is invalid; contains every mistake with its position.
    """
    try:
        return model.model_validate(source.data if data is None else data)
    except ValidationError as error:
        problems = [_problem(found, model, source, inside, whose) for found in error.errors()]
        raise SpecError(problems) from None


def _problem(
    found: Any, model: type[BaseModel], source: Source, inside: Place, whose: str
) -> Problem:
    own = tuple(part for part in found["loc"] if part != "[key]")
    place, kind = (*inside, *own), found["type"]
    if kind == "extra_forbidden":
        field = str(own[-1])
        allowed = nearest_first(field, _fields(_model_at_place(model, own[:-1])))
        message = f"{whose} has no setting {field!r}" if whose else f"unknown field {field!r}"
        return source.problem("UNKNOWN_FIELD", message, place, allowed=allowed, key=True)
    if kind == "missing":
        return source.problem("MISSING_FIELD", f"the field {own[-1]!r} is missing", place[:-1])
    value = found["input"]
    shown = "" if isinstance(value, Mapping) else repr(value)[:40]
    message = _WORDS.get(kind) or _reason_text(found)
    shown = "" if "; found " in message else shown
    return source.problem("BAD_VALUE", message, place, found=shown)


def _model_at_place(model: type[BaseModel], place: Place) -> type[BaseModel]:
    """Return the model to which the fields at a place belong."""
    for part in place:
        info = _fields(model).get(str(part))
        if info is not None:
            model = next(_models_in(info.annotation), model)
    return model


def _models_in(hint: Any) -> Iterator[type[BaseModel]]:
    """Yield the model classes in a type annotation."""
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        yield hint
    for part in get_args(hint):
        yield from _models_in(part)


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {info.alias or name: info for name, info in model.model_fields.items()}


def _reason_text(found: Any) -> str:
    """Return the reason for a pydantic error in plain words."""
    kind = found["type"]
    if kind == "too_short":
        least = found["ctx"]["min_length"]
        return f"needs at least {least} " + ("entries" if least > 1 else "entry")
    message = _NUMBERS.get(kind) or str(found["msg"]).removeprefix("Value error, ")
    return message.replace("Input should be", "must be").replace("Input should", "must")
