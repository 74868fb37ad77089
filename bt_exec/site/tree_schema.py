"""JSON Schema of a site's tree language, for editors.

Fields, node kinds and their syntax come from the models. Names, arguments and descriptions of
skills, conditions and types come from the packs. The schema accepts slightly more than the
language: rules that need the whole document, such as unbound ``$name`` references, are left to
`bt_exec.verify`, and unknown trees are accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

from bt_exec.pack import Catalogue
from bt_exec.skill import Signature, Skill
from bt_exec.spec.field_types import DURATION
from bt_exec.spec.library import Library
from bt_exec.spec.model import KINDS, MissionSpec, Param, TreeSpec
from bt_exec.spec.modifier_table import MODIFIERS

__all__ = ["FIELDS", "tree_schema"]

Schema = dict[str, Any]

FIELDS: Mapping[str, str] = {
    "name": "Name of the node for display and in its path.",
    **{one.name: f"{one.meaning} When: {one.timing}." for one in MODIFIERS},
    "do": "Run a skill.",
    "with": "Arguments: values, or $name for a parameter or a saved result.",
    "save": "Result fields to save, each under a name.",
    "check": "Evaluate a condition; the node fails if it does not hold.",
    "else": "The reason code of that failure: NOT_FOUND.",
    "tell": "true: the check is a question; both answers succeed and are reported.",
    "tree": "The name of a tree.",
    "body": "The expanded root of the tree at the time of planning.",
    "sequence": "Run the children in order; ends at the first failure.",
    "fallback": "Run the children in order; ends at the first success.",
    "parallel": "Run all children at the same time.",
    "succeed_when": "Number of children that must succeed: all, any, or a number.",
    "summary": "Purpose of the tree, in a sentence.",
    "utterances": "Commands that select this tree, in any language.",
    "params": "Parameters by name.",
    "returns": "Results that callers may save: {field: $name}.",
    "otherwise": "Alternatives that are tried after failures with certain codes.",
    "root": "The root node.",
    "mission": "Origin of this plan: command, compiler and version.",
    "type": "The type of the values: one of the packs' named types.",
    "choices": "The allowed values; short form: speed: [fast, slow].",
    "min": "The smallest allowed number.",
    "max": "The largest allowed number.",
    "many": "true: the value is a list; type, bounds and choices are those of its items.",
    "optional": "true: callers may omit it; arguments that refer to it are then omitted, too.",
    "default": "The value if callers omit it; without a default it is required.",
    "spoken": "true: not used by nodes; commands name it, and it determines other parameters.",
    "after": "The reason codes after which this alternative is tried.",
}
"""Descriptions of the fields, shown by editors."""

_CONDITION_FIELDS = {
    "skip_if": "condition",
    "while": "guard",
    "until": "guard",
    "check": "condition",
}
_REFERENCE: Schema = {
    "type": "string",
    "pattern": r"^\$[A-Za-z_][A-Za-z0-9_]*$",
    "description": "A parameter or a saved result.",
}


def tree_schema(catalogue: Catalogue, library: Library | None = None) -> Schema:
    """Return the JSON Schema (2020-12) of tree and mission files for a site.

    Args:
        catalogue: Skills, conditions and types.
        library: Trees whose names and arguments editors complete; None for no trees.
    """
    definitions: Schema = {}
    tops = [_model(model, definitions) for model in (TreeSpec, MissionSpec)]
    for name in ("Is", "Not", "All", "Any_", "Guard", "Each"):
        definitions.pop(name, None)
    types = {name: _type(hint, definitions) for name, hint in catalogue.types.items()}
    definitions["condition"] = _condition(catalogue, definitions)
    definitions["guard"] = _guard(definitions["condition"])
    definitions["node"] = _node()
    definitions["reference"] = _REFERENCE
    _add_choice_of_part(
        definitions["Do"],
        "do",
        {
            name: (skill.summary, _arguments(skill, definitions))
            for name, skill in _skills(catalogue)
        },
        closed=True,
    )
    for name, skill in _skills(catalogue):
        _add_result_names(definitions["Do"], name, skill)
    trees = {
        tree.tree: (tree.summary, _tree_arguments(tree, types)) for tree in (library or Library())
    }
    _add_choice_of_part(definitions["Tree"], "tree", trees, closed=False)
    definitions["Alternative"]["anyOf"] = [{"required": ["tree"]}, {"required": ["with"]}]
    _add_type_rules(definitions["Param"], catalogue, types)
    choices = definitions["Param"]["properties"]["choices"]
    definitions["Param"] = {"if": {"type": "array"}, "then": choices, "else": definitions["Param"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A tree or a mission of bt-exec",
        "type": "object",
        "if": {"required": ["mission"]},
        "then": {"$ref": "#/$defs/MissionFile"},
        "else": {"$ref": "#/$defs/TreeFile"},
        "$defs": {
            "TreeFile": tops[0],
            "MissionFile": tops[1],
            **dict(sorted(definitions.items())),
        },
    }


def _skills(catalogue: Catalogue) -> Iterable[tuple[str, Skill]]:
    return catalogue.skills.items()


def _model(model: type[TreeSpec] | type[MissionSpec], definitions: Schema) -> Schema:
    """Return the schema of a model; add the schemas of the models in it to `definitions`."""
    top: Schema = model.model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
    definitions.update(top.pop("$defs"))
    for part in (top, *definitions.values()):
        part.pop("title", None)
        if "description" in part:  # only the first paragraph is for authors of trees
            part["description"] = _first_paragraph(part["description"])
        for name, field in part.get("properties", {}).items():
            part["properties"][name] = _field(name, field)
    return top


def _field(name: str, field: Schema) -> Schema:
    """Return the schema of a field; nodes and conditions become references, null is left out."""
    said = {"description": FIELDS[name]} if name in FIELDS else {}
    if name in _CONDITION_FIELDS:
        return {"$ref": f"#/$defs/{_CONDITION_FIELDS[name]}", **said}
    if name == "for_each":
        count = {"type": "integer", "minimum": 1, "maximum": 1000}
        return {
            "type": "object",
            "properties": {"at_most": count},
            "additionalProperties": {"anyOf": [{"type": "array"}, _REFERENCE]},
            "minProperties": 1,
            "maxProperties": 2,
            **said,
        }
    if name in ("root", "body"):
        return {"$ref": "#/$defs/node", **said}
    if name == "timeout":
        return {"anyOf": [{"type": "string", "pattern": f"^{DURATION}$"}, _REFERENCE], **said}
    if name == "repeat":
        count = next(part for part in field["anyOf"] if part != {"type": "null"})
        return {"anyOf": [count, _REFERENCE], **said}
    if name in ("sequence", "fallback", "parallel"):
        return {**field, "items": {"$ref": "#/$defs/node"}, **said}
    field = {key: value for key, value in field.items() if key not in ("title", "default")}
    if "patternProperties" in field:  # reject names that do not match the pattern
        field["additionalProperties"] = False
    choices = [part for part in field.pop("anyOf", []) if part != {"type": "null"}]
    if len(choices) == 1:
        field.update(choices[0])
    elif choices:
        field["anyOf"] = choices
    return {**field, **said}


def _node() -> Schema:
    """Return the schema of a node, which applies the schema of the node's kind.

    With `anyOf` instead, editors would report a mistake once for every kind.
    """
    schema: Schema = {
        "type": "object",
        "description": "A node: exactly one kind, and any modifiers.",
        "oneOf": [{"required": [kind]} for kind in KINDS],
        "dependentRequired": {"until": ["repeat"]},
    }
    schema["allOf"] = [
        {"if": {"required": [kind]}, "then": {"$ref": f"#/$defs/{kind.capitalize()}"}}
        for kind in KINDS
    ]
    return schema


def _condition(catalogue: Catalogue, definitions: Schema) -> Schema:
    """Return the schema of a condition expression."""
    here = {"$ref": "#/$defs/condition"}
    many = {"type": "array", "items": here, "minItems": 1}
    forms: Schema = {
        "not": {**here, "description": "Holds if this condition does not hold."},
        "all": {**many, "description": "Holds if all conditions hold."},
        "any": {**many, "description": "Holds if at least one condition holds."},
    }
    names = []
    for name, condition in catalogue.conditions.items():
        forms[name] = _arguments(condition, definitions)
        if not condition.required:
            names.append({"const": name, "description": condition.summary})
            forms[name]["type"] = ["object", "null"]
    written = {
        "type": "object",
        "properties": forms,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    return {
        "description": "A condition: a name, {name: {arguments}}, {not: …}, {all: […]}, {any: […]}",
        "anyOf": [*names, written],
    }


def _guard(condition: Schema) -> Schema:
    """Return the schema of a guard: a condition, and optionally the code of its failure."""
    written = len(condition["anyOf"]) - 1
    at = f"#/$defs/condition/anyOf/{written}/properties/"
    forms = {name: {"$ref": at + name} for name in condition["anyOf"][written]["properties"]}
    code = {"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$", "maxLength": 64}
    with_code = {
        "type": "object",
        "properties": {**forms, "else": {**code, "description": FIELDS["else"]}},
        "additionalProperties": False,
        "required": ["else"],
        "minProperties": 2,
        "maxProperties": 2,
    }
    return {
        "description": "A condition, or {NAME: {arguments}, else: CODE}",
        "anyOf": [{"$ref": "#/$defs/condition"}, with_code],
    }


def _arguments(signature: Signature, definitions: Schema) -> Schema:
    """Return the schema of the arguments of a skill or condition."""
    said = _argument_descriptions(signature.doc)
    properties = {}
    for name, hint in signature.arguments.items():
        schema = _type(hint, definitions)
        properties[name] = _allow_reference(schema)
        text = schema.get("description") or said.get(name)
        if text:
            properties[name]["description"] = text
        if name not in signature.required:
            default = signature.model.model_fields[name].default
            if isinstance(default, str | int | float | bool):
                properties[name]["default"] = default
    return _closed_object(properties, sorted(signature.required), signature.summary)


def _tree_arguments(tree: TreeSpec, types: Mapping[str, Schema]) -> Schema:
    """Return the schema of the arguments of a tree."""
    properties = {}
    for name, param in tree.params.items():
        value = {**types.get(param.type, {}), **_limits(param)}
        properties[name] = _allow_reference({"items": value} if param.many else value)
        if param.summary:
            properties[name]["description"] = param.summary
        if param.default is not None:
            properties[name]["default"] = param.default
    required = [name for name, param in tree.params.items() if param.required]
    return _closed_object(properties, required, tree.summary)


def _limits(param: Param) -> Schema:
    """Return a schema with the choices and bounds of a parameter."""
    limits = {"minimum": param.least, "maximum": param.most}
    found: Schema = {key: limit for key, limit in limits.items() if limit is not None}
    if param.choices is not None:
        found["enum"] = list(param.choices)
    return found


def _closed_object(properties: Schema, required: list[str], summary: str) -> Schema:
    schema: Schema = {
        "type": "object",
        "description": summary,
        "properties": properties,
        "additionalProperties": False,
    }
    return {**schema, "required": required} if required else schema


def _allow_reference(schema: Schema) -> Schema:
    """Return a schema that also accepts a ``$name``; items of lists are not restricted."""
    if "items" in schema or "prefixItems" in schema:
        schema = {"type": "array"}
    return {"anyOf": [schema, {"$ref": "#/$defs/reference"}]}


def _type(hint: Any, definitions: Schema) -> Schema:
    """Return the schema of a type; it accepts only ``$name`` if the type has no JSON form."""
    try:
        schema: Schema = TypeAdapter(hint).json_schema(ref_template="#/$defs/{model}")
    except PydanticUserError:
        return {"$ref": "#/$defs/reference"}
    for name, inner in schema.pop("$defs", {}).items():
        if definitions.setdefault(name, inner) != inner:
            return {}  # two packs define different models with the same name
    return schema


def _add_choice_of_part(
    kind: Schema, field: str, parts: Mapping[str, tuple[str, Schema]], *, closed: bool
) -> None:
    """Add names of skills or trees to the schema of a node kind, with the arguments of each.

    Args:
        kind: Schema of the node kind; changed in place.
        field: Field with the name, such as ``do``.
        parts: Summary and schema of the arguments of each skill or tree, by name.
        closed: Whether other names are errors.
    """
    names: list[Schema] = [
        {"const": name, "description": summary or name} for name, (summary, _) in parts.items()
    ]
    form = kind["properties"][field]
    if names:
        others = [] if closed else [{key: form[key] for key in form if key != "description"}]
        kind["properties"][field] = {
            "description": FIELDS[field],
            "anyOf": [*names, *others],
        }
    rules: list[Schema] = []
    for name, (_, arguments) in parts.items():
        then: Schema = {"properties": {"with": arguments}}
        if "required" in arguments:
            then["required"] = ["with"]
        rules.append({"if": {"properties": {field: {"const": name}}}, "then": then})
    if rules:
        kind["allOf"] = rules


def _add_result_names(kind: Schema, name: str, skill: Skill) -> None:
    """Add the rule that ``save`` may contain only fields of the skill's result."""
    form = {
        field: {"type": "string", "description": f"a name for {field!r}"} for field in skill.results
    }
    rule = next(rule for rule in kind["allOf"] if rule["if"]["properties"]["do"] == {"const": name})
    rule["then"]["properties"]["save"] = {
        "type": "object",
        "properties": form,
        "additionalProperties": False,
    }


