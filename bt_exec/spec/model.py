"""Models of trees and missions, shared by authors, compilers, journal and builder.

A node has exactly one kind and any number of modifiers:

``for_each``
    Runs the node once per item of a list, in order, one item per tick. ``{item: $items}`` names the
    item, ``at_most`` limits the length of the list (default 20). Any failure ends the loop. The
    list is read once on entry; a list that is known in advance is expanded before the mission runs.
``skip_if``
    If the condition holds, the node succeeds without running; the skip log states the reason.
    Evaluated once on entry, for each item.
``repeat``
    Repeats the node N times in a row, one round per tick. Any failure ends the rounds.
``until``
    With ``repeat``: a condition that is evaluated after each round, from the tick in which the
    round succeeded until it is known. The node succeeds when the condition holds. If it does not
    hold after N rounds, the node fails with NOT_REACHED, or with the code given as ``else``:
    ``until: {door_is: {state: open}, else: DOOR_SHUT}``.
``retry``
    Makes up to N attempts in all, one per tick, while the failure is retryable. The last failure
    counts; the earlier ones are its causes.
``timeout``
    Stops an attempt that takes too long; the node fails with TIMEOUT. Checked each tick *before*
    the node is ticked, so that a late success does not count. The time is measured on the mission's
    clock from the beginning of the attempt and includes waiting.
``while``
    A guard, evaluated each tick before the node: if it does not hold, the node is stopped and fails
    with GUARD_BROKEN, or with the code given as ``else``. It must hold before the node is started.

In a tree, ``repeat: $n`` and ``timeout: $t`` take the value of a parameter, which is a whole number
or a time with its unit.

The order is fixed: ``for_each( skip_if( repeat( retry( timeout( while( node ) ) ) ) ) )``. Every
``do`` has a timeout: its own, or that of its skill. These failures are not retryable: a condition
that stays unknown, a crash, and codes that the skill declares as not retryable. A check that does
not hold is retryable: ``retry`` around ``[grasp, check holding]`` grasps again; ``retry`` around a
check alone evaluates the check again with a new observation.

A ``sequence`` fails with the failure of its child, a ``fallback`` with that of its last child and
the earlier failures as causes. A ``fallback`` of two plain sequences that begin with a check and
with its negation is a **choice**: if a branch fails after its check held, the other branch is not
tried, although its check may hold by then. A ``parallel`` succeeds when all, any, or N of its
children have succeeded; it fails with the first failure as soon as it can no longer succeed.
Running children are then stopped; finished children are not ticked again.

**Entering again.** A node that is entered (by its parent, a ``retry`` or a ``repeat``) starts from
its initial state: attempts, rounds, timer, guard, skip, patience and all nodes under it are reset.
Only saved results and the number of calls of each skill are kept. A node that is stopped, and all
nodes under it, count as not reached.

**Conditions.** The operands of ``all`` and ``any`` are evaluated from the left; the first that
decides the result provides the evidence. If none does, the result is unknown if any operand is
unknown; otherwise it rests on all operands and is as old as the oldest evidence. An unknown
condition neither holds nor fails: ``check`` and ``skip_if`` wait, and a guard does not start its
node but lets a running node continue. The patience of a condition counts from the tick since which
it has been unknown without interruption; a condition that crashed is not waited for. ``all`` fails
when the first patience runs out, ``any`` when the last does; the failure is that of the operand
whose patience ended first.

These rules are tested in ``tests/bt_exec/nodes``: as rows in ``test_modifiers.py`` and
``test_table.py``, and with random trees against the interpreter in ``reference.py``, which
implements this text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import ceil, floor
from operator import is_
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast, get_args, get_origin, overload

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

from bt_exec.spec.condition_expression import Expression, Is, Not, dump_expression
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
from bt_exec.spec.modifier_table import MODIFIERS, Fillable, SpecModel

__all__ = [
    "KINDS",
    "MOST_ITEMS",
    "Alternative",
    "Check",
    "Do",
    "Document",
    "Each",
    "Fallback",
    "Guard",
    "Kind",
    "Mission",
    "MissionSpec",
    "Node",
    "NodeBase",
    "Parallel",
    "Param",
    "Sequence",
    "Tree",
    "TreeSpec",
    "flattened_steps",
    "rebuild",
    "saved_names",
    "walk",
]

MOST_ITEMS = 20
"""Default of ``at_most``, the maximum number of items of ``for_each``."""

_AT_MOST = "at_most"

Kind: TypeAlias = Literal["do", "check", "tree", "sequence", "fallback", "parallel"]
KINDS: tuple[str, ...] = get_args(Kind)


class Guard(SpecModel):
    """Value of ``while`` and ``until``: a condition, and optionally a failure code (``else``)."""

    condition: Expression = Field(alias="<condition>")
    code: Code | None = Field(default=None, alias="else")

    def __str__(self) -> str:
        """Return text for display, such as ``door_is open``."""
        return str(self.condition)


def _read_guard(value: Any) -> Any:
    """Separate ``else`` from the condition in the same mapping."""
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
        """Return text for display, such as ``item in $items``."""
        listed = self.items if isinstance(self.items, list) else [self.items]
        return f"{self.item} in {', '.join(map(str, listed)) or 'nothing'}"


def _parse_each(value: Any) -> Any:
    """Parse the value of ``for_each``, such as ``{item: $items, at_most: 5}``."""
    if isinstance(value, Each):
        return value
    names = [key for key in value if key != _AT_MOST] if isinstance(value, dict) else []
    items = value[names[0]] if len(names) == 1 else None
    if not (isinstance(items, list) or (isinstance(items, str) and items.startswith("$"))):
        message = "must name the item and its list: {item: $items}, with 'at_most: N' if need be"
        raise PydanticCustomError("each", message)
    most = {"most": value[_AT_MOST]} if _AT_MOST in value else {}
    return {"item": names[0], "items": items, **most}


def _write_each(each: Each) -> Any:
    bound = {} if each.most == MOST_ITEMS else {_AT_MOST: each.most}
    return {each.item: each.items, **bound}


class NodeBase(Fillable):
    """Base of nodes, with the modifiers described in the module docstring."""

    name: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    for_each: Annotated[Each, BeforeValidator(_parse_each), PlainSerializer(_write_each)] | None = (
        None
    )
    skip_if: Expression | None = None
    guarded: Guarded | None = Field(default=None, alias="while")
    retry: Count | None = None
    timeout: Duration | None = None
    repeat: Count | None = None
    until: Guarded | None = None

    @property
    def kind(self) -> Kind:
        """Kind of the node."""
        return cast("Kind", type(self).__name__.lower())

    @property
    def callee_name(self) -> str:
        """Name of the skill, tree or single condition of the node; empty for other nodes."""
        return ""

    @property
    def phrase_key(self) -> str:
        """Key of the callee's phrase in the messages of packs; empty for other nodes."""
        return self.callee_name

    @property
    def call_arguments(self) -> Mapping[str, Any]:
        """Arguments of the skill, tree or single condition."""
        return {}

    @property
    def children(self) -> tuple[NodeBase, ...]:
        """Nodes directly under this one."""
        return ()

    @property
    def nominal_children(self) -> tuple[NodeBase, ...]:
        """Children that run if no node fails."""
        return self.children

    def with_children(self, children: Iterable[NodeBase]) -> NodeBase:
        """Return a copy of the node with other children; the node itself if they are the same."""
        before, after = self.children, tuple(children)
        if len(before) == len(after) and all(map(is_, before, after)):
            return self
        return self.model_copy(update=self._fields_of(after))

    def _fields_of(self, children: tuple[NodeBase, ...]) -> dict[str, Any]:
        return {self.kind: children}

    @property
    def guard(self) -> Any:
        """Condition of ``while``, or None."""
        return self.guarded.condition if self.guarded is not None else None

    @property
    def modifiers(self) -> dict[str, Any]:
        """Modifiers of the node by name, the outermost first."""
        fields = {one.name: "guarded" if one.name == "while" else one.name for one in MODIFIERS}
        given = {name: getattr(self, field) for name, field in fields.items()}
        return {name: value for name, value in given.items() if value is not None} | self._filled

    @property
    def is_plain(self) -> bool:
        """Whether the node has neither a name nor a modifier."""
        return self.name is None and not self.modifiers

    @property
    def conditions(self) -> dict[str, Any]:
        """Condition expressions of the node by field."""
        until = self.until.condition if self.until is not None else None
        given = {"skip_if": self.skip_if, "while": self.guard, "until": until}
        given["check"] = self.__dict__.get("check")  # None unless this is a check node
        return {field: expression for field, expression in given.items() if expression is not None}

    def with_conditions(self, change: Callable[[str, Any], Any]) -> dict[str, Any]:
        """Return the fields that change if `change` is applied to each condition.

        Args:
            change: Receives the field's name and the expression; returns the new expression.
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
    """Run a skill; ``save`` stores fields of its result under names."""

    do: FullName
    args: Args = Field(default_factory=dict, alias="with")
    save: Mapping[str, Name] = Field(default_factory=dict)

    @property
    def callee_name(self) -> str:
        """Name of the skill."""
        return self.do

    @property
    def call_arguments(self) -> Mapping[str, Any]:
        """Arguments of the skill."""
        return self.args


class Check(NodeBase):
    """Evaluate a condition: succeeds if it holds, otherwise fails with ``else``.

    With ``tell: true`` the check answers a question of the operator: it succeeds in both cases, and
    the answer is reported.
    """

    check: Expression
    code: Code | None = Field(default=None, alias="else")
    tell: Annotated[bool, Field(strict=True)] = False

    @property
    def callee_name(self) -> str:
        """Name of the condition; empty for a combination of several."""
        return self.check.name if isinstance(self.check, Is) else ""

    @property
    def call_arguments(self) -> Mapping[str, Any]:
        """Arguments of the condition."""
        return self.check.args if isinstance(self.check, Is) else {}


class Tree(NodeBase):
    """Run another tree of the library. In a mission, ``body`` contains the tree's expanded root."""

    tree: FullName
    args: Args = Field(default_factory=dict, alias="with")
    save: Mapping[str, Name] = Field(default_factory=dict)
    body: Node | None = None

    @property
    def callee_name(self) -> str:
        """Name of the tree."""
        return self.tree

    @property
    def phrase_key(self) -> str:
        """Key of the tree's phrase in the messages of packs."""
        return f"tree {self.tree}"

    @property
    def call_arguments(self) -> Mapping[str, Any]:
        """Arguments of the tree."""
        return self.args

    @property
    def children(self) -> tuple[NodeBase, ...]:
        """The expanded root; empty if the tree is not expanded."""
        return () if self.body is None else (self.body,)

    def _fields_of(self, children: tuple[NodeBase, ...]) -> dict[str, Any]:
        return {"body": children[0]}


