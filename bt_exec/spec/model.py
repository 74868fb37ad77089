"""Models of trees: the data that authors write and compilers, journal and builder share.

A node has exactly one kind and any of the modifiers. What each modifier means and when it acts:

``for_each``
    The node once per item of a list, in order, one item per tick. ``{item: $items}`` names the
    item, ``at_most`` bounds the list (20 if it is left out). Any failure ends it. The list is read
    once on entry; one that is known in advance is expanded before the mission runs.
``skip_if``
    If the condition holds, the node is done without doing anything; the skip log says why. Asked
    once on entry, for each item.
``repeat``
    All of what follows N times in a row, one round per tick; any failure ends it.
``until``
    With ``repeat``: asked after each round, from the tick in which the round succeeded until it is
    known. The rounds end with success once it holds. N rounds without it fail with NOT_REACHED, or
    with the code beside the condition: ``until: {door_is: {state: open}, else: DOOR_SHUT}``.
``retry``
    Up to N attempts in all, one per tick, while the failure is one that another attempt may mend;
    the last failure counts, the earlier ones are its causes.
``timeout``
    The attempt fails with TIMEOUT and is stopped. Checked each tick of an attempt *before* the node
    is ticked, so a late success cannot pass; on the mission's clock, from the beginning of the
    attempt, waiting included.
``while``
    A guard, asked each tick before the node: when it does not hold, the node is stopped and fails
    with GUARD_BROKEN, or with the code beside the condition. It must hold once before the node is
    started.

In a tree ``repeat: $n`` and ``timeout: $t`` take the value of a parameter: a whole number, and a
time with its unit.

The order is fixed: ``for_each( skip_if( repeat( retry( timeout( while( node ) ) ) ) ) )``. Every
``do`` has a timeout: its own, or that of its skill. No other attempt mends doubt that stays, a
crash, or a failure that its skill calls hopeless. It may mend a check that does not hold: ``retry``
around ``[grasp, check holding]`` grasps again, and around a check alone asks again, looking anew.

A ``sequence`` fails with the failure of its child; a ``fallback`` with that of its last child,
behind which stand those of the children before. A ``fallback`` of two plain sequences that begin
with a check and with its negation is a **choice**: if a branch fails after its check held, the
other branch is not tried, although its check may hold by then. A ``parallel`` succeeds when all,
any, or N of its children have succeeded; it fails as soon as that is out of reach, with what failed
first. Children still running are stopped at that moment; children that finished are not ticked
again.

**Entering again.** A node that is entered (by its parent, a ``retry`` or a ``repeat``) begins as if
for the first time: attempts, rounds, timer, guard, skip, patience and everything under it start
anew; only saved results and the count of a skill's calls stay. A node that is stopped, and
everything under it, counts as not reached.

**Questions.** The parts of ``all`` and ``any`` are asked from the left; the first that settles it
is the answer, and its evidence is all there is. If none does, one that is unknown makes the whole
unknown; else the answer rests on all of them and is as old as the oldest. Not knowing is neither
holding nor failing: ``check`` and ``skip_if`` wait, a guard starts nothing and lets what runs go
on. Each condition is waited for within its own patience, from the tick since which it is unknown
without a break; one that crashed is not waited for. ``all`` is given up with the first of its
unknown parts, ``any`` when none is left to wait for; the failure is that of the part whose patience
ended first.

The tests in ``tests/bt_exec/nodes`` hold every word of this: rows in ``test_modifiers.py`` and
``test_table.py``, and random trees against the interpreter in ``reference.py``, which was written
from this text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import ceil, floor
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import (
    AliasChoices,
    BeforeValidator,
    Discriminator,
    Field,
    PlainSerializer,
    Tag,
    model_validator,
)
from pydantic_core import PydanticCustomError

from bt_exec.spec.expression import Expression, Not, dump_expression
from bt_exec.spec.field_types import (
    Args,
    Bound,
    Choices,
    Code,
    Count,
    Duration,
    FullName,
    Name,
    Needed,
    Text,
    choice_type,
)
from bt_exec.spec.modifier_parameters import Filled, SpecModel
from bt_exec.spec.modifiers import MODIFIERS

__all__ = [
    "KINDS",
    "MOST_ITEMS",
    "Check",
    "Do",
    "Document",
    "Each",
    "Fallback",
    "Guard",
    "Mission",
    "MissionSpec",
    "Node",
    "NodeBase",
    "Parallel",
    "Param",
    "Sequence",
    "Tree",
    "TreeSpec",
    "Way",
    "children_of",
    "rebuild",
    "walk",
]

MOST_ITEMS = 20
"""Items of a list that ``for_each`` takes unless ``at_most`` says another number."""

_AT_MOST = "at_most"

KINDS = ("do", "check", "tree", "sequence", "fallback", "parallel")


class Guard(SpecModel):
    """Values of ``while`` and ``until``: a condition, and ``else``, the code if it is false."""

    condition: Expression = Field(alias="<condition>")
    code: Code | None = Field(default=None, alias="else")

    def __str__(self) -> str:
        """Return the condition as people say it: ``door_is open``."""
        return str(self.condition)


def _read_guard(value: Any) -> Any:
    """Take ``else`` out of the mapping that is otherwise a condition."""
    if isinstance(value, Guard):
        return value
    if not isinstance(value, dict) or "else" not in value:
        return {"<condition>": value}
    condition = {key: part for key, part in value.items() if key != "else"}
    return {"<condition>": condition, "else": value["else"]}


def _write_guard(guard: Guard) -> Any:
    condition = dump_expression(guard.condition)
    if guard.code is None:
        return condition
    named = {condition: {}} if isinstance(condition, str) else condition
    return {**named, "else": guard.code}


Guarded: TypeAlias = Annotated[Guard, BeforeValidator(_read_guard), PlainSerializer(_write_guard)]


class Each(SpecModel):
    """Value of ``for_each``: a name for the item, the list, and its maximum length."""

    item: Name
    items: Any
    most: Count = MOST_ITEMS

    def __str__(self) -> str:
        """Return it as people say it: ``item in $items``."""
        listed = self.items if isinstance(self.items, list) else [self.items]
        return f"{self.item} in {', '.join(map(str, listed)) or 'nothing'}"


def _read_each(value: Any) -> Any:
    """Read ``{item: $items, at_most: 5}``."""
    if isinstance(value, Each):
        return value
    names = [key for key in value if key != _AT_MOST] if isinstance(value, dict) else []
    items = value[names[0]] if len(names) == 1 else None
    if not (isinstance(items, list) or (isinstance(items, str) and items.startswith("$"))):
        message = "names the item and its list: {item: $items}, with 'at_most: N' if need be"
        raise PydanticCustomError("each", message)
    most = {"most": value[_AT_MOST]} if _AT_MOST in value else {}
    return {"item": names[0], "items": items, **most}


def _write_each(each: Each) -> Any:
    bound = {} if each.most == MOST_ITEMS else {_AT_MOST: each.most}
    return {each.item: each.items, **bound}


class NodeBase(Filled):
    """The modifiers every node may have; see the table at the top of this file."""

    name: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    for_each: Annotated[Each, BeforeValidator(_read_each), PlainSerializer(_write_each)] | None = (
        None
    )
    skip_if: Expression | None = None
    guarded: Guarded | None = Field(default=None, alias="while")
    retry: Count | None = None
    timeout: Duration | None = None
    repeat: Count | None = None
    until: Guarded | None = None

    @property
    def guard(self) -> Any:
        """The condition of ``while``, or None."""
        return self.guarded.condition if self.guarded is not None else None

    @property
    def modifiers(self) -> dict[str, Any]:
        """The modifiers of the node by name, the outermost first."""
        fields = {one.name: "guarded" if one.name == "while" else one.name for one in MODIFIERS}
        given = {name: getattr(self, field) for name, field in fields.items()}
        return {name: value for name, value in given.items() if value is not None} | self._filled

    @property
    def conditions(self) -> dict[str, Any]:
        """The condition expressions of the node, by the field that holds them."""
        until = self.until.condition if self.until is not None else None
        given = {"skip_if": self.skip_if, "while": self.guard, "until": until}
        given["check"] = self.__dict__.get("check")  # of a node that is a check
        return {field: expression for field, expression in given.items() if expression is not None}

    def with_conditions(self, change: Callable[[str, Any], Any]) -> dict[str, Any]:
        """Return the fields that differ once `change` is applied to each condition.

        Args:
            change: Takes the field's name and the expression; returns the new expression.
        """
        update: dict[str, Any] = {}
        for field, expression in self.conditions.items():
            changed = change(field, expression)
            if field in ("while", "until"):
                name = "guarded" if field == "while" else field
                update[name] = getattr(self, name).model_copy(update={"condition": changed})
            else:
                update[field] = changed
        return update


class Do(NodeBase):
    """Run a skill; ``save`` keeps fields of its result under names."""

    do: FullName
    args: Args = Field(default_factory=dict, alias="with")
    save: Mapping[str, Name] = Field(default_factory=dict)


class Check(NodeBase):
    """Ask a condition: succeeds if it holds, otherwise fails with ``else``.

    With ``tell: true`` the question itself is the point: either answer succeeds and is told.
    """

    check: Expression
    code: Code | None = Field(default=None, alias="else")
    tell: Annotated[bool, Field(strict=True)] = False


class Tree(NodeBase):
    """Run another tree of the library. In a mission its expanded root stands in ``body``."""

    tree: FullName
    args: Args = Field(default_factory=dict, alias="with")
    save: Mapping[str, Name] = Field(default_factory=dict)
    body: Node | None = None


class Sequence(NodeBase):
    """One after another; ends at the first failure. Finished children are not ticked again."""

    sequence: Annotated[tuple[Node, ...], Field(min_length=1)]


class Fallback(NodeBase):
    """One after another; ends at the first success. Fails with the last child's failure."""

    fallback: Annotated[tuple[Node, ...], Field(min_length=1)]

    @property
    def is_choice(self) -> bool:
        """Whether two branches begin with a check and with its negation; see the module."""
        if len(self.fallback) != 2:
            return False
        one, other = map(_asked_first, self.fallback)
        return None not in (one, other) and (one == Not(of=other) or other == Not(of=one))


