"""A command into parts, each a tree with arguments, or into the reason why not.

Every reading of the command is split into clauses; clauses whose frame is a tree's are that tree.
A clause that names no object, or says *it*, takes an object that was named beside it, if exactly
one tree comes of that. Clauses that close a mission ("come back and tell me") come last, once,
wherever they were said, and a question asks for its answer. Nothing else is tried: what is not
understood is not guessed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bt_exec.spec.library import Library
from bt_exec_llm.clauses import Clause
from bt_exec_llm.fill import Filler, Part
from bt_exec_llm.frames import Index
from bt_exec_llm.trouble import Trouble, trouble_before, trouble_of
from bt_exec_llm.units import Reading, Unit

__all__ = ["Part", "understand"]

_ACTS = ("verb", "word")
_FIRST = frozenset(
    {"NEGATED", "NOT_ASKED", "CONDITION", "TIME", "COUNT", "MANNER", "CHOICE", "NOT_A_COMMAND"}
)


def understand(
    text: str, language: str, index: Index, library: Library
) -> tuple[Part, ...] | Trouble:
    """Return what a cleaned command asks for, part by part, or why it is not understood."""
    if code := index.alone(text, language):
        return Trouble(code, text)
    found = index.read(text, language)
    matcher = _Matcher(text, language, index, library)
    results = [(matcher.match(reading), _proxies(reading)) for reading in found]
    troubles = [result for result, _ in results if isinstance(result, Trouble)]
    for trouble in troubles:
        if trouble.code in _FIRST:
            return trouble
    plainest = min((n for result, n in results if not isinstance(result, Trouble)), default=0)
    matches = [result for result, n in results if n == plainest and not isinstance(result, Trouble)]
    meanings = {tuple((part.tree, *sorted(part.args.items())) for part in m) for m in matches}
    if len(meanings) > 1:
        return Trouble("AMBIGUOUS", text)
    if matches:
        return matches[0]
    worst = min(troubles, key=lambda trouble: trouble.rank, default=Trouble("NOT_UNDERSTOOD", text))
    if worst.code == "NO_OBJECT" and language == "ko":  # a message may have swallowed the rest
        kinds = {kind for slot in index.lexicon.texts.values() for kind in slot.to}
        return trouble_before(index.without_texts(text), kinds, text, language) or worst
    return worst


class _Matcher:
    """Matches the clauses of one reading."""

    def __init__(self, text: str, language: str, index: Index, library: Library) -> None:
        self.text = text
        self.language = language
        self.index = index
        self.fill = Filler(text, library, index.lexicon)

    def match(self, reading: Reading) -> tuple[Part, ...] | Trouble:
        """Return the parts of `reading`, or what is wrong with it."""
        fuller = self._with_unsaid(reading)
        found = self._match(fuller)
        if fuller == reading or not isinstance(found, Trouble):
            return found
        plain = self._match(reading)
        return found if isinstance(plain, Trouble) else plain

    def _with_unsaid(self, reading: Reading) -> Reading:
        """Return `reading` with what its verbs are about where it names nothing of the kind.

        "Go on patrol" is that everywhere, "go on patrol in the lounge" is not.
        """
        said = {unit.name for unit in reading if unit.kind == "value"}
        units: list[Unit] = []
        for unit in reading:
            way = self.index.lexicon.ways.get(unit.value) if unit.kind in _ACTS else None
            for kind, value in (way.about if way is not None else {}).items():
                if kind not in said and value in self.index.lexicon.values.get(kind, {}):
                    units.append(Unit("value", kind, value, start=unit.start, end=unit.end))
            units.append(unit)
        return tuple(units)

    def _match(self, reading: Reading) -> tuple[Part, ...] | Trouble:
        if any(unit.kind == "unknown" for unit in reading) or not _forms_agree(reading):
            return trouble_of(reading, self.text, self.language)
        said = [unit for unit in reading if unit.kind not in ("filler", "stop")]
        if said and said[-1].kind == "then":
            return trouble_of(reading, self.text, self.language, Trouble("UNFINISHED", self.text))
        every = self.index.clauses(reading)
        closing = self.index.lexicon.closing
        work = [part for part in every if not part.closing]
        ends = dict.fromkeys(clause.closing for clause in every if clause.closing)
        if work and not ends and any(_asks(clause) for clause in work):
            ends = dict.fromkeys(closing)
        found = self._parts(work or every)
        if isinstance(found, Trouble):
            return trouble_of(reading, self.text, self.language, found)
        if not found:
            return trouble_of(reading, self.text, self.language)
        if work:
            last = [clause for clause in every if clause.closing]
            words = self.fill.said(last) if last else ""
            done = {part.tree for part in found}
            found += [Part(tree, {}, words) for tree in ends if done - {*closing[tree].unless}]
        return tuple(found)

    def _parts(self, every: list[Clause]) -> list[Part] | Trouble:
        """Return the parts of clauses, in order."""
        parts: list[Part] = []
        position = 0
        while position < len(every):
            step = self._step(every, position)
            if isinstance(step, Trouble):
                return step
            found, position, borrowed = step
            same = parts[-len(found) :] == list(found) or (
                parts and (parts[-1].tree, parts[-1].args) == (found[0].tree, found[0].args)
            )
            if not (borrowed and same):
                parts.extend(found)
        return parts

    def _step(
        self, every: list[Clause], first: int
    ) -> tuple[tuple[Part, ...], int, bool] | Trouble:
        """Return the parts at clause `first`, where the next begins, and whether they borrowed."""
        for end in range(len(every), first, -1):
            names = self.index.find(every[first:end], self.language)
            if len(names) > 1:
                return Trouble("AMBIGUOUS", self.fill.said(every[first:end]))
            if names:
                shared = self._leading(every) if first else []
                found = self.fill.parts(next(iter(names)), every[first:end], shared)
                return found if isinstance(found, Trouble) else (found, end, False)
        return self._borrow(every, first)

    def _borrow(self, every: list[Clause], at: int) -> tuple[tuple[Part, ...], int, bool] | Trouble:
        """Give a clause the object that was named beside it."""
        clause = every[at]
        said = self.fill.said([clause])
        acts = any(unit.acts for unit in clause.units)
        if clause.has("noun"):
            return Trouble("NOT_TOGETHER" if acts else "NO_ACTION", said)
        if not acts:
            names = clause.has("pronoun") or clause.has("value")
            return Trouble("NO_ACTION" if names else "NOT_UNDERSTOOD", said)
        pronoun = clause.has("pronoun")
        hits: dict[str, tuple[int, Clause]] = {}
        for source in self._sources(every, at):
            for filled in _filled(clause, every[source]):
                for name in self.index.find([filled], self.language):
                    hits.setdefault(name, (source, filled))
        if len(hits) != 1:
            code = "AMBIGUOUS" if hits else "NO_REFERENT" if pronoun else "NO_OBJECT"
            return Trouble(code, said)
        (name, (source, filled)), *_ = hits.items()
        shared = [*self._leading(every), *(() if pronoun else every[source].values)]
        found = self.fill.parts(name, [filled], shared)
        if isinstance(found, Trouble):
            return found
        return tuple(replace(part, text=said) for part in found), at + 1, True

    def _sources(self, every: list[Clause], at: int) -> list[int]:
        """Return the clauses that may name the object of the clause `at`, the nearest first."""
        before = list(range(at - 1, -1, -1))
        named = every[at].has("pronoun") or any(
            every[source].has("noun") or every[source].has("value") for source in before
        )
        if named or self.language != "en" or at + 1 == len(every):
            return before if named else []
        return [at + 1]

    def _leading(self, every: list[Clause]) -> list[Unit]:
        """Return the values that open an English command and so hold for all of it."""
        return list(every[0].values) if self.language == "en" and every[0].leads else []


def _proxies(reading: Reading) -> int:
    """Return how often something is named for something else."""
    return sum(unit.form == "proxy" for unit in reading)


def _asks(clause: Clause) -> bool:
    """Whether a clause asks: it names what it is about, and no action."""
    return clause.has("value") and not any(unit.acts for unit in clause.units)


def _filled(clause: Clause, source: Clause) -> Iterable[Clause]:
    """Yield `clause` with a noun of `source` for its pronoun, or in each place where one could be.

    Values that belong to a frame are taken over by type, all of a list.
    """
    units = clause.units
    for noun in (unit for unit in source.units if unit.kind == "noun"):
        if clause.has("pronoun"):
            swapped = tuple(noun if unit.kind == "pronoun" else unit for unit in units)
            yield replace(clause, units=swapped)
            continue
        for place in range(len(units) + 1):
            yield replace(clause, units=(*units[:place], noun, *units[place:]))
    mine = {unit.name for unit in units}
    others = dict.fromkeys(u.name for u in source.units if u.kind == "value" and u.name not in mine)
    for name in others:
        taken = tuple(unit for unit in source.units if unit.kind == "value" and unit.name == name)
        yield replace(clause, units=(*taken, *(u for u in units if u.kind != "pronoun")))


def _forms_agree(reading: Reading) -> bool:
    """Whether every English verb has the form that the politeness before it wants."""
    wanted, pending, joined = "base", False, True
    for unit in reading:
        if unit.kind == "lead":
            wanted, pending = unit.form, True
        elif unit.kind == "then":
            if pending:
                return False
            joined = True
        elif unit.kind == "verb":
            loose = joined and not pending and unit.form == "base"
            if unit.form and unit.form != wanted and not loose:
                return False
            pending = joined = False
        elif pending and unit.kind not in ("filler", "stop", "value", "not"):
            return False
    return not pending