class _Composite(NodeBase):
    """Node whose children are in the field named after its kind."""

    @property
    def children(self) -> tuple[NodeBase, ...]:
        """Nodes directly under this one, in order."""
        under: tuple[NodeBase, ...] = getattr(self, self.kind)
        return under


class Sequence(_Composite):
    """Sequence: runs its children in order until one fails. Finished children are not repeated."""

    sequence: Annotated[tuple[Node, ...], Field(min_length=1)]


class Fallback(_Composite):
    """Fallback: runs its children in order until one succeeds. Fails with the last failure."""

    fallback: Annotated[tuple[Node, ...], Field(min_length=1)]

    @property
    def nominal_children(self) -> tuple[NodeBase, ...]:
        """The first branch; the others run only after a failure."""
        return self.children[:1]

    @property
    def is_choice(self) -> bool:
        """Whether the branches begin with a check and its negation; see the module docstring."""
        if len(self.fallback) != 2:
            return False
        one, other = map(_first_condition, self.fallback)
        return None not in (one, other) and (one == Not(of=other) or other == Not(of=one))


class Parallel(_Composite):
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


def _first_condition(branch: NodeBase) -> Any:
    """Return the condition of the check at the start of an unmodified sequence, or None."""
    if not isinstance(branch, Sequence) or branch.modifiers:
        return None
    first = branch.sequence[0]
    return first.check if isinstance(first, Check) and not first.tell else None


