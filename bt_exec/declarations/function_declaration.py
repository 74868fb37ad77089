"""Parsing of decorated skill and condition functions, with errors at import time."""

from __future__ import annotations

import inspect
import re
import string
import typing
from collections.abc import Callable, Generator, Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, ValidationError, create_model
from pydantic.errors import PydanticUserError
from typing_extensions import TypeVar

from bt_exec.failure import RegistrationError
from bt_exec.robot import Robot

__all__ = ["INJECTED", "SERVICE", "Declaration"]

INJECTED = ("robot", "world")
"""Parameters supplied by the executive; all others are arguments of the spec."""

SERVICE = object()
"""Marker of a parameter as a service of the pack; see `bt_exec.skill.Service`."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")  # valid names in a tree


class Declaration:
    """A function together with the options of its decorator.

    Every method raises `RegistrationError` for an invalid declaration, with advice on how to fix
    it.

    Args:
        function: The function as written.
        name: Name in the tree language, if it differs from the function's name.
        kind: "skill" or "condition".
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None,
        kind: Literal["skill", "condition"],
    ) -> None:
        self._refuse_non_function(function, kind)
        self.function = function
        self.name = name or function.__name__
        self.arguments: dict[str, Any] = {}
        self.required: set[str] = set()
        self.injected: set[str] = set()
        self.services: dict[str, Any] = {}
        if not _NAME.match(self.name):
            self._refuse("a name has letters, digits and _, and does not start with a digit")
        try:
            self.hints = get_type_hints(function, include_extras=True)
        except NameError as error:
            self._refuse(f"an annotation cannot be resolved: {error}")
        self.doc = inspect.getdoc(function) or ""
        if not self.doc:
            message = "needs a docstring: users and models read it"
            raise RegistrationError(f"{self.name} {message}")
        for parameter in inspect.signature(function).parameters.values():
            self._read_parameter(parameter)

    def signature(self) -> dict[str, Any]:
        """Return the signature of the function, as arguments of `bt_exec.skill.Signature`."""
        return {
            "name": self.name,
            "function": self.function,
            "summary": self.doc.splitlines()[0].strip(),
            "doc": self.doc,
            "arguments": MappingProxyType(self.arguments),
            "required": frozenset(self.required),
            "injected": frozenset(self.injected),
            "services": MappingProxyType(self.services),
        }

    def results(self) -> Mapping[str, Any]:
        """Return the types of the result fields of ``Steps[Result]``; empty for plain ``Steps``."""
        label = f"skill {self.name}"
        hint = self.hints.get("return")
        if hint is None:
            raise RegistrationError(f"{label} must be annotated with -> Steps")
        if get_origin(hint) is not Generator:
            raise RegistrationError(f"{label} must return Steps, not {hint}")
        parts = get_args(hint)
        result = parts[2] if len(parts) == 3 else None
        if result is None or result is type(None) or isinstance(result, typing.TypeVar | TypeVar):
            return MappingProxyType({})
        if result is Any:
            raise RegistrationError(
                f"{label}: a result needs named fields; return a dataclass, "
                "a NamedTuple or a TypedDict"
            )
        fields = get_type_hints(result, include_extras=True)
        if not fields:
            raise RegistrationError(f"{label}: result {result} has no fields")
        return MappingProxyType(fields)

    def check_return_type(self, kind: type) -> None:
        """Raise RegistrationError if the return annotation is not `kind`."""
        hint = self.hints.get("return", kind)
        if hint is not kind:
            word = kind.__name__
            self._refuse(
                f"is annotated with -> {_annotation_text(hint)}; it must return a {word}: "
                f"{word}.yes(why), {word}.no(why) or {word}.unknown(why)"
            )

    def checked_code(self, what: str, given: str) -> str:
        """Return a reason code after checking its form."""
        if not (isinstance(given, str) and given):
            self._refuse(f"{what} must be a code, such as 'NOT_SURE'; found {given!r}")
        return given

    def checked_template(self, what: str, given: str) -> str:
        """Return a text that may name arguments in braces, after checking it."""
        if not isinstance(given, str):
            self._refuse(f"{what} must be a string; found {given!r}")
        self._check_template(given)
        return given

    def checked_boolean(self, what: str, given: bool) -> bool:
        """Return a boolean option after checking its type."""
        if not isinstance(given, bool):
            self._refuse(f"{what} must be True or False; found {given!r}")
        return given

    def checked_texts(self, what: str, given: Iterable[str]) -> frozenset[str]:
        """Return a set of strings after checking its type."""
        if isinstance(given, str):  # iterating it would give letters
            self._refuse(f"{what} must be a set of strings, such as {{{given!r}}}; found {given!r}")
        found = frozenset(given)
        for text in found:
            if not isinstance(text, str):
                self._refuse(f"{what} must be a set of strings; found {text!r} in it")
        return found

    def checked_templates(self, what: str, given: Iterable[str]) -> frozenset[str]:
        """Return a set of strings that may name arguments in braces, after checking it."""
        found = self.checked_texts(what, given)
        for text in found:
            self._check_template(text)
        return found

    def checked_facts(self, what: str, given: Mapping[str, str] | None) -> Mapping[str, str]:
        """Return facts and their values after checking them; both may name arguments in braces."""
        if given is not None and not isinstance(given, Mapping):
            self._refuse(f"{what} must map facts to values: {{'door': 'open'}}; found {given!r}")
        for pair in (given or {}).items():
            for text in pair:
                if not isinstance(text, str):
                    self._refuse(f"{what} must map strings to strings; found {text!r} in it")
                self._check_template(text)
        return MappingProxyType(dict(given or {}))

    def checked_seconds(self, what: str, given: float, *, positive: bool = False) -> float:
        """Return a duration [s] after checking its range."""
        if not isinstance(given, int | float) or not (given > 0 if positive else given >= 0):
            least = "more than 0" if positive else "0 or more"
            self._refuse(f"{what} must be a number of seconds, {least}; found {given!r}")
        return given

    def _read_parameter(self, parameter: inspect.Parameter) -> None:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            self._refuse(f"*{parameter.name} cannot be an argument of a spec")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            self._refuse(f"{parameter.name!r} is given by name; remove the '/'")
        if parameter.name in INJECTED:
            self.injected.add(parameter.name)
            return
        if parameter.name not in self.hints:
            self._refuse(f"argument {parameter.name!r} needs a type annotation")
        hint = self.hints[parameter.name]
        if SERVICE in getattr(hint, "__metadata__", ()):
            if parameter.default is not parameter.empty:
                self._refuse(f"service {parameter.name!r} has no default; the pack offers it")
            self.services[parameter.name] = get_args(hint)[0]
            return
        if isinstance(hint, type) and Robot in hint.__mro__:
            self._refuse(
                f"{parameter.name!r} has a robot type, which a plan cannot supply; "
                "the parameter for the pack's robot must be called robot"
            )
        self.arguments[parameter.name] = hint
        if parameter.default is parameter.empty:
            self.required.add(parameter.name)
        else:
            self._check_default(parameter)

    def _check_default(self, parameter: inspect.Parameter) -> None:
        """Raise RegistrationError if a default is not a value of its annotated type.

        Values are not converted for this check.
        """
        hint = self.hints[parameter.name]
        config = ConfigDict(arbitrary_types_allowed=True, strict=True, validate_default=True)
        fields: dict[str, Any] = {"value": (hint, parameter.default)}
        try:
            create_model("Default", __config__=config, **fields)()
        except ValidationError as error:
            why = error.errors()[0]["msg"].replace("Input should", "it should")
            said = f"the default of {parameter.name!r} is {parameter.default!r}"
            self._refuse(f"{said}, but it is annotated with {_annotation_text(hint)}: {why}")
        except PydanticUserError as error:
            self._refuse(f"the type of {parameter.name!r} cannot be checked: {error.message}")

    def _check_template(self, template: str) -> None:
        """Raise RegistrationError if a template has an unknown argument or a format specifier."""
        try:
            fields = list(string.Formatter().parse(template))
        except ValueError as error:
            self._refuse(f"template {template!r}: {error}")
        for _, name, form, conversion in fields:
            if name is None:
                continue
            if name not in self.arguments:
                known = ", ".join(self.arguments) or "none"
                self._refuse(
                    f"template {template!r} names {{{name}}}, "
                    f"which is not an argument of it (arguments: {known})"
                )
            if form or conversion:
                more = (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
                self._refuse(f"template {template!r}: write {{{name}}} alone, without {more!r}")

    @staticmethod
    def _refuse_non_function(function: Any, kind: Literal["skill", "condition"]) -> None:
        """Raise RegistrationError for ``@skill("name")``, a class or ``async def``.

        The message shows the correct form.
        """
        if not (inspect.isfunction(function) or inspect.ismethod(function)):
            message = f"@{kind} decorates a function; found {function!r}; options are given by name"
            raise RegistrationError(message)
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            todo = (
                "a skill yields Running() once a tick; run what blocks with "
                "'answer = yield from run_in_thread(call)'"
                if kind == "skill"
                else "a condition must return at once; wait for answers in a skill"
            )
            name = function.__name__
            raise RegistrationError(f"{kind} {name} must be a plain 'def', not 'async def': {todo}")

    def _refuse(self, message: str) -> NoReturn:
        raise RegistrationError(f"{self.name}: {message}")


def _annotation_text(hint: Any) -> str:
    """Return an annotation as source text, without the metadata of ``Annotated``."""
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return "None" if plain is type(None) else inspect.formatannotation(plain)
