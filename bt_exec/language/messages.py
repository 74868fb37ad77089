"""Sentences for codes, in the language of the command.

A catalogue is a YAML file that maps a code or a skip reason to a sentence per language. Sentences
are templates over the arguments and the evidence of a failure. A missing value is printed as an
ellipsis and never raises an error. Argument values are translated by the ``words`` section.

::

    DOOR_STUCK:
      en: The door did not move ({message}).
      ko: 문이 움직이지 않습니다 ({message}).
    words:
      right: {en: right, ko: 오른}
      "# rad away": {en: "# rad away", ko: "#rad 떨어져 있습니다"}    # any number
      "tray: *": {en: "tray: *", ko: "쟁반: *"}    # any text, which is translated as well
    phrases:
      # a skill, condition or tree with its arguments; brackets are omitted without a value
      grasp: {en: "grasp the {label}[ with the {arm} hand]", ko: "[{arm}손으로 ]{label} 잡기"}

Korean templates contain both forms of a particle, ``{label}을(를)``; the correct one is chosen.
``{cause}`` is the reason or message of a failure. It is omitted with its colon or parentheses if it
is not available in the language, so that no English text appears in a Korean sentence.
Objects that are known only at run time are named by `bt_exec.pack.Pack.called`.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias

from bt_exec.failure import INJECTED, Failure, RegistrationError
from bt_exec.language.korean_errors import korean_error
from bt_exec.language.korean_particles import with_particles
from bt_exec.language.message_files import LANGUAGES, read_messages, value_names
from bt_exec.language.plurals import with_plurals
from bt_exec.spec.shipped_yaml import read_yaml

__all__ = [
    "AFTER_STOP",
    "LANGUAGES",
    "OWN_MESSAGES",
    "Called",
    "Messages",
    "executive_sentence",
    "language_of",
    "load_messages",
]

AFTER_STOP = "AFTER_STOP"
"""Code of a pack's advice after a stop; for known facts, ``AFTER_STOP at=dock + hand=empty``."""

OWN_MESSAGES = Path(__file__).with_name("messages.yaml")
"""File of the executive's sentences. A pack that generates messages loads it with its own file."""

Called: TypeAlias = Callable[[str, str], str | None]
"""Function from a name and a language to a display name; None for an unknown name."""

_FIXED = Path(__file__).with_name("fixed_words.yaml")
_SPACE = re.compile(r"(?<![^\s+])(\w+)/")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_CAUSE = re.compile(r": \{cause\}| ?\(\{cause\}\)")
_OMITTED = "…"


def language_of(text: str) -> str:
    """Return the language of a command: ``ko`` if it contains Hangul, otherwise ``en``."""
    composed = unicodedata.normalize("NFC", text)
    return "ko" if any("가" <= char <= "힣" or "ㄱ" <= char <= "ㅣ" for char in composed) else "en"