def _add_type_rules(param: Schema, catalogue: Catalogue, types: Mapping[str, Schema]) -> None:
    """Add the rules that ``type`` is a named type and ``default`` a value of that type."""
    param["properties"]["type"] = {
        "description": FIELDS["type"],
        "enum": list(catalogue.types),
    }
    param["properties"]["default"] = {
        "description": FIELDS["default"],
        "not": {"type": "null"},
    }
    param["anyOf"] = [{"required": param.pop("required")}, {"required": ["choices"]}]
    param["allOf"] = [
        {
            "if": {"properties": {"type": {"const": name}}},
            "then": {"properties": {"default": schema}},
        }
        for name, schema in types.items()
        if schema
    ]


def _argument_descriptions(doc: str) -> dict[str, str]:
    """Return the descriptions of arguments in a docstring's ``Args:`` section."""
    _, _, section = doc.partition("\nArgs:\n")
    said: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        if line.strip() and not line.startswith(" "):
            break
        start = re.match(r" {1,4}(\w+)(?: \(.*?\))?: (.*)", line)
        if start:
            name = start[1]
            said[name] = start[2].strip()
        elif line.strip() and name:
            said[name] += " " + line.strip()
    return said


def _first_paragraph(text: str) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join(text.split("\n\n")[0].split())
