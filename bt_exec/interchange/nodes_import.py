"""Import of nodes of BehaviorTree.CPP as nodes of the tree language, in plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bt_exec.interchange.leaves_import import (
    FALLBACKS,
    SEQUENCES,
    Data,
    LeafReader,
    element_and_line,
    is_reference_text,
    parse_metadata,
)
from bt_exec.interchange.value_conversion import decode, read_condition
from bt_exec.interchange.xml_text import Element

__all__ = ["NodeReader"]

_ORDER = ("while", "timeout", "retry", "repeat", "skip_if", "for_each")
"""Modifiers from the innermost to the outermost."""

_MOST = 1000
_MOST_COPIED = 1000
"""Maximum number of nodes that are duplicated because they run again after a recovery."""
_LONGEST_MS = 24 * 3600 * 1000
_OTHER_CONTROLS: Mapping[str, tuple[str, str]] = {
    "PipelineSequence": ("sequence", "PIPELINE"),
    "RoundRobin": ("fallback", "ROUND_ROBIN"),
    "ManualSelector": ("fallback", "UNKNOWN_NODE"),
    **{f"Switch{count}": ("fallback", "SWITCH") for count in range(2, 7)},
}
_DROPPED: Mapping[str, str] = {
    "Delay": "DELAY",
    "ForceSuccess": "FORCED",
    "ForceFailure": "FORCED",
    "RunOnce": "DECORATOR",
}
_POST = ("_onSuccess", "_onFailure", "_onHalted", "_post")


class NodeReader(LeafReader):
    """Reader of XML elements as nodes with modifiers."""

    copied = 0  # number of duplicated nodes

    def only_child(self, element: Element) -> Data | None:
        """Return the child of an element; if there are several, a sequence of them."""
        children = self.children(element)
        if len(children) > 1:
            return {"sequence": children}
        return children[0] if children else None

    def children(self, element: Element) -> list[Data]:
        """Return the nodes under an element; those that cannot be imported are left out."""
        found = (self.node(child) for child in element.children)
        return [data for data in found if data is not None]

    def node(self, element: Element) -> Data | None:
        """Return an element as a node with its pre-conditions; None if it cannot be imported."""
        data = self._exported_form(element) or self._core(element)
        return None if data is None else self._with_scripts(data, element)

    # -- elements exported by bt-exec

    def _exported_form(self, element: Element) -> Data | None:
        """Return the node of a modifier or check that bt-exec exported; None for other elements."""
        kind = element.attributes.get("_as", "")
        given = element.attributes
        try:
            if kind == "check" or "_tell" in given:
                return self._check(element)
            if kind == "while":
                guard = self.expression(element.children[0])
                guard = self._with_code(guard, given.get("_else", ""))
                return self._with_modifier(self.node(element.children[1]), "while", guard)
            if kind == "skip_if":
                asked = self.expression(element.children[0])
                return self._with_modifier(self.node(element.children[1]), "skip_if", asked)
            if kind == "for_each":
                each = parse_metadata(element, "_each")
                return self._with_modifier(self.node(element.children[0]), "for_each", each)
            if kind in ("retry", "repeat"):
                inner = element.children[1].children[0].children[0].children[0]
                inner = inner.children[0] if kind == "retry" else inner
                data = self._with_modifier(self.node(inner), kind, decode_count(given["_count"]))
                if data is None or "_until" not in given:
                    return data
                until = self._with_code(self.expression(element.children[2]), given["_until"])
                return {**data, "until": until}
        except (IndexError, KeyError):
            self.report.add(
                "ATTRIBUTE", element_and_line(element), "_as"
            )  # the file was edited by hand
        return None

    def _with_code(self, condition: Any, code: str) -> Any:
        """Return a condition with its failure code, if there is one."""
        if not code:
            return condition
        named = {condition: {}} if isinstance(condition, str) else condition
        return {**named, "else": code}

    def _check(self, element: Element) -> Data:
        given = element.attributes
        reports_answer = "_tell" in given
        data: Data = {"check": self.expression(element.children[0] if reports_answer else element)}
        if "_else" in given:
            data["else"] = given["_else"]
        if reports_answer:
            data["tell"] = True
        return self.with_element_name(data, element)

    # -- nodes of BehaviorTree.CPP

    def _core(self, element: Element) -> Data | None:
        tag = element.tag
        if tag in SEQUENCES or tag in FALLBACKS:
            return self._control(element)
        if tag in _OTHER_CONTROLS:
            kind, note = _OTHER_CONTROLS[tag]
            self.report.add(note, element_and_line(element), tag)
            return self._group(kind, element)
        if tag in _DROPPED:
            self.report.add(_DROPPED[tag], element_and_line(element), tag)
            return self.only_child(element)
        reader = _READERS.get(tag)
        if reader is not None:
            return reader(self, element)
        if self.is_condition(element):
            return self.leaf_check(element)
        if element.children:
            note = "DECORATOR" if len(element.children) == 1 else "UNKNOWN_NODE"
            self.report.add(note, element_and_line(element), tag)
            return self.only_child(element)
        return self.skill_of_action(element)

    def _control(self, element: Element) -> Data | None:
        tag = element.tag
        kind = "sequence" if tag in SEQUENCES else "fallback"
        conditions = [self.is_condition(child) for child in element.children]
        if tag.startswith("Reactive") and conditions:
            if all(conditions):
                return self.with_element_name({"check": self.expression(element)}, element)
            if kind == "sequence" and all(conditions[:-1]) and len(conditions) > 1:
                guards = [self.expression(child) for child in element.children[:-1]]
                guard = guards[0] if len(guards) == 1 else {"all": guards}
                return self._with_modifier(self.node(element.children[-1]), "while", guard)
            self.report.add("REACTIVE", element_and_line(element), tag)
        return self._group(kind, element)

    def _group(self, kind: str, element: Element, **more: Any) -> Data | None:
        children = self.children(element)
        if not children:
            self.report.add("EMPTY", element_and_line(element), element.tag)
            return None
        return self.with_element_name({kind: children, **more}, element)

    def _parallel(self, element: Element) -> Data | None:
        given = element.attributes
        children = self.children(element)
        if len(children) < 2:
            self.report.add("EMPTY", element_and_line(element), element.tag)
            return children[0] if children else None
        count = len(children)
        if element.tag == "ParallelAll":
            needed = count
            strict = given.get("max_failures", "1") in ("1", "0")
        else:
            needed = self._whole(
                given.get("success_count", given.get("success_threshold", "-1")), element
            )
            needed = max(1, min(count, needed if needed >= 0 else count + needed + 1))
            failures = given.get("failure_count", given.get("failure_threshold", "1"))
            strict = failures == str(count - needed + 1)
        if not strict and "_succeed_when" not in given:
            self.report.add("THRESHOLDS", element_and_line(element))
        share: Any = "all" if needed == count else needed
        if "_succeed_when" in given:
            share = decode_count(given["_succeed_when"])
        data: Data = {"parallel": children}
        if share != "all":
            data["succeed_when"] = share
        return self.with_element_name(data, element)

    def _inverter(self, element: Element) -> Data | None:
        if len(element.children) == 1 and self.is_condition(element.children[0]):
            return self.with_element_name({"check": self.expression(element)}, element)
        self.report.add("INVERTED_ACTION", element_and_line(element))
        return self.only_child(element)

    def _retry(self, element: Element) -> Data | None:
        self.report.add("SAME_TICK", element_and_line(element), element.tag)
        key = "retry" if element.tag.startswith("Retry") else "repeat"
        field = "num_attempts" if key == "retry" else "num_cycles"
        count = self._count(element.attributes.get(field, "1"), element)
        return self._with_modifier(self.only_child(element), key, count)

    def _endless(self, element: Element) -> Data | None:
        self.report.add("ENDLESS", element_and_line(element), element.tag)
        return self._with_modifier(self.only_child(element), "repeat", _MOST)

    def _timeout(self, element: Element) -> Data | None:
        if "_timeout" in element.attributes:
            value: Any = element.attributes["_timeout"]
        else:
            given = decode(element.attributes.get("msec", ""))
            if not isinstance(given, int) or not 0 < given <= _LONGEST_MS:
                self.report.add("COUNT", element_and_line(element), str(given))
                return self.only_child(element)
            value = f"{given}ms"
        return self._with_modifier(self.only_child(element), "timeout", value)

    def _recovery(self, element: Element) -> Data | None:
        children = self.children(element)
        if len(children) != 2:
            self.report.add("RECOVERY", element_and_line(element))
            return {"sequence": children} if children else None
        self.copied += _size(children[0])
        if self.copied > _MOST_COPIED:
            self.report.add("RECOVERY_ONCE", element_and_line(element))
            return self.with_element_name({"fallback": children}, element)
        self.report.add("RECOVERY", element_and_line(element))
        count = self._count(element.attributes.get("number_of_retries", "1"), element)
        again = dict(children[0])
        retried = self._with_modifier(again, "retry", count) if count != 1 else again
        steps = {"sequence": [children[1], retried]}
        return self.with_element_name({"fallback": [children[0], steps]}, element)

    def _branch(self, element: Element) -> Data | None:
        self.report.add("BRANCH", element_and_line(element), element.tag)
        children = self.children(element)
        if len(children) < 2:
            return children[0] if children else None
        first = {"sequence": children[:2]}
        return self.with_element_name({"fallback": [first, *children[2:]]}, element)

    def _precondition(self, element: Element) -> Data | None:
        return self._with_script(self.only_child(element), "_failureIf", element, "if", negate=True)

    def _scripts(self, element: Element) -> None:
        self.report.add(
            "SCRIPT", element_and_line(element), element.attributes.get("code", element.tag)[:60]
        )

    def _script_condition(self, element: Element) -> Data | None:
        code = element.attributes.get("code", "")
        expression = read_condition(code)
        if expression is None:
            self.report.add("SCRIPT", element_and_line(element), code[:60])
            return None
        self.report.add("SCRIPT_CONDITION", element_and_line(element), code)
        return self.with_element_name({"check": expression}, element)

    def _explicit_node(self, element: Element) -> Data | None:
        """Return the node of ``<Action ID="…">``, ``<Condition ID="…">`` or a similar element."""
        ident = element.attributes.get("ID", "")
        if element.tag == "Condition":
            return self.leaf_check(element)
        if element.tag == "Action":
            return self.skill_of_action(element)
        inner = Element(ident, element.attributes, element.children, "", element.line)
        return self._core(inner) if ident != element.tag else self.only_child(element)

    # -- leaves

    def _subtree(self, element: Element) -> Data:
        given = element.attributes
        ident = given.get("ID", "")
        outputs = set(given.get("_outputs", "").split())
        data: Data = {"tree": given.get("_tree") or self.tree_name(ident)}
        if args := self.arguments(element, outputs):
            data["with"] = args
        if "_save" in given:
            data["save"] = parse_metadata(element, "_save")
        if ident in self.bodies:
            data["body"] = self.only_child(self.bodies[ident])
        elif given.get("_autoremap", given.get("__autoremap", "")) in ("true", "1"):
            data["<autoremap>"] = True
            self.report.add("AUTOREMAP", element_and_line(element), ident)
        return self.with_element_name(data, element)

    # -- modifiers

    def _with_modifier(self, data: Data | None, key: str, value: Any) -> Data | None:
        """Return a node with a modifier, wrapped in a sequence first if the order requires that."""
        if data is None:
            return None
        taken = [_ORDER.index(other) for other in _ORDER if other in data]
        if taken and max(taken) >= _ORDER.index(key):
            data = {"sequence": [data]}
        return {**data, key: value}

    def _with_scripts(self, data: Data, element: Element) -> Data | None:
        """Return a node with its pre-conditions; post-conditions are reported."""
        for attribute in _POST:
            if attribute in element.attributes:
                self.report.add("SCRIPT", element_and_line(element), attribute)
        found: Data | None = data
        for attribute in ("_while", "_skipIf", "_successIf", "_failureIf"):
            if attribute in element.attributes:
                found = self._with_script(found, attribute, element, attribute)
        return found

    def _with_script(
        self, data: Data | None, kind: str, element: Element, source: str, *, negate: bool = False
    ) -> Data | None:
        """Return a node with one pre-condition; a script that is not a condition is reported."""
        script = element.attributes.get(source, "")
        expression = read_condition(script)
        if expression is None or data is None:
            self.report.add("SCRIPT", element_and_line(element), f"{source}={script}"[:60])
            return data
        self.report.add("SCRIPT_CONDITION", element_and_line(element), script)
        if kind in ("_while", "_skipIf"):
            self.report.add("SKIPPED", element_and_line(element), kind)
        if kind == "_failureIf":
            asked = expression if negate else {"not": expression}
            return {"sequence": [{"check": asked}, data]}
        return self._with_modifier(data, "while" if kind == "_while" else "skip_if", expression)

    def _count(self, text: str, element: Element) -> Any:
        value = decode(text)
        if is_reference_text(value) and element.tag == "Repeat":
            return value
        if not isinstance(value, int) or not 1 <= value <= _MOST:
            endless = isinstance(value, int) and value < 0
            self.report.add("ENDLESS" if endless else "COUNT", element_and_line(element), text)
            return _MOST
        return value

    def _whole(self, text: str, element: Element) -> int:
        value = decode(text)
        if isinstance(value, int):
            return value
        self.report.add("COUNT", element_and_line(element), text)
        return -1


def decode_count(text: str) -> Any:
    """Return a count: a number, or a reference to a parameter."""
    return int(text) if text.isdigit() else text


def _size(data: Data) -> int:
    children = (data.get(kind, ()) for kind in ("sequence", "fallback", "parallel"))
    return 1 + sum(_size(child) for group in children for child in group)


_READERS: Mapping[str, Callable[[NodeReader, Element], Data | None]] = {
    "Parallel": NodeReader._parallel,
    "ParallelAll": NodeReader._parallel,
    "Inverter": NodeReader._inverter,
    "RetryUntilSuccessful": NodeReader._retry,
    "RetryUntilSuccesful": NodeReader._retry,
    "Repeat": NodeReader._retry,
    "KeepRunningUntilFailure": NodeReader._endless,
    "Timeout": NodeReader._timeout,
    "RecoveryNode": NodeReader._recovery,
    "IfThenElse": NodeReader._branch,
    "WhileDoElse": NodeReader._branch,
    "Precondition": NodeReader._precondition,
    "Script": NodeReader._scripts,
    "SetBlackboard": NodeReader._scripts,
    "UnsetBlackboard": NodeReader._scripts,
    "ScriptCondition": NodeReader._script_condition,
    "SubTree": NodeReader._subtree,
    "SubTreePlus": NodeReader._subtree,
    "Action": NodeReader._explicit_node,
    "Condition": NodeReader._explicit_node,
    "Control": NodeReader._explicit_node,
    "Decorator": NodeReader._explicit_node,
}