class Messages:
    """A catalogue of sentences, merged from the files of the executive and of packs.

    Packs may define different sentences for the same code: those for ``UNREACHABLE`` may refer to
    an arm or to a route. Callers that know the failing pack pass its name.
    """

    def __init__(self) -> None:
        self._sentences: dict[str, dict[str, str]] = {}
        self._words: dict[str, dict[str, str]] = {}
        self._phrases: dict[str, dict[str, str]] = {}
        self._fixed: dict[str, dict[str, str]] = {}
        self._packs: dict[str, Messages] = {}
        self._owners: Mapping[str, str] = {}
        self._called: tuple[Called, ...] = ()
        self._robots: Mapping[str, Mapping[str, tuple[str, ...]]] = {}

    @classmethod
    def load(
        cls,
        paths: Iterable[Path],
        packs: Mapping[str, Path] | None = None,
        owners: Mapping[str, str] | None = None,
        names: Mapping[str, Mapping[str, Mapping[str, str]]] | None = None,
        called: Mapping[str, Called] | None = None,
        lexicons: Mapping[str, Path] | None = None,
        site: Path | None = None,
        robots: Mapping[str, Mapping[str, tuple[str, ...]]] | None = None,
    ) -> Messages:
        """Load a catalogue from `paths` and from the files of packs.

        Args:
            paths: Files that apply to every pack.
            packs: Files by pack.
            owners: Packs by the name of a skill or condition.
            names: Display names of the site, by pack, id and language; they take precedence over
                the words of the pack's file.
            called: Functions by pack for the display names of objects that are known only at run
                time.
            lexicons: Lexicons by pack. A value without an entry is displayed as its first phrase in
                the lexicon.
            site: File of the site, whose entries replace all others.
            robots: Display names of robots of the same pack, by name and language. Messages about
                such a robot begin with its name.

        Raises:
            RegistrationError: If two of `paths`, or one of them and the file of a pack, have
                different sentences for a code, or if a sentence is missing in a language.
        """
        messages = cls()
        messages._owners = owners or {}
        messages._robots = robots or {}
        messages._fixed = _fixed_words()
        for path in paths:
            messages._add(path)
        common = [dict(table) for table in messages._tables()]
        for name, path in (packs or {}).items():
            own = messages._packs[name] = cls()
            own._sentences, own._words, own._phrases = map(dict, common)
            own._fixed = messages._fixed
            own._add(path)
            if called is not None and name in called:
                own._called = (called[name],)
                messages._called += own._called
            own._words.update(
                {id_: dict(said) for id_, said in (names or {}).get(name, {}).items()}
            )
            for id_, said in value_names((lexicons or {}).get(name)).items():
                own._words.setdefault(id_, said)
            for mine, theirs in zip(messages._tables(), own._tables(), strict=True):
                mine.update({key: value for key, value in theirs.items() if key not in mine})
        for name, lexicon in (lexicons or {}).items():
            for id_, said in value_names(lexicon).items() if name not in messages._packs else ():
                messages._words.setdefault(id_, said)
        if site is not None:
            over = cls()
            over._add(site)
            for changed in (messages, *messages._packs.values()):
                for table, entries in zip(changed._tables(), over._tables(), strict=True):
                    table.update(entries)
        return messages

    def _tables(self) -> tuple[dict[str, dict[str, str]], ...]:
        return self._sentences, self._words, self._phrases

    def of_pack(self, pack: str) -> Messages:
        """Return the catalogue of a pack; the whole catalogue if the pack has none."""
        return self._packs.get(pack, self)

    def _add(self, path: Path) -> None:
        for table, entries in zip(self._tables(), read_messages(path), strict=True):
            for key, sentences in entries.items():
                if table.get(key, sentences) != sentences:
                    raise RegistrationError(f"{path}: {key} already has other sentences")
                table[key] = sentences

    def __contains__(self, code: str) -> bool:
        """Return True if there is a sentence for `code`."""
        robot, plain = self._split_robot(str(code))
        return plain in self.of_pack(robot) if robot else code in self._sentences

    def sentence_for_robot(self, robot: str, said: str, language: str) -> str:
        """Return a sentence or phrase, preceded by the name of the robot that it concerns.

        Args:
            robot: A robot or a pack; nothing is added if its pack has only one robot.
            said: The sentence; an empty one stays empty.
            language: Language of the sentence and the name.
        """
        if robot not in self._robots or not said:
            return said
        name = self._robots[robot][language][0]
        name = name[:1].upper() + name[1:] if said.endswith((".", "?", "!")) else name
        return self.say("SAID_OF_ROBOT", language, robot=name, said=said)

    def _split_robot(self, code: str) -> tuple[str, str]:
        """Return the robot and the plain code of a code such as ``was cart/at=dock``."""
        found = _SPACE.search(code) if self._robots else None
        if found is None or found[1] not in self._robots:
            return "", code
        return found[1], code.replace(found[0], "")

    def codes(self) -> frozenset[str]:
        """Return every code that has a sentence."""
        return frozenset(self._sentences)

    def translate_word(self, word: Any, language: str) -> str:
        """Return the translation of `word`; `word` itself if it is not listed.

        A ``#`` in a listed word stands for a number: "the door stopped at # rad". A ``*`` stands
        for a text that is translated itself: "tray: *". Parts between semicolons are translated
        separately.
        """
        if isinstance(word, list | tuple):
            return ", ".join(self.translate_word(each, language) for each in word)
        text = str(word)
        said = _translated_word(text, language, (self._words, self._fixed))
        if said != text or text in self._words:
            return said
        named = (called(text, language) for called in self._called)
        return next(filter(None, named), None) or self._translated_by_pattern(text, language)

    @cached_property
    def _open_patterns(self) -> tuple[tuple[re.Pattern[str], dict[str, str]], ...]:
        """Listed words with a ``*``, as patterns; longer ones first."""
        number = f"({_NUMBER.pattern})"
        return tuple(
            (re.compile(re.escape(key).replace(r"\*", "(?P<text>.+)").replace(r"\#", number)), said)
            for key, said in sorted(self._words.items(), key=lambda one: -len(one[0]))
            if key.count("*") == 1
        )

    def _translated_by_pattern(self, text: str, language: str) -> str:
        """Return `text` translated by a listed word with a ``*``, or part by part.

        Parts are separated by semicolons. A text that cannot be translated is returned unchanged.
        """
        parts = text.split("; ")
        for pattern, said in self._open_patterns:
            if found := pattern.fullmatch(text):
                numbers = (
                    found[place]
                    for place in range(1, pattern.groups + 1)
                    if place != pattern.groupindex["text"]
                )
                filled = _fill_numbers(said[language], numbers)
                filled = filled.replace("*", self.translate_word(found["text"], language))
                return with_particles(filled) if language == "ko" else filled
        return (
            "; ".join(self.translate_word(part, language) for part in parts) if parts[1:] else text
        )

    def fixed_word(self, word: str, language: str) -> str:
        """Return the translation of a word of the user interface, independent of packs."""
        return _translated_word(word, language, (self._fixed, self._words))

    def say(self, code: str, language: str, /, **facts: Any) -> str:
        """Return the sentence for `code`; without one, the message in `facts`, or the code."""
        robot, plain = self._split_robot(code)
        if robot:
            return self.sentence_for_robot(
                robot, self.of_pack(robot).say(plain, language, **facts), language
            )
        template = self._sentences.get(code, {}).get(language)
        if template is None:
            return str(facts.get("message") or code)
        if _CAUSE.search(template):
            facts["cause"] = self._failure_message(
                facts.get("why") or facts.get("message"), language
            )
            template = template if facts["cause"] else _CAUSE.sub("", template)
        said = self._filled_in(template, language, facts)
        ends = (".", "?", "!", "”")
        begins = language == "en" and template.startswith("{") and template.endswith(ends)
        return said[:1].upper() + said[1:] if begins else said

    def answer(
        self, condition: str, language: str, why: str, args: Mapping[str, Any]
    ) -> str | None:
        """Return the text that answers a question instead of yes or no; None if there is none.

        The catalogue contains it as ``told CONDITION``, with ``{why}`` for the reason of the
        verdict. An empty text leaves the answer to the pack's reporter.
        """
        own = f"told {condition}"
        return self.say(own, language, **args, why=why) if own in self else None

    def answers_in_full(self, condition: str, language: str) -> bool:
        """Return True if `answer` returns a complete sentence, which ends with a full stop."""
        said = self.answer(condition, language, "x", {})
        return said is not None and said.endswith(".")

    def phrase(self, name: str, language: str, args: Mapping[str, Any]) -> str:
        """Return a skill, condition or tree with its arguments as a phrase: "go to the lounge".

        A tree with the name of a condition is listed as ``tree NAME``. A name without a phrase is
        translated and followed by its arguments. Whole numbers are written without decimals, and
        texts in another language in quotes. An empty argument counts as missing. If an argument
        within brackets is missing, the bracketed text is left out, or replaced by the text after
        its semicolon: ``[ to {place}]``, ``[{side};at]``.
        """
        robot = self._owners.get(name, "") or name.removeprefix("tree ").rpartition(".")[0]
        return self.sentence_for_robot(robot, self._phrase(name, language, args), language)

    def _phrase(self, name: str, language: str, args: Mapping[str, Any]) -> str:
        own, key = self._messages_with_phrase(name)
        given = {
            key: int(value) if isinstance(value, float) and value.is_integer() else value
            for key, value in self.with_quotes(args, language).items()
            if value is not None and value != ""
        }
        template = own._phrases.get(key, {}).get(language)
        if template is None:
            plain = key
            said = self.translate_word(plain, language)
            head = said if said != plain else plain.replace("_", " ")
            rest = " → ".join(own.translate_word(value, language) for value in given.values())
            return " ".join(filter(None, (head, rest)))

        def optional_part(part: re.Match[str]) -> str:
            text, _, otherwise = part[1].partition(";")
            wanted = {field for _, field, _, _ in string.Formatter().parse(text) if field}
            return text if wanted <= given.keys() else otherwise

        return own._filled_in(_OPTIONAL.sub(optional_part, template), language, given)

    def with_quotes(self, args: Mapping[str, Any], language: str) -> dict[str, Any]:
        """Return arguments; texts of several words in another language are put in quotes."""
        return {
            key: f"“{value}”"
            if isinstance(value, str)
            and " " in value
            and language_of(value) != language
            and self.translate_word(value, language) == value
            else value
            for key, value in args.items()
        }

    def result_phrase(self, skill: str, language: str, facts: Mapping[str, Any]) -> str:
        """Return the result of a skill: the phrase ``found NAME`` with its arguments and results.

        Empty if its pack has no such phrase.
        """
        name = f"found {skill}"
        return self.phrase(name, language, facts) if self.has_phrase(name) else ""

    def has_phrase(self, name: str) -> bool:
        """Return True if a skill, condition or tree has its own phrase."""
        own, key = self._messages_with_phrase(name)
        return key in own._phrases

    def _messages_with_phrase(self, name: str) -> tuple[Messages, str]:
        """Return the catalogue that contains the phrase for `name`, and its key there."""
        if name in self._phrases:
            return self, name
        plain = name.removeprefix("tree ")
        return self.of_pack(self._owners.get(plain, "")), plain.rpartition(".")[2]

    def _translated_error(self, message: str, language: str) -> str:
        """Return the message of a failure in `language`; unchanged if there is no translation."""
        said = self.translate_word(message, language)
        usage_error = language == "ko" and said == message
        return korean_error(said) if usage_error else said

    def _failure_message(self, message: Any, language: str) -> str:
        """Return the message of a failure in `language`; empty if it is not available there."""
        said = self._translated_error(str(message or ""), language)
        return said if said != _OMITTED and (language == "en" or language_of(said) == "ko") else ""

    def _filled_in(self, template: str, language: str, facts: Mapping[str, Any]) -> str:
        spoken = {name: self.translate_word(value, language) for name, value in facts.items()}
        said = _AlternativesFormatter().vformat(template, (), spoken).strip()
        return with_particles(said) if language == "ko" else with_plurals(said)

    def blocking_facts(self, facts: Iterable[str], language: str) -> str:
        """Return sentences about facts that prevent an action, or the pack's advice about them.

        Args:
            facts: Texts such as ``doorway=left``. The pack's advice is the sentence for ``first
                doorway=left``; it takes precedence over the sentence for the fact itself. A fact
                without either is returned unchanged.
            language: Language of the command.
        """
        first = {fact: f"first {fact}" for fact in facts}
        return " ".join(
            self.say(way if way in self else fact, language) for fact, way in first.items()
        )

    def stop_reason(self, reason: str, language: str) -> str:
        """Return a sentence about who or what stopped a mission.

        Args:
            reason: Reason for the stop: a signal, a role, or empty for the operator.
            language: Language of the sentence.
        """
        if reason.startswith("SIG"):
            return self.say("STOPPED_BY_SIGNAL", language, signal=reason)
        code = "ABORTED" if reason in ("", "operator") else f"ABORTED {reason}"
        return self.say(code if code in self else "ABORTED_BY", language, who=reason)

    def without_stop_advice(self, report: str, language: str) -> str:
        """Return a report without the packs' advice after a stop, which is outdated later.

        Args:
            report: Report of a mission.
            language: Language of the report.
        """
        advice = {
            own.say(code, language)
            for own in (self, *self._packs.values())
            for code in own.codes()
            if code.split()[0] == AFTER_STOP
        }
        for text in sorted(advice, key=len, reverse=True):  # one text may contain another
            report = report.replace(text, "")
        return " ".join(report.split())

    def explain_failure(self, failure: Failure, language: str) -> str:
        """Return the reason for `failure` as one sentence for the operator, in its pack's words."""
        own = self.of_pack(self._owners.get(failure.node, ""))
        detail = own._translated_error(failure.message, language)
        facts = {**failure.args, **failure.evidence, "message": detail}
        if failure.code == "NEED_NOT_MET" and "facts" in facts:
            facts["facts"] = own.blocking_facts(str(facts["facts"]).split(", "), language)
        if failure.message.startswith(INJECTED):  # this text cannot replace a measured value
            said = own.say(failure.code, language, **{**facts, "message": _OMITTED})
            said = f"{said.removesuffix('.').removesuffix(f': {_OMITTED}')}: {detail}."
        else:
            said = own.say(failure.code, language, **facts)
        return self.sentence_for_robot(self._owners.get(failure.node, ""), said, language)