class Parallel(NodeBase):
    """Parallel node; ``succeed_when`` is the number of children that must succeed."""

    parallel: Annotated[tuple[Node, ...], Field(min_length=2)]
    succeed_when: Needed = "all"

    @property
    def needed(self) -> int:
        """Number of children that must succeed."""
        by_word = {"all": len(self.parallel), "any": 1}
        return (
            by_word[self.succeed_when] if isinstance(self.succeed_when, str) else self.succeed_when
        )


def _asked_first(branch: NodeBase) -> Any:
    """Return the condition that a sequence without modifiers begins with; None if it has none."""
    if not isinstance(branch, Sequence) or branch.modifiers:
        return None
    first = branch.sequence[0]
    return first.check if isinstance(first, Check) and not first.tell else None


def _one_kind(value: Any) -> Any:
    """Refuse what is not a node before the union is tried, so that the reason is the true one."""
    if isinstance(value, NodeBase):
        return value
    if not isinstance(value, dict):
        raise PydanticCustomError("node_form", "a node is a mapping that starts with its kind")
    kinds = [kind for kind in KINDS if kind in value]
    if len(kinds) != 1:
        message = (
            "a node needs a kind" if not kinds else "a node has one kind, this one has several"
        )
        raise PydanticCustomError("node_kind", message, {"kinds": kinds})
    return value


