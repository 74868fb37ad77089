"""Abstract syntax of commands and questions: nodes with named arguments, the same in any language.

`KINDS` is the whole vocabulary. Formulas (``is``, ``has``, ``rel``, ``most``, ``than``, ``and``,
``or``, ``not``) describe objects; phrases refer to objects; clauses are questions or orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias, Union

__all__ = [
    "KINDS",
    "NOTHING",
    "UNSAID",
    "Node",
    "Value",
    "conjunction",
    "conjuncts",
    "disjunction",
    "in_picture",
    "is_related",
    "names_difference",
    "negation",
    "normal_form",
    "things_in",
    "without_number",
    "without_picture",
]

Value: TypeAlias = Union["Node", str, int, tuple["Node", ...]]

KINDS: Mapping[str, tuple[str, ...]] = {
    # formulas about one object
    "any": (),
    "one": (),
    "thing": ("name",),
    "has": ("attribute", "by"),
    "many": (),
    "nth": ("number",),
    "own": ("aspect",),
    "rel": ("relation", "to"),
    "shown": ("picture",),
    "bears": ("text",),
    "most": ("attribute", "of", "to", "rank"),
    "than": ("attribute", "to"),
    "and": ("of",),
    "or": ("of",),
    "not": ("of",),
    # phrases
    "np": ("of", "quantity", "wh", "det"),
    "both": ("of",),
    "next": ("of",),
    "pronoun": ("name",),
    "quantity": ("bound", "number"),
    "times": ("number",),
    "duration": ("number", "unit"),
    "aspect": ("name", "of"),
    "apart": ("of", "to"),
    "sized": ("of", "name", "number", "unit"),
    "written": ("what", "number"),
    "quote": ("said",),
    # propositions and clauses
    "exists": ("of", "about"),
    "all": ("of", "hold"),
    "done": ("of",),
    "more": ("of", "to", "sign"),
    "alike": ("aspect", "of", "to"),
    "ask": ("what", "of", "given", "order"),
    "fragment": ("of", "sign"),
    "scene": ("what",),
    # parts of answers
    "reply": ("sign", "of"),
    "placed": ("row", "column", "of"),
    # orders
    "act": ("verb", "of", "to", "source", "by", "order"),
    "avoid": ("of",),
    "remark": ("of",),
    "seq": ("of",),
    "ordered": ("of", "sign"),
    "turns": ("of", "times", "pause"),
    "tries": ("of", "number"),
    "until": ("of", "hold", "sign"),
    "if": ("of", "then", "other"),
    "again": ("of",),
    "choice": ("of",),
}
"""Kinds of nodes with the names of their arguments, in the order in which templates give them."""

_DIFFERENCES = ("missing", "new", "changed")
"""Attributes of objects that are not the same in both pictures."""
_LAST = ("last", "in_the_end")
"""Signs of acts that come after all others, and of states that are demanded for the end."""
_EMPTY: tuple[tuple[str, Value], ...] = ()


class Node:
    """One node of a meaning. Nodes are immutable and hashable; equal nodes have equal meanings.

    Args:
        kind: One of `KINDS`.
        args: Name and value of each argument that is present.
    """

    __slots__ = ("_hash", "args", "kind")

    def __init__(self, kind: str, args: tuple[tuple[str, Value], ...] = _EMPTY) -> None:
        self.kind = kind
        self.args = args
        self._hash = hash((kind, args))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Node)
            and self._hash == other._hash
            and self.kind == other.kind
            and self.args == other.args
        )

    def __repr__(self) -> str:
        shown = (
            f"[{', '.join(map(repr, value))}]"
            if isinstance(value, tuple)
            else repr(value)
            if isinstance(value, Node)
            else str(value)
            for _, value in self.args
        )
        return f"{self.kind}({', '.join(shown)})"

    def get(self, name: str) -> Value | None:
        """Return an argument, or None if it is absent."""
        return next((value for key, value in self.args if key == name), None)

    def node(self, name: str) -> Node:
        """Return an argument that is a node.

        Raises:
            KeyError: If it is absent or is not a node.
        """
        value = self.get(name)
        if not isinstance(value, Node):
            raise KeyError(name)
        return value

    def text(self, name: str) -> str:
        """Return an argument as text; empty if it is absent."""
        value = self.get(name)
        return "" if value is None else str(value)

    def parts(self, name: str = "of") -> tuple[Node, ...]:
        """Return an argument as a tuple of nodes; empty if it is absent."""
        value = self.get(name)
        if isinstance(value, Node):
            return (value,)
        return value if isinstance(value, tuple) else ()

    def replace(self, **changed: Value | None) -> Node:
        """Return the node with some arguments changed, or removed where None is given."""
        merged = {**dict(self.args), **changed}
        order = [name for name in KINDS[self.kind] if merged.get(name) is not None]
        return Node(self.kind, tuple((name, merged[name]) for name in order))  # type: ignore[misc]

    def children(self) -> Iterator[Node]:
        """Yield the nodes directly below this one."""
        for _, value in self.args:
            if isinstance(value, Node):
                yield value
            elif isinstance(value, tuple):
                yield from value

    def map_children(self, change: Callable[[Node], Node]) -> Node:
        """Return the node with `change` applied to each node directly below it."""
        args: tuple[tuple[str, Value], ...] = tuple(
            (
                name,
                change(value)
                if isinstance(value, Node)
                else tuple(map(change, value))
                if isinstance(value, tuple)
                else value,
            )
            for name, value in self.args
        )
        return Node(self.kind, args)

    def substitute(self, old: Node, new: Node) -> Node:
        """Return the node with every `old` in it replaced by `new`."""
        return new if self == old else self.map_children(lambda part: part.substitute(old, new))

    def walk(self) -> Iterator[Node]:
        """Yield the node and all nodes below it."""
        yield self
        for child in self.children():
            yield from child.walk()


def conjunction(*parts: Node) -> Node:
    """Return the conjunction of formulas, flat and without ``any`` or repetitions."""
    return _flattened_junction("and", parts)


def conjuncts(formula: Node) -> tuple[Node, ...]:
    """Return the parts of a conjunction; any other formula is itself the only part."""
    return formula.parts() if formula.kind == "and" else (formula,)


def disjunction(*parts: Node) -> Node:
    """Return the disjunction of formulas, flat and without repetitions."""
    return _flattened_junction("or", parts)


def negation(part: Node) -> Node:
    """Return the negation of a formula. Double negation cancels; marks of number are dropped."""
    if part.kind in ("and", "or"):
        part = _flattened_junction(part.kind, _without_number_marks(part))
    return part.parts()[0] if part.kind == "not" else Node("not", (("of", (part,)),))


UNSAID = negation(Node("any"))
"""Meaning of an invalid combination: edges with this meaning are discarded."""


def _without_number_marks(joined: Node) -> tuple[Node, ...]:
    """Return the parts of a conjunction or disjunction without ``one`` and ``many``."""
    return tuple(one for one in joined.parts() if one.kind not in ("one", "many"))


def in_picture(node: Node, shown: Node) -> Node:
    """Return a question restricted to the objects in the picture that the node `shown` names.

    For the second picture, a question about the differences between both pictures is kept.
    """
    if shown.text("picture") == "second" and names_difference(node):
        return node
    if node.kind == "pronoun":
        return Node("np", (("of", conjunction(node, shown)),))
    if node.kind != "np":
        return node.map_children(lambda part: in_picture(part, shown))
    return node.replace(of=conjunction(without_picture(node.node("of")), shown))


def names_difference(node: Node) -> bool:
    """Return True for a meaning about objects that are not the same in both pictures."""
    return any(one.text("attribute") in _DIFFERENCES for one in node.walk())


def without_picture(node: Node) -> Node:
    """Return a meaning without the pictures in which its objects are."""
    for one in {part for part in node.walk() if part.kind == "shown"}:
        node = node.substitute(one, Node("any"))
    return _normal(node)


NOTHING = frozenset({negation(Node("any")), negation(Node("one"))})
"""Formulas that no object satisfies."""


def _flattened_junction(kind: str, parts: tuple[Node, ...]) -> Node:
    flat: dict[Node, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts() if part.kind == kind else (part,)))
    if kind == "and":
        flat.pop(Node("any"), None)
    if len(flat) == 1:
        return next(iter(flat))
    return Node(kind, (("of", tuple(flat)),)) if flat else Node("any")


def normal_form(node: Node) -> Node:
    """Return the normal form: connectives flat and sorted, negations innermost.

    Marks such as "first" are removed, and the acts of a sequence are put in the order of execution.
    """
    return _without_order_marks(_normal(node))


@lru_cache(maxsize=4096)
def _normal(node: Node) -> Node:
    inner = node.map_children(_normal)
    rule = _RULES.get(node.kind)
    return inner if rule is None else rule(inner)


def without_number(node: Node) -> Node:
    """Return a meaning without determiners and plurals."""
    if node.kind == "many":
        return Node("any")
    plain = Node(node.kind, tuple(pair for pair in node.args if pair[0] != "det"))
    if plain.kind in ("and", "or"):
        return _flattened_junction(plain.kind, tuple(map(without_number, plain.parts())))
    return plain.map_children(without_number)


def _sequence(node: Node) -> Node:
    flat = [part for one in node.parts() for part in (one.parts() if one.kind == "seq" else (one,))]
    return Node("seq", (("of", tuple(flat)),)) if len(flat) != 1 else flat[0]


def _without_order_marks(node: Node) -> Node:
    """Return a meaning with the parts of each sequence in order of execution.

    ``ordered`` nodes are removed, except a "before" or "between" with no previous part.
    """
    inner = node.map_children(_without_order_marks) if node.kind != "seq" else node
    if inner.kind == "ordered" and inner.text("sign") not in ("before", "between"):
        return inner.node("of")
    if node.kind != "seq":
        return inner
    done: list[Node] = []
    last: list[Node] = []
    said = [part for part in node.parts() if part.kind in ("ask", "ordered")]
    for part in node.parts():
        sign = part.text("sign") if part.kind == "ordered" else ""
        if sign == "restated":  # several acts that correct the previous ones
            if done and not is_related(done[0], part.node("of").parts()[0]):
                return negation(Node("any"))
            done, sign, part = [], "", part.node("of")
        if sign == "between":  # after the parts before it, except the last one of all
            if not (done and last):
                return negation(Node("any"))
            sign, part = "", part.node("of")
        if sign in (
            "finally",
            "reminded",
        ):  # after the previous part, otherwise before the next one
            sign, part = ("", part.node("of")) if done else ("last", part)
        of = _without_order_marks(
            part.node("of") if sign in ("first", *_LAST) or (sign and done) else part
        )
        if sign in _LAST:
            last.append(of)
        else:
            done.insert({"first": 0, "before": max(len(done) - 1, 0)}.get(sign, len(done)), of)
    ordered = [part for part in (*done, *last) if part.kind == "ask"]
    if ordered[:1] != [_unmarked(part) for part in said[:1]] and _has_pronoun(ordered[:1]):
        return negation(Node("any"))  # a pronoun before the question that it refers to
    return node.replace(of=(*done, *last))


def _unmarked(part: Node) -> Node:
    return part.node("of") if part.kind == "ordered" else part


def _has_pronoun(parts: Sequence[Node]) -> bool:
    return any(one.kind == "pronoun" for part in parts for one in part.walk())


def things_in(phrase: Node) -> list[str]:
    """Return the names of the things in a meaning."""
    return [one.text("name") for one in phrase.walk() if one.kind == "thing"]


def is_related(one: Node, other: Node) -> bool:
    """Return True if two acts have the same verb or a common object."""
    verb = one.text("verb")
    return (bool(verb) and verb == other.text("verb")) or not set(things_in(one)).isdisjoint(
        things_in(other)
    )


def _hoist_order_mark(act: Node) -> Node:
    """Return an act whose ``ordered`` nodes are replaced by a single one around the act.

    An act on objects that are dealt with in turn (``next``) gets the order ``said``.
    """
    marked = {node.kind for node in act.walk()}
    if "next" in marked:
        act = _without_marks(act, "next").replace(order="said")
    if "ordered" not in marked:
        return act
    signs = {node.text("sign") for node in act.walk() if node.kind == "ordered"}
    if len(signs) > 1:
        return negation(Node("any"))
    return Node("ordered", (("of", _without_marks(act, "ordered")), ("sign", signs.pop())))


def _without_marks(node: Node, kind: str) -> Node:
    if node.kind == kind:
        return node.node("of")
    return node.map_children(lambda part: _without_marks(part, kind))


def _normal_junction(node: Node) -> Node:
    flat = _flattened_junction(node.kind, node.parts())
    if flat.kind == "or":
        flat = _satisfiable_disjunction(flat.parts())
    if flat.kind == "and":
        flat = _flattened_junction(
            "and",
            tuple(_without_excluded_alternatives(part, flat.parts()) for part in flat.parts()),
        )
    if flat.kind != node.kind:
        return flat
    return Node(flat.kind, (("of", tuple(sorted(flat.parts(), key=repr))),))


def _without_excluded_alternatives(part: Node, given: tuple[Node, ...]) -> Node:
    """Return a disjunction without alternatives that other parts of a conjunction exclude.

    If no alternative is left, a formula that no object satisfies is returned.
    """
    if part.kind != "or":
        return part
    excluded = {negation(one) for one in given}
    return _satisfiable_disjunction([one for one in part.parts() if one not in excluded])


def _satisfiable_disjunction(alternatives: Sequence[Node]) -> Node:
    """Return the disjunction of the satisfiable alternatives."""
    left = tuple(one for one in alternatives if one not in NOTHING)
    return _flattened_junction("or", left) if left else negation(Node("any"))


def _push_negation_inwards(node: Node) -> Node:
    inner = node.parts()[0]
    if inner.kind in ("and", "or"):  # De Morgan
        other = "or" if inner.kind == "and" else "and"
        parts = _without_number_marks(inner) or inner.parts()
        if len(parts) == 1:
            return _pushed_not(parts[0])
        return _normal_junction(_flattened_junction(other, tuple(map(_pushed_not, parts))))
    return negation(inner)


def _pushed_not(part: Node) -> Node:
    return _push_negation_inwards(Node("not", (("of", (part,)),)))


def _as_existence_question(node: Node) -> Node:
    """Return a condition with a "which" question replaced by "is there such an object?"."""
    question = node.node("of")
    about = question.get("of")
    if question.text("what") != "which" or not isinstance(about, Node) or not about.text("wh"):
        return node
    exists = Node("exists", (("of", about.replace(wh=None)),))
    return node.replace(of=question.replace(what="whether", of=exists))


_RULES: Mapping[str, Callable[[Node], Node]] = {
    "if": _as_existence_question,
    "and": _normal_junction,
    "or": _normal_junction,
    "not": _push_negation_inwards,
    "seq": _sequence,
    "act": _hoist_order_mark,
}
