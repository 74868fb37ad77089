"""Packs, which contain everything for one domain, and the catalogue of a site's packs.

Any package can register one with::

    [project.entry-points."bt_exec.packs"]
    kitchen = "my_kitchen.pack:PACK"

and a site file names the packs it uses. A pack is data: skills, conditions, named types, passes,
the paths of its trees, words and sentences, and factories for its robots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from bt_exec.declarations.built_in import CONDITIONS, SKILLS
from bt_exec.declarations.declared_facts import DeclaredFacts
from bt_exec.declarations.pack_validation import BUILT_IN_TYPES, check_field_types
from bt_exec.failure import Problem, RegistrationError, UnknownName
from bt_exec.language.meaning import Meaning
from bt_exec.observation import Situation
from bt_exec.plugins import load_plugin, plugin_names
from bt_exec.rig import PackSettings, RigFactory, WorldSettings
from bt_exec.skill import Condition, Signature, Skill
from bt_exec.spec.library import Document, with_renamed_parts
from bt_exec.spec.model import MissionSpec

if TYPE_CHECKING:
    from bt_exec.mission_reporter import MissionReporter

__all__ = [
    "Catalogue",
    "Checker",
    "Pack",
    "Pass",
    "PassContext",
    "PlanFormat",
    "find_pack",
    "pack_names",
]


@dataclass(frozen=True)
class PassContext:
    """Input of a pass or a checker.

    Attributes:
        situation: The observed situation at the time of the request.
        settings: The pack's settings of the site, an instance of its `bt_exec.rig.PackSettings`.
        command: The command as typed.
        meant: The plan of the offline compiler for the same command, expanded; None if there is
            none. For checkers only.
        stated: Further data that a model returned with its plan. For checkers only.
        meaning: Requested acts, if the command was parsed unambiguously.
    """

    situation: Situation
    settings: Any
    command: str = ""
    meant: MissionSpec | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    meaning: Meaning | None = None


class Pass(NamedTuple):
    """A transformation of a spec after compiling: pure, named, idempotent.

    Attributes:
        name: Name in the plan's notes.
        apply: Takes the spec (subtrees expanded) and the context. Returns the new spec and a short
            sentence for each change.
    """

    name: str
    apply: Callable[[MissionSpec, PassContext], tuple[MissionSpec, tuple[str, ...]]]


Checker: TypeAlias = Callable[[MissionSpec, PassContext], Iterable[Problem]]
"""A function that returns the problems of a plan for a command.