def _tag(value: Any) -> str:
    """Return the union's tag; in angle brackets, so that error places can drop it."""
    if isinstance(value, NodeBase):
        return f"<{type(value).__name__.lower()}>"
    return f"<{next(kind for kind in KINDS if kind in value)}>"


Node: TypeAlias = Annotated[
    Annotated[Do, Tag("<do>")]
    | Annotated[Check, Tag("<check>")]
    | Annotated[Tree, Tag("<tree>")]
    | Annotated[Sequence, Tag("<sequence>")]
    | Annotated[Fallback, Tag("<fallback>")]
    | Annotated[Parallel, Tag("<parallel>")],
    Discriminator(_tag),
    BeforeValidator(_one_kind),
]


def _read_default(value: Any) -> Any:
    """Refuse ``default: null``: it would say the opposite of what it looks like."""
    if value is None:
        message = "a default needs a value; leave 'default' out if callers must give this parameter"
        raise PydanticCustomError("default", message)
    return value


class Param(SpecModel):
    """A parameter of a tree: its named type, and a default that makes it optional.

    With ``many: true`` the value is a list; type, bounds and choices are those of its items.

    ``min`` and ``max`` bound a number, ends included. ``choices`` lists the allowed values;
    ``speed: [fast, slow]`` is short for a parameter with choices and nothing else. The type of
    choices is that of their values, unless ``type`` says another.

    A parameter that is ``optional`` has no value if callers give none: arguments and modifiers
    that name it are left out then.

    One that is ``spoken`` is taken by no node: commands name it, and its words bring the values of
    others, as a person brings a place; or packs read it.
    """

    type: FullName
    choices: Choices | None = None
    least: Bound | None = Field(default=None, alias="min")
    most: Bound | None = Field(default=None, alias="max")
    default: Annotated[Any, BeforeValidator(_read_default)] = None
    many: Annotated[bool, Field(strict=True)] = False
    optional: Annotated[bool, Field(strict=True)] = False
    summary: Text = ""
    spoken: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="before")
    @classmethod
    def _read_choices(cls, value: Any) -> Any:
        """Take a list as choices, and add the type of choices that name none."""
        data = {"choices": value} if isinstance(value, list) else value
        if not isinstance(data, dict) or "type" in data or not data.get("choices"):
            return data
        return {"type": choice_type(data["choices"]), **data}

    @model_validator(mode="after")
    def _fits_together(self) -> Param:
        if self.least is not None and self.most is not None and self.least > self.most:
            raise PydanticCustomError("param", "'min' is above 'max': no value is left")
        if self.choices is not None and (self.least, self.most) != (None, None):
            message = "'choices' list all values; leave 'min' and 'max' out"
            raise PydanticCustomError("param", message)
        if self.optional and self.default is not None:
            message = "a parameter with a default may be left out; leave 'optional' out"
            raise PydanticCustomError("param", message)
        return self

    @property
    def required(self) -> bool:
        """Whether a caller must give it."""
        return self.default is None and not self.optional

    @property
    def bounds(self) -> tuple[str, ...]:
        """The bounds in words: ``at least 1``, ``at most 6``."""
        ends = (("at least", self.least), ("at most", self.most))
        return tuple(f"{word} {end}" for word, end in ends if end is not None)

    def unfit(self, value: Any) -> str:
        """Return why a value is outside the choices or bounds; empty if it is not.

        Whether it is of the type is not asked.
        """
        if self.many and isinstance(value, list):
            return next(filter(None, map(self._unfit_item, value)), "")
        return self._unfit_item(value)

    def _unfit_item(self, value: Any) -> str:
        if self.choices is not None and (isinstance(value, bool) or value not in self.choices):
            return f"must be one of {', '.join(map(str, self.choices))}"
        if type(value) not in (int, float):
            return ""
        low = self.least is not None and value < self.least
        high = self.most is not None and value > self.most
        return f"must be {' and '.join(self.bounds)}" if low or high else ""

    def hint(self, types: Mapping[str, Any]) -> Any:
        """Return the type of the values; None if `types` has none of that name."""
        hint = types.get(self.type)
        if hint is None:
            return None
        if self.choices is not None:
            hint = Literal[self.choices]
        bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        whole = bare is int  # pydantic takes no fraction as a bound of it
        for bound, end, rounded in ((Ge, self.least, ceil), (Le, self.most, floor)):
            if end is not None:
                hint = Annotated[hint, bound(rounded(end) if whole else end)]
        return list[hint] if self.many else hint  # type: ignore[valid-type] # a value


