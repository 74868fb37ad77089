"""Layer 1, vocabulary: every name and every value of a fact must be defined on the site.

Codes: ``UNKNOWN_SKILL``, ``UNKNOWN_CONDITION``, ``UNKNOWN_TREE``, ``UNKNOWN_TYPE``, ``TREE_CYCLE``,
``ELSE_WITH_TELL``, ``TOO_MANY_NEEDED``, ``UNKNOWN_FACT_VALUE``.

A fact such as ``door: {state}`` gets its value from an argument, which this layer checks. The
declarations of facts are checked by `bt_exec.verify.pack_declarations`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_exec.declarations.declared_facts import placeholders
from bt_exec.skill import Condition, Skill
from bt_exec.spec.condition_expression import Is
from bt_exec.spec.model import Check, Do, Parallel, Tree, TreeSpec, walk
from bt_exec.spec.yaml_source import Place
from bt_exec.verify.context import Context
from bt_exec.verify.effects_on_facts import fill_arguments, has_known_arguments, known_args

__all__ = ["check_fact_values", "check_vocabulary"]


def check_vocabulary(context: Context) -> None:
    """Report every name that is not defined on the site."""
    document = context.document
    if isinstance(document, TreeSpec):
        _check_header(context, document)
    for step in context.root.walk():
        node, place = step.node, step.place
        match node:
            case Do() if node.do not in context.catalogue.skills:
                _unknown_skill(context, node.do, (*place, "do"))
            case Tree(body=None):
                _check_tree(context, node.tree, (*place, "tree"), runs=True)
            case Check() if node.tell and node.code:
                message = "a check with 'tell: true' cannot have 'else': either answer succeeds"
                context.report_problem("ELSE_WITH_TELL", message, (*place, "else"), key=True)
            case Parallel() if node.needed > len(node.parallel):
                context.report_problem(
                    "TOO_MANY_NEEDED",
                    f"only {len(node.parallel)} children can succeed",
                    (*place, "succeed_when"),
                    found=str(node.needed),
                    allowed=("all", "any", *map(str, range(1, len(node.parallel) + 1))),
                )
        for part, where in step.conditions():
            if part.name not in context.catalogue.conditions:
                _unknown_condition(context, part, where)


def _check_header(context: Context, tree: TreeSpec) -> None:
    """Report unknown types of parameters, and unknown trees of alternatives."""
    for name, param in tree.params.items():
        if param.type not in context.catalogue.types:
            context.report_problem(
                "UNKNOWN_TYPE",
                f"there is no type {param.type!r}{context.catalogue.clash_advice(param.type)}",
                ("params", name, "type"),
                found=param.type,
                allowed=context.catalogue.types,
            )
    for index, way in enumerate(tree.otherwise):
        if way.tree is not None and way.tree != tree.tree:
            _check_tree(context, way.tree, ("otherwise", index, "tree"))


def _unknown_skill(context: Context, name: str, place: Place) -> None:
    hint = ""
    if name in context.catalogue.conditions:
        hint = f"; it is a condition: write 'check: {name}'"
    if name in context.library:
        hint = f"; it is a tree: write 'tree: {name}'"
    message = f"there is no skill {name!r}{context.catalogue.clash_advice(name) or hint}"
    context.report_problem(
        "UNKNOWN_SKILL", message, place, found=name, allowed=context.catalogue.skills
    )


def _unknown_condition(context: Context, condition: Is, place: Place) -> None:
    name, known = condition.name, context.catalogue.conditions
    is_skill = name in context.catalogue.skills
    hint = "; it is a skill, which is run with 'do'" if is_skill else ""
    message = f"there is no condition {name!r}{context.catalogue.clash_advice(name) or hint}"
    key = bool(condition.args)
    context.report_problem("UNKNOWN_CONDITION", message, place, found=name, allowed=known, key=key)


def _check_tree(context: Context, name: str, place: Place, *, runs: bool = False) -> None:
    """Report a tree that does not exist or, if `runs` is set, that contains the document's tree."""
    own = context.document.tree if isinstance(context.document, TreeSpec) else None
    cycle = _cycle(context, name, own) if runs and own is not None else ()
    if cycle:
        message = f"a tree runs itself: {' → '.join(cycle)}"
        context.report_problem("TREE_CYCLE", message, place, found=name)
    elif name not in context.library:
        is_skill = name in context.catalogue.skills
        hint = f"; it is a skill: write 'do: {name}'" if is_skill else ""
        message = f"there is no tree {name!r}{hint}"
        known = context.library.names()
        context.report_problem("UNKNOWN_TREE", message, place, found=name, allowed=known)


def _cycle(context: Context, start: str, own: str) -> tuple[str, ...]:
    """Return the shortest cycle from tree `own` through its subtree `start`; may be empty."""
    above = {start: own}
    waiting = [start]
    for name in waiting:
        if name == own:
            way = [own]
            while len(way) == 1 or way[-1] != own:
                way.append(above[way[-1]])
            return tuple(reversed(way))
        if name in context.library:
            for node in walk(context.library.get(name).root, Tree):
                if node.tree not in above:
                    above[node.tree] = name
                    waiting.append(node.tree)
    return ()


def check_fact_values(context: Context) -> None:
    """Report arguments that give a fact a value that its pack does not declare."""
    if not context.catalogue.facts.names():
        return
    for part, given, place in _calls(context):
        facts = [(*fact, used) for fact in _facts(part) if (used := placeholders(*fact))]
        args = known_args(part, given) if facts else {}
        for name, value, used in facts:
            if has_known_arguments(name, args) and has_known_arguments(value, args):
                _check_fact_value(
                    context,
                    fill_arguments(name, args),
                    fill_arguments(value, args),
                    place,
                    used,
                    given,
                )


def _check_fact_value(
    context: Context,
    fact: str,
    value: str,
    place: Place,
    used: tuple[str, ...],
    given: Mapping[str, object],
) -> None:
    """Report an undeclared value of a fact, at the argument from which it comes."""
    for mistake in context.catalogue.facts.mistakes(fact, value, may_be_unknown=True):
        if mistake.code == "UNKNOWN_FACT_VALUE":
            origin = [name for name in used if name in given][-1:]
            where = (*place, *origin)
            if context.has_problem_at(where):
                continue  # layer 2 reports a value of a wrong type
            context.report_problem(
                mistake.code,
                mistake.message,
                where,
                found=mistake.found,
                allowed=mistake.allowed,
            )


def _calls(
    context: Context,
) -> Iterator[tuple[Skill | Condition, Mapping[str, object], Place]]:
    """Yield every skill and condition that a document uses, with its arguments and place."""
    for step in context.root.walk():
        if isinstance(step.node, Do) and step.node.do in context.catalogue.skills:
            yield context.catalogue.skills[step.node.do], step.node.args, (*step.place, "with")
        for part, where in step.conditions():
            if part.name in context.catalogue.conditions:
                yield context.catalogue.conditions[part.name], part.args, where


def _facts(part: Skill | Condition) -> Iterator[tuple[str, str]]:
    if isinstance(part, Condition):
        yield from part.establishes.items()
    else:
        yield from part.needs.items()
        yield from part.effects.items()