It receives the spec with subtrees expanded, before the passes. It must tolerate unknown names,
which other layers report.
"""

_GROUP = "bt_exec.packs"

Part = TypeVar("Part", Skill, Condition)


class PlanFormat(NamedTuple):
    """External format of a plan, such as the JSON of another planner.

    Attributes:
        read: Takes the text, the name of its file and the command; returns the mission.
        write: Takes an expanded mission; returns the text.

    Both raise `SpecError` for input that they do not support.
    """

    read: Callable[[str, str, str], MissionSpec]
    write: Callable[[MissionSpec], str]


@dataclass(frozen=True)
class Pack:
    """Pack of one domain: skills, conditions, trees, words and rigs.

    Attributes:
        name: Name in site files and entry points.
        requires: Packs that this pack builds on; a site that uses it must use them, too.
        summary: Description in one line.
        skills: Skills.
        conditions: Conditions.
        types: Named types for the ``params`` of trees: ``{"Arm": Literal["left", "right"]}``.
        facts: Facts and their values: ``{"hand.{Arm}": ("empty", "cup")}``. Braces name a type
            of the pack; see `bt_exec.declarations.declared_facts`. Skills and conditions may
            use only these facts and those of the packs it requires.
        passes: Transformations of a spec after compiling, in order.
        checkers: Functions that find problems in a plan; they run before the passes.
        prompt: File with the domain knowledge for a model's prompt, or None; keep it short.
        trees: Folder of its tree files, or None.
        overrides: Names of trees of the packs it requires that its own trees replace.
        recovery: Name of a tree that brings the robot into a state from which any plan can start. A
            resumed mission runs it first if its remaining part cannot start otherwise. Empty if
            there is none.
        messages: File of its sentences by code, or None.
        lexicon: File of its words for the offline compiler, or None.
        words: Function that takes the site's settings for the pack and returns further words in
            the form of the lexicon, such as names of places and persons; or None.
        names: Function that takes the site's settings for the pack and returns display names by id
            and language, such as ``{"lounge": {"en": "the lounge", "ko": "라운지"}}``; or None.
        called: Function that returns the display name of an object that is known only at run time,
            from its identifier and the language: "red cube 1" for ``object_red_cube_1``. It
            returns None for other texts.
        services: Types of the services that its rigs offer its skills and conditions, by name:
            ``{"site_map": SiteMap}``; see `bt_exec.skill.Service`.
        robots: Rig factories by the name a site uses.
        identities: For robots outside this process: functions by the names in `robots`. Each takes
            the pack's settings and returns the identity of the robot, such as a serial number or
            an address (`bt_exec.mission.robot_lock.network_identity`). It must not open the robot,
            because the robot is locked by its identity first.
        settings: Model of the pack's settings in a site file.
        world: Model of the initial states of its simulated world.
        formats: External plan formats that the pack reads and writes, by name.
        reporter: Function that makes the pack's reporter of one mission from the services of its
            rig, or None.
        doctor: Function that checks the machine for ``bt-exec doctor`` and returns tuples of name,
            status (``ok``, ``missing`` or ``optional``), detail and advice; or None.
        instance_of: Name of the installed pack if the site gives it another name; see
            `instance`. Empty otherwise.
    """

    name: str
    summary: str = ""
    requires: tuple[str, ...] = ()
    skills: tuple[Skill, ...] = ()
    conditions: tuple[Condition, ...] = ()
    types: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Iterable[str]] = field(default_factory=dict)
    passes: tuple[Pass, ...] = ()
    checkers: tuple[Checker, ...] = ()
    prompt: Path | None = None
    trees: Path | None = None
    overrides: tuple[str, ...] = ()
    recovery: str = ""
    messages: Path | None = None
    lexicon: Path | None = None
    words: Callable[[Any], Mapping[str, Any]] | None = None
    names: Callable[[Any], Mapping[str, Mapping[str, str]]] | None = None
    called: Callable[[str, str], str | None] | None = None
    services: Mapping[str, type] = field(default_factory=dict)
    robots: Mapping[str, RigFactory] = field(default_factory=dict)
    identities: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    settings: type[PackSettings] = PackSettings
    world: type[WorldSettings] = WorldSettings
    formats: Mapping[str, PlanFormat] = field(default_factory=dict)
    reporter: Callable[[Mapping[str, Any]], MissionReporter] | None = None
    doctor: Callable[[], Iterable[tuple[str, str, str, str]]] | None = None
    instance_of: str = ""

    @property
    def kind(self) -> str:
        """Name of the installed pack, independent of its name at the site."""
        return self.instance_of or self.name

    def instance(self, name: str) -> Pack:
        """Return the pack with the name that a site gives to one of its robots."""
        return self if name == self.name else replace(self, name=name, instance_of=self.kind)


class Catalogue:
    """The skills, conditions and types of the packs of a site, by name.

    A name that two packs define is ambiguous; both definitions are called ``pack.name`` on the
    site. Trees of a pack keep using the plain name for the pack's own definitions
    (`with_site_names`), and so does the pack's code: checkers, passes, plan formats and reporters
    receive plans in the pack's own names.

    A site may have several robots of one pack: instances with different names. All their
    definitions clash, so their trees are called ``robot.tree``, too. The resources that they claim
    and the facts of their pack are separate for each robot, such as ``robot/fact``. Facts of
    required packs are shared.

    Attributes:
        packs: The packs.
        skills: Skills by name.
        conditions: Conditions by name.
        types: Types of arguments by name.
        owners: Name of the defining pack by skill or condition; empty for those of
            `bt_exec.declarations.built_in`.
        shared: The packs that define a name, for every skill, condition and type that clashes.
        trees: Names of trees by robot, for robots that share a pack.

    Raises:
        RegistrationError: If a pack defines a name twice, redefines a built-in name or type, or
            has a field of the wrong type.
    """

    def __init__(self, packs: Iterable[Pack]) -> None:
        self.packs = tuple(packs)
        self.skills: dict[str, Skill] = {}
        self.conditions: dict[str, Condition] = {}
        self.types: dict[str, Any] = dict(BUILT_IN_TYPES)
        self.owners: dict[str, str] = {}
        self.shared: dict[str, tuple[str, ...]] = {}
        self.trees: dict[str, frozenset[str]] = {}
        self._by_name = {pack.name: pack for pack in self.packs}
        self._kinds = Counter(pack.kind for pack in self.packs)
        for pack in self.packs:
            check_field_types(pack)
            _check_parts(pack, "skills", pack.skills, Skill)
            _check_parts(pack, "conditions", pack.conditions, Condition)
            _check_names(pack)
        self._find_shared()
        for pack in self.packs:
            for part in (*pack.skills, *pack.conditions):
                name = self.name_on_site(pack.name, part.name)
                self.owners[name] = pack.name
                _check_declared_services(pack, part)
                if isinstance(part, Skill):
                    self.skills[name] = self._with_site_names(pack.name, part)
                elif isinstance(part, Condition):
                    self.conditions[name] = self._with_site_names(pack.name, part)
            for name, hint in pack.types.items():
                self.types[self.name_on_site(pack.name, name)] = hint
        self.skills.update({part.name: part for part in SKILLS})
        self.conditions.update({part.name: part for part in CONDITIONS})
        self.owners.update({part.name: "" for part in (*SKILLS, *CONDITIONS)})

    def _find_shared(self) -> None:
        """Fill `shared` with the skills, conditions and types that several packs define.

        A type does not clash if all its definitions are equal.
        """
        parts: dict[str, list[str]] = {}
        types: dict[str, dict[str, Any]] = {}
        for pack in self.packs:
            for part in (*pack.skills, *pack.conditions):
                parts.setdefault(part.name, []).append(pack.name)
            for name, hint in pack.types.items():
                types.setdefault(name, {})[pack.name] = hint
        for name, owners in parts.items():
            if len(owners) > 1:
                self.shared[name] = tuple(owners)
        for name, hints in types.items():
            if any(hint != next(iter(hints.values())) for hint in hints.values()):
                self.shared[name] = tuple(hints)

    def _with_site_names(self, pack: str, part: Part) -> Part:
        """Return a skill or condition with the names and facts of this site."""
        name = self.name_on_site(pack, part.name)
        changed: dict[str, Any] = {} if name == part.name else {"name": name}
        if self.is_robot(pack):
            fields = ("needs", "effects") if isinstance(part, Skill) else ("establishes",)
            changed |= {field: self.facts_on_site(pack, getattr(part, field)) for field in fields}
            if isinstance(part, Skill):
                changed["uses"] = frozenset(f"{pack}/{use}" for use in part.uses)
        return replace(part, **changed) if changed else part

    def is_robot(self, pack: str) -> bool:
        """Return True if `pack` is one of several robots of one pack."""
        return pack in self._by_name and self._kinds[self._by_name[pack].kind] > 1

    @property
    def robots_sharing_pack(self) -> tuple[str, ...]:
        """Names of all robots that share their pack with another robot."""
        return tuple(pack.name for pack in self.packs if self.is_robot(pack.name))

    def facts_on_site(self, pack: str, facts: Mapping[str, str]) -> dict[str, str]:
        """Return facts of `pack` with their names on this site."""
        if not self.is_robot(pack):
            return dict(facts)
        return {self._fact_in(pack, fact): value for fact, value in facts.items()}

    def _fact_in(self, pack: str, fact: str) -> str:
        return fact if self._is_common(pack, fact) else f"{pack}/{fact}"

    def _is_common(self, pack: str, fact: str) -> bool:
        """Return True if a fact is declared by a required pack and not by `pack` itself."""
        if not self._by_name[pack].requires:
            return False
        own = DeclaredFacts([_facts_and_types_of(self._by_name[pack])])
        return not own.matches(fact) and self.facts_usable_by(pack).matches(fact)

    def facts_in_pack(self, pack: str, facts: Mapping[str, str]) -> dict[str, str]:
        """Return facts of the site under the names in `pack`, without facts of its other robots."""
        if not self.is_robot(pack):
            return dict(facts)
        others = tuple(f"{robot}/" for robot in self.robots_sharing_pack if robot != pack)
        return {
            fact.removeprefix(f"{pack}/"): value
            for fact, value in facts.items()
            if not fact.startswith(others)
        }

    def tree_name_on_site(self, pack: str, tree: str) -> str:
        """Return the name on this site of a tree of `pack`."""
        return f"{pack}.{tree}" if tree in self.trees.get(pack, ()) else tree

    def tree_name_in_pack(self, pack: str, tree: str) -> str:
        """Return the name that `pack` itself uses for a tree of this site."""
        plain = tree.removeprefix(f"{pack}.")
        return plain if plain in self.trees.get(pack, ()) else tree

    def name_on_site(self, pack: str, name: str) -> str:
        """Return the name on this site of a skill, condition or type that `pack` calls `name`."""
        return f"{pack}.{name}" if pack in self.shared.get(name, ()) else name

    def name_in_pack(self, pack: str, name: str) -> str:
        """Return the name that `pack` itself uses for `name`, the inverse of `name_on_site`."""
        owner, dot, plain = name.rpartition(".")
        return plain if dot and owner == pack and pack in self.shared.get(plain, ()) else name

    def with_site_names(self, pack: str, tree: Document) -> Document:
        """Return a tree of `pack` with clashing plain names qualified by the pack's name."""
        if not self.clashes(pack):
            return tree
        return with_renamed_parts(
            tree,
            lambda name: self.name_on_site(pack, name),
            lambda name: self.tree_name_on_site(pack, name),
        )

    def with_pack_names(self, pack: str, tree: Document) -> Document:
        """Return a tree with the names that `pack` itself uses, for the pack's own code."""
        if not self.clashes(pack):
            return tree
        return with_renamed_parts(
            tree,
            lambda name: self.name_in_pack(pack, name),
            lambda name: self.tree_name_in_pack(pack, name),
        )

    def clashes(self, pack: str) -> bool:
        """Return True if `pack` defines a name that another pack defines, too."""
        return self.is_robot(pack) or any(pack in packs for packs in self.shared.values())

    def clash_advice(self, name: str) -> str:
        """Return advice on how to write a name that several packs define; empty for other names."""
        packs = self.shared.get(name, ())
        if not packs:
            return ""
        full = " or ".join(f"{pack}.{name}" for pack in packs)
        return f"; packs {' and '.join(packs)} both define it: write {full}"

    @cached_property
    def facts(self) -> DeclaredFacts:
        """The facts that the packs of the site declare."""
        return DeclaredFacts(map(self._facts_and_types_on_site, self.packs))

    def facts_usable_by(self, pack: str) -> DeclaredFacts:
        """Return the facts that `pack` may use: its own, and those of the packs it requires."""
        wanted = [self._by_name[pack]]
        for one in wanted:
            wanted += [
                other
                for other in self.packs
                if {other.name, other.kind} & set(one.requires) and other not in wanted
            ]
        return DeclaredFacts(
            [_facts_and_types_of(wanted[0]), *map(self._facts_and_types_on_site, wanted[1:])]
        )

    def _facts_and_types_on_site(
        self, pack: Pack
    ) -> tuple[dict[str, Iterable[str]], dict[str, Any]]:
        """Return the facts of a pack with their names on this site, and its types."""
        facts, types = _facts_and_types_of(pack)
        space = f"{pack.name}/" if self.is_robot(pack.name) else ""
        return {f"{space}{fact}": values for fact, values in facts.items()}, types

    def owner(self, name: str) -> str:
        """Return the name of the pack that defines a skill or condition; empty if built in."""
        return self.owners[name]

    def acting_skills(self) -> frozenset[str]:
        """Return the names of the skills that change facts, and of the built-in skills.

        All other skills only observe or answer.
        """
        known = self.skills.items()
        return frozenset(name for name, skill in known if skill.effects or not self.owner(name))

    def skill(self, name: str) -> Skill:
        """Return the skill called `name`.

        Raises:
            UnknownName: If no pack of the site defines it.
        """
        if name not in self.skills:
            raise UnknownName("skill", name, self.skills)
        return self.skills[name]


