"""Facts that packs declare, and checks of the facts that skills and conditions use.

A pack lists its facts with the values that they may have::

    facts={
        "door": ("open", "ajar", "closed"),
        "hand.{Arm}": ("empty", "material"),
        "at": ("{Place}",),
    }

Braces name a type of the pack, or a built-in type such as ``{text}``. A type with a closed list of
values stands for each of them; any other type stands for any text. In the templates of skills and
conditions, braces name arguments instead (``hand.{arm}``). Such a template fits a declaration if it
does so for every value of the arguments; for an argument that may be any text, one value is enough.
"""

from __future__ import annotations

import difflib
import itertools
import re
import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from bt_exec.failure import RegistrationError

__all__ = ["DeclaredFacts", "FactMistake", "declared_facts_of", "placeholders"]

_ANY = "\0"
"""Placeholder for an unknown text while templates are compared."""

_MOST_COMBINATIONS = 256
"""Maximum number of value combinations to compare; with more, arguments may be any text."""

_UNKNOWN = "?"
_PLACEHOLDER = re.compile(r"\{\w+\}")


class FactMistake(NamedTuple):
    """An undeclared fact, or an undeclared value of a fact.

    Attributes:
        code: ``UNKNOWN_FACT`` or ``UNKNOWN_FACT_VALUE``.
        message: Description of the mistake; begins in lower case, because the place precedes it.
        found: The undeclared fact or value, as written.
        allowed: The declared facts or values, the most similar first.
    """

    code: str
    message: str
    found: str
    allowed: tuple[str, ...]


@dataclass(frozen=True)
class _Form:
    """A declared template, compiled for comparison.

    Attributes:
        text: The template as written.
        pattern: Regular expression that matches every text of the template.
        samples: The texts of the template; `_ANY` stands for a part that may be any text.
    """

    text: str
    pattern: re.Pattern[str]
    samples: tuple[str, ...]

    def may_match(self, used: str) -> bool:
        """Return True if `used`, the name or value of a fact, may match this template.

        Unknown parts of `used` (`_ANY`) match anything.
        """
        if self.pattern.fullmatch(used):
            return True
        return _ANY in used and any(
            _pattern_with_wildcards(used).fullmatch(sample) for sample in self.samples
        )


class _Fact(NamedTuple):
    """A declared fact: the compiled templates of its name and of its values."""

    name: _Form
    values: tuple[_Form, ...]


class DeclaredFacts:
    """The facts that a set of packs declares.

    Args:
        declarations: Pairs of the declared facts of one pack and its types by name.
    """

    def __init__(
        self, declarations: Iterable[tuple[Mapping[str, Iterable[str]], Mapping[str, Any]]]
    ) -> None:
        self._declarations = [(dict(facts), dict(types)) for facts, types in declarations]
        self._found: dict[tuple[str, str, bool], tuple[FactMistake, ...]] = {}

    @cached_property
    def _facts(self) -> tuple[_Fact, ...]:
        return tuple(
            _Fact(
                _compile_template(name, types),
                tuple(_compile_template(value, types) for value in values),
            )
            for facts, types in self._declarations
            for name, values in facts.items()
        )

    def names(self) -> tuple[str, ...]:
        """Return the declared names, as written."""
        return tuple(dict.fromkeys(fact.name.text for fact in self._facts))

    def matches(self, name: str) -> bool:
        """Return True if `name`, a fact or a template over arguments, may match a declared fact."""
        return bool(self._facts_named(_PLACEHOLDER.sub(_ANY, name)))

    def values(self, name: str) -> tuple[str, ...]:
        """Return the declared values of the fact `name`, as written; empty if it is unknown."""
        return _value_texts(self._facts_named(name))

    def mistakes(
        self,
        name: str,
        value: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        may_be_unknown: bool = False,
    ) -> Iterator[FactMistake]:
        """Yield the first mistake of a fact and its value, if they are not declared.

        Args:
            name: Name of the fact: a plain text, or a template over `arguments`.
            value: Value of the fact, in the same form; alternatives are separated by ``|``.
            arguments: Types of the arguments that the templates name.
            may_be_unknown: Whether ``?`` is accepted as a value.
        """
        key = name, value, may_be_unknown
        if arguments:
            yield from self._mistakes(*key, arguments)
            return
        if key not in self._found:
            self._found[key] = tuple(self._mistakes(*key, {}))
        yield from self._found[key]

    def _mistakes(
        self, name: str, value: str, may_be_unknown: bool, hints: Mapping[str, Any]
    ) -> Iterator[FactMistake]:
        for filled in _combinations(placeholders(name, value), hints):
            exact = name.format(**filled)
            facts = self._facts_named(exact)
            if not facts:
                message = f"the fact {name!r} is not declared by the pack"
                allowed = self._nearest(exact)
                yield FactMistake("UNKNOWN_FACT", message, name, allowed)
                return
            for part in value.format(**filled).split("|"):
                if part == _UNKNOWN and may_be_unknown:
                    continue
                if not any(form.may_match(part) for fact in facts for form in fact.values):
                    shown = part if _ANY not in part else value
                    message = f"{shown!r} is not a declared value of the fact {name!r}"
                    allowed = _nearest_first(part, _value_texts(facts), _texts_by_sample(facts))
                    yield FactMistake("UNKNOWN_FACT_VALUE", message, shown, allowed)
                    return

    def _facts_named(self, name: str) -> list[_Fact]:
        return [fact for fact in self._facts if fact.name.may_match(name)]

    def _nearest(self, name: str) -> tuple[str, ...]:
        samples = {sample: fact.name.text for fact in self._facts for sample in fact.name.samples}
        return _nearest_first(name, self.names(), samples)