class Way(SpecModel):
    """Another way to reach the same end, tried by re-planning ``after`` one of these codes.

    The failed tree is run again with other arguments (``with``), or another tree in its place.
    ``on``, the name that ``after`` had, is still read: in most YAML it is the value true.
    """

    after: Annotated[tuple[Code, ...], Field(min_length=1)] = Field(
        validation_alias=AliasChoices("after", "on")
    )
    tree: FullName | None = None
    args: Args = Field(default_factory=dict, alias="with")

    @model_validator(mode="after")
    def _differs(self) -> Way:
        if self.tree is None and not self.args:
            message = "another way names another 'tree', or changes arguments with 'with'"
            raise PydanticCustomError("way", message)
        return self


class TreeSpec(SpecModel):
    """A tree file: a name, what it is for, what people say to get it, parameters and nodes."""

    tree: Annotated[FullName, Field(max_length=64)]
    summary: Text = ""
    utterances: tuple[Annotated[str, Field(min_length=1, max_length=200)], ...] = ()
    params: Mapping[Name, Param] = Field(default_factory=dict)
    returns: Mapping[Name, str] = Field(default_factory=dict)
    otherwise: tuple[Way, ...] = ()
    root: Node


class Mission(SpecModel):
    """The header of a mission spec: where the plan comes from and what it replaces.

    Attributes:
        command: What the person typed.
        language: ``en`` or ``ko``.
        plan_version: 1 for the first plan, one more for each re-plan.
        compiler: Who wrote it.
        model: The language model that wrote it, if one did.
        parent: The plan version this one repairs, or None.
        subgoals: The command's parts in order, for people.
        kept: Paths of finished nodes that are not run again.
        notes: What passes changed, in order.
        turn: Of a plan that is made turn by turn: ``open``, its compiler is asked for the next turn
            whatever comes of this one; ``last``, only if this one fails. None for a whole plan.
    """

    command: Annotated[str, Field(max_length=2000)]
    language: Literal["en", "ko"] = "en"
    plan_version: Annotated[int, Field(ge=1, strict=True)] = 1
    compiler: str = ""
    model: str | None = None
    parent: Annotated[int, Field(ge=1, strict=True)] | None = None
    subgoals: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    turn: Literal["open", "last"] | None = None