def _facts_and_types_of(pack: Pack) -> tuple[dict[str, Iterable[str]], dict[str, Any]]:
    """Return the facts that a pack declares, and its types by name."""
    return dict(pack.facts), {**BUILT_IN_TYPES, **pack.types}


def _check_names(pack: Pack) -> None:
    """Raise RegistrationError if a pack defines a name twice or redefines a built-in one."""
    seen: set[str] = set()
    for part in (*pack.skills, *pack.conditions):
        if any(part.name == own.name for own in (*SKILLS, *CONDITIONS)):
            message = f"{part.name!r} is built in; rename that of pack {pack.name}"
            raise RegistrationError(message)
        if part.name in seen:
            raise RegistrationError(
                f"{part.name!r} is defined by pack {pack.name} and again by {pack.name}"
            )
        seen.add(part.name)
    for name, hint in pack.types.items():
        if BUILT_IN_TYPES.get(name, hint) != hint:
            raise RegistrationError(f"type {name!r} of pack {pack.name} redefines a built-in type")


def _check_parts(pack: Pack, what: str, given: Any, kind: type[Skill | Condition]) -> None:
    """Raise RegistrationError for objects that are not decorated skills or conditions."""
    word = kind.__name__.lower()
    if not isinstance(given, Iterable):
        found = type(given).__name__
        message = f"{what} must be a tuple, ({word},); found a {found}"
        raise RegistrationError(f"pack {pack.name}: {message}")
    for part in given:
        if not isinstance(part, kind):
            name = getattr(part, "__name__", None) or getattr(part, "name", None) or repr(part)
            message = f"{name} is not a {word}; declare it with @{word}(…)"
            raise RegistrationError(f"pack {pack.name}: {message}")