def declared_facts_of(
    given: Any, types: Mapping[str, Any], whose: str
) -> Mapping[str, tuple[str, ...]]:
    """Return the facts that a pack declares, after checking them.

    Args:
        given: The declaration in the pack or the file.
        types: Types that templates may name.
        whose: Owner of the declaration, for messages: "pack door".

    Raises:
        RegistrationError: If the declaration is malformed, or a template names an unknown type.
    """
    form = 'must map names to values, {"door": ("open", "closed")}'
    if not isinstance(given, Mapping):
        raise RegistrationError(f"{whose}: facts {form}; found {given!r:.60}")
    for name, values in given.items():
        texts = isinstance(values, Iterable) and not isinstance(values, str | bytes)
        if not (isinstance(name, str) and texts and all(isinstance(v, str) for v in values)):
            raise RegistrationError(f"{whose}: facts {form}; found {name!r}: {values!r:.60}")
        for template in (name, *values):
            _check_template(template, types, f"{whose}: facts: {template!r}")
        if not list(values):
            raise RegistrationError(f"{whose}: facts: {name!r} has no value")
    return {name: tuple(values) for name, values in given.items()}


@lru_cache(maxsize=4096)
def placeholders(*templates: str) -> tuple[str, ...]:
    """Return the distinct names that templates contain in braces."""
    parsed = (part for text in templates for part in string.Formatter().parse(text))
    return tuple(dict.fromkeys(name for _, name, _, _ in parsed if name is not None))


def _check_template(template: str, types: Mapping[str, Any], where: str) -> None:
    try:
        names = placeholders(template)
    except ValueError as error:
        raise RegistrationError(f"{where}: {error}") from error
    for name in names:
        if name not in types:
            known = ", ".join(_nearest_first(name, tuple(types), {type_: type_ for type_ in types}))
            raise RegistrationError(
                f"{where} names the type {{{name}}}, which does not exist; "
                f"types, nearest first: {known}"
            )


def _compile_template(template: str, types: Mapping[str, Any]) -> _Form:
    """Return a declared template compiled for comparison, with its types expanded."""
    pattern = ""
    for text, name, _, _ in string.Formatter().parse(template):
        pattern += re.escape(text)
        if name is not None:
            values = _closed_values(types.get(name))
            pattern += f"(?:{'|'.join(map(re.escape, (*values, _ANY)))})" if values else ".+"
    combinations = _combinations(placeholders(template), types)
    samples = tuple(template.format(**filled) for filled in combinations)
    return _Form(template, re.compile(pattern, re.DOTALL), samples)


def _combinations(names: Iterable[str], hints: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield every combination of values; a type without a closed list has the value `_ANY`.

    Args:
        names: Names of the types or arguments in a template.
        hints: Types by name.
    """
    wanted = list(names)
    values = [_closed_values(hints.get(name)) or (_ANY,) for name in wanted]
    count = 1
    for some in values:
        count *= len(some)
    if count > _MOST_COMBINATIONS:
        values = [(_ANY,) for _ in wanted]
    for combination in itertools.product(*values):
        yield dict(zip(wanted, combination, strict=True))


def _closed_values(hint: Any) -> tuple[str, ...]:
    """Return the values of a type with a closed list of them; empty for other types."""
    if get_origin(hint) is Annotated:
        return _closed_values(get_args(hint)[0])
    if get_origin(hint) is Literal:
        return tuple(map(str, get_args(hint)))
    if get_origin(hint) in (Union, UnionType):
        parts = [_closed_values(part) for part in get_args(hint)]
        return tuple(itertools.chain(*parts)) if all(parts) else ()
    return ()


def _pattern_with_wildcards(used: str) -> re.Pattern[str]:
    return re.compile(".+".join(map(re.escape, used.split(_ANY))), re.DOTALL)


def _value_texts(facts: Iterable[_Fact]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form.text for fact in facts for form in fact.values))


def _texts_by_sample(facts: Iterable[_Fact]) -> dict[str, str]:
    values = [form for fact in facts for form in fact.values]
    return {sample: form.text for form in values for sample in form.samples}


def _nearest_first(
    found: str, texts: tuple[str, ...], samples: Mapping[str, str]
) -> tuple[str, ...]:
    """Return `texts`, sorted by the similarity of their nearest sample to `found`."""
    likeness = dict.fromkeys(texts, 0.0)
    for sample, text in samples.items():
        ratio = difflib.SequenceMatcher(None, found, sample).ratio()
        likeness[text] = max(likeness[text], ratio)
    return tuple(sorted(texts, key=lambda text: -likeness[text]))