def _check_is_node(value: Any) -> Any:
    """Reject values that are not nodes before the union is validated, for a precise error."""
    if isinstance(value, NodeBase):
        return value
    if not isinstance(value, dict):
        raise PydanticCustomError("node_form", "a node must be a mapping that starts with its kind")
    kinds = [kind for kind in KINDS if kind in value]
    if len(kinds) != 1:
        message = (
            "a node needs a kind" if not kinds else "a node has one kind, this one has several"
        )
        raise PydanticCustomError("node_kind", message, {"kinds": kinds})
    return value


def _union_tag(value: Any) -> str:
    """Return the tag of a node's kind for the union, in angle brackets.

    The brackets distinguish tags from keys, so that error places can omit the tags.
    """
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
    Discriminator(_union_tag),
    BeforeValidator(_check_is_node),
]


def _refuse_null_default(value: Any) -> Any:
    """Reject ``default: null``, which would make the parameter required."""
    if value is None:
        message = "a default needs a value; leave 'default' out if callers must give this parameter"
        raise PydanticCustomError("default", message)
    return value


class Param(SpecModel):
    """A parameter of a tree: its named type, and a default that makes it optional.

    With ``many: true`` the value is a list; type, bounds and choices apply to its items.

    ``min`` and ``max`` are inclusive bounds of a number. ``choices`` lists the allowed values;
    ``speed: [fast, slow]`` is short for a parameter with only ``choices``. The type of choices is
    that of their values, unless ``type`` is given.

    An ``optional`` parameter has no value if callers omit it: arguments and modifiers that refer to
    it are then omitted, too.

    A ``spoken`` parameter is named in commands but not used by nodes. Its value determines the
    values of other parameters (a person determines a place), or is read by passes and checkers.
    """

    type: FullName
    choices: Choices | None = None
    least: Bound | None = Field(default=None, alias="min")
    most: Bound | None = Field(default=None, alias="max")
    default: Annotated[Any, BeforeValidator(_refuse_null_default)] = None
    many: Annotated[bool, Field(strict=True)] = False
    optional: Annotated[bool, Field(strict=True)] = False
    summary: Text = ""
    spoken: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="before")
    @classmethod
    def _read_choices(cls, value: Any) -> Any:
        """Accept a list as choices, and add the type of choices if none is given."""
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
        """Whether callers must give the parameter a value."""
        return self.default is None and not self.optional

    @property
    def bounds_text(self) -> tuple[str, ...]:
        """Bounds in words, such as ``at least 1`` and ``at most 6``."""
        ends = (("at least", self.least), ("at most", self.most))
        return tuple(f"{word} {end}" for word, end in ends if end is not None)

    def violation(self, value: Any) -> str:
        """Return why a value violates the choices or bounds; empty if it does not.

        The type of the value is not checked.
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
        return f"must be {' and '.join(self.bounds_text)}" if low or high else ""

    def value_type(self, types: Mapping[str, Any]) -> Any:
        """Return the type of the values; None if `types` does not contain it."""
        hint = types.get(self.type)
        if hint is None:
            return None
        if self.choices is not None:
            hint = Literal[self.choices]
        bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        whole = bare is int  # pydantic rejects fractions as bounds of integers
        for bound, end, rounded in ((Ge, self.least, ceil), (Le, self.most, floor)):
            if end is not None:
                hint = Annotated[hint, bound(rounded(end) if whole else end)]
        return list[hint] if self.many else hint  # type: ignore[valid-type] # a value


class Alternative(SpecModel):
    """Alternative for re-planning after a tree failed with one of the codes in ``after``.

    The failed tree is run again with other arguments (``with``), or replaced by another tree. The
    former name of ``after``, ``on``, is still accepted; it was renamed because most YAML parsers
    read ``on`` as true.
    """

    after: Annotated[tuple[Code, ...], Field(min_length=1)] = Field(
        validation_alias=AliasChoices("after", "on")
    )
    tree: FullName | None = None
    args: Args = Field(default_factory=dict, alias="with")

    @model_validator(mode="after")
    def _check_differs(self) -> Alternative:
        if self.tree is None and not self.args:
            message = "an alternative must name another 'tree' or change arguments with 'with'"
            raise PydanticCustomError("way", message)
        return self


class TreeSpec(SpecModel):
    """A tree file: name, summary, utterances, parameters and nodes."""

    tree: Annotated[FullName, Field(max_length=64)]
    summary: Text = ""
    utterances: tuple[Annotated[str, Field(min_length=1, max_length=200)], ...] = ()
    params: Mapping[Name, Param] = Field(default_factory=dict)
    returns: Mapping[Name, str] = Field(default_factory=dict)
    otherwise: tuple[Alternative, ...] = ()
    root: Node


class Mission(SpecModel):
    """Header of a mission spec: the origin of the plan.

    Attributes:
        command: The command as typed.
        language: ``en`` or ``ko``.
        plan_version: 1 for the first plan, increased by 1 with each re-plan.
        compiler: Name of the compiler that wrote the plan.
        model: Name of the language model that wrote the plan; None without a model.
        parent: Version of the plan that this one repairs, or None.
        subgoals: Parts of the command in order, for display.
        kept: Paths of finished nodes that are not run again.
        notes: Changes made by passes, in order.
        turn: For a plan that is made turn by turn: after ``open``, the compiler is always asked
            for the next turn; after ``last``, only if this turn fails. None for a complete plan.
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
    """A mission: header, and the tree that is run once for the command."""

    mission: Mission
    root: Node

    def with_header(self, **fields: Any) -> MissionSpec:
        """Return the mission with some fields of its header changed."""
        return self.model_copy(update={"mission": self.mission.model_copy(update=fields)})