class MissionSpec(SpecModel):
    """A tree to be run once, for a command: what is built, shown, journalled and replayed."""

    mission: Mission
    root: Node


Document: TypeAlias = TreeSpec | MissionSpec

for _model in (Tree, Sequence, Fallback, Parallel, TreeSpec, MissionSpec):
    _model.model_rebuild()


def children_of(node: NodeBase) -> tuple[NodeBase, ...]:
    """Return the nodes directly under `node`."""
    match node:
        case Sequence():
            return node.sequence
        case Fallback():
            return node.fallback
        case Parallel():
            return node.parallel
        case Tree(body=body) if body is not None:
            return (body,)
    return ()


def walk(node: NodeBase) -> Iterator[NodeBase]:
    """Yield `node` and everything under it, parents first."""
    yield node
    for child in children_of(node):
        yield from walk(child)


def rebuild(node: NodeBase, change: Callable[[NodeBase], NodeBase]) -> NodeBase:
    """Return the tree with `change` applied to every node, children first."""
    match node:
        case Sequence() | Fallback() | Parallel():
            kind = type(node).__name__.lower()
            before = children_of(node)
            after = tuple(rebuild(child, change) for child in before)
            if any(new is not old for new, old in zip(after, before, strict=True)):
                return change(node.model_copy(update={kind: after}))
        case Tree(body=body) if body is not None:
            inner = rebuild(body, change)
            if inner is not body:
                return change(node.model_copy(update={"body": inner}))
    return change(node)