def _check_declared_services(pack: Pack, part: Signature) -> None:
    """Raise RegistrationError if a service of a skill or condition does not match its pack.

    Its name and type must be those in `Pack.services`, and it must be annotated as a `Service`.
    """
    kind = type(part).__name__.lower()
    for name in part.arguments.keys() & pack.services.keys():
        if part.arguments[name] is pack.services[name]:  # a service cannot be an argument of a plan
            wanted = _name_of(part.arguments[name])
            raise RegistrationError(
                f"{kind} {part.name} takes the service {name!r} of pack {pack.name} "
                f"as an argument; write {name}: Service[{wanted}]"
            )
    for name, wanted in part.services.items():
        offered = pack.services.get(name)
        if offered is None:
            known = ", ".join(pack.services) or "none"
            raise RegistrationError(
                f"{kind} {part.name} requires the service {name!r}, "
                f"which pack {pack.name} does not offer; it offers: {known}"
            )
        if offered is not wanted and not (
            isinstance(wanted, type) and wanted in getattr(offered, "__mro__", ())
        ):
            raise RegistrationError(
                f"{kind} {part.name} requires the service {name!r} to be a {_name_of(wanted)}, "
                f"but pack {pack.name} offers a {_name_of(offered)}"
            )


def _name_of(hint: Any) -> str:
    return getattr(hint, "__name__", None) or str(hint)


def pack_names() -> tuple[str, ...]:
    """Return the names of all installed packs."""
    return plugin_names(_GROUP)


def find_pack(name: str) -> Pack:
    """Return the installed pack called `name`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported.
        RegistrationError: If the registered object is not a pack, or is an invalid one.
    """
    pack = load_plugin(_GROUP, "pack", name)
    if not isinstance(pack, Pack):
        raise RegistrationError(f"pack {name!r} is registered, but it is not a Pack: {pack!r}")
    if pack.name != name:  # otherwise the site's settings for the pack would be ignored
        raise RegistrationError(f"pack {name!r} is registered, but its name is {pack.name!r}")
    check_field_types(pack)  # checked early, because site files are validated against its settings
    return pack