@cache
def _fixed_words() -> dict[str, dict[str, str]]:
    fixed: dict[str, dict[str, str]] = read_yaml(_FIXED)
    return fixed


def _translated_word(
    text: str, language: str, tables: Iterable[Mapping[str, Mapping[str, str]]]
) -> str:
    """Return the translation of `text` from the first table that lists it, or `text`.

    A listed form may contain ``#`` in place of each number.
    """
    form = _NUMBER.sub("#", text)
    for table in tables:
        if text in table:
            return table[text].get(language, text)
        if language in (listed := table.get(form, {})):
            return _fill_numbers(listed[language], _NUMBER.findall(text))
    return text


def _fill_numbers(text: str, numbers: Iterable[str]) -> str:
    """Return `text` with its ``#`` marks replaced by `numbers`, in order."""
    for number in numbers:
        text = text.replace("#", number, 1)
    return text


class _AlternativesFormatter(string.Formatter):
    """Formatter with alternatives: ``{who|recipient}`` is the first given value, or an ellipsis."""

    def get_value(self, key: int | str, args: Any, kwargs: Mapping[str, Any]) -> Any:
        del args  # only names are used
        return next((kwargs[name] for name in str(key).split("|") if name in kwargs), _OMITTED)

    def format_field(self, value: Any, format_spec: str) -> str:
        del format_spec  # a number format would raise for a word
        return str(value)


@cache
def load_messages(*files: Path) -> Messages:
    """Return the catalogue of some files; the same files are read only once."""
    return Messages.load(files)


def executive_sentence(code: str, language: str, **facts: Any) -> str:
    """Return the executive's own sentence for `code`, independent of packs."""
    return load_messages(OWN_MESSAGES).say(code, language, **facts)