Document: TypeAlias = TreeSpec | MissionSpec
_Kind = TypeVar("_Kind", bound=NodeBase)

for _model in (Tree, Sequence, Fallback, Parallel, TreeSpec, MissionSpec):
    _model.model_rebuild()


@overload
def walk(node: NodeBase, *, failing: bool = ...) -> Iterator[NodeBase]: ...


@overload
def walk(node: NodeBase, kind: type[_Kind], *, failing: bool = ...) -> Iterator[_Kind]: ...


def walk(
    node: NodeBase, kind: type[NodeBase] = NodeBase, *, failing: bool = True
) -> Iterator[NodeBase]:
    """Yield `node` and all nodes under it that are instances of `kind`, parents first.

    Args:
        node: The node.
        kind: Class of the nodes to yield.
        failing: Whether to include branches that run only after a failure.
    """
    if isinstance(node, kind):
        yield node
    for child in node.children if failing else node.nominal_children:
        yield from walk(child, kind, failing=failing)


def flattened_steps(node: NodeBase) -> list[NodeBase]:
    """Return the steps of a plan: plain sequences are flattened, every other node is one step."""
    if isinstance(node, Sequence) and node.is_plain:
        return [step for child in node.children for step in flattened_steps(child)]
    return [node]


def saved_names(root: NodeBase) -> Iterator[str]:
    """Yield every name under which a result may be saved under `root`."""
    for node in walk(root):
        if isinstance(node, Do | Tree):
            yield from node.save.values()


def rebuild(node: NodeBase, change: Callable[[NodeBase], NodeBase]) -> NodeBase:
    """Return the tree with `change` applied to every node, children first."""
    return change(node.with_children([rebuild(child, change) for child in node.children]))
