"""Examples for a prompt, generated from the library of the site.

Some examples are the same for every command, so that a server can cache them: a tree by name, an
argument, a sequence of trees, an answer that declines, and a correction. Every plan in them passes
verification. A test checks each example in both formats, nested and flat.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Request
from bt_exec.planning.plan_preparation import examine
from bt_exec.spec.dump import to_data
from bt_exec.spec.expand import expand
from bt_exec.spec.load import parse
from bt_exec.spec.model import Do, MissionSpec, Tree, TreeSpec
from bt_exec.spec.yaml_source import Source
from bt_exec_llm.model_compiler.answer_to_plan import check_answer
from bt_exec_llm.model_compiler.flat_format import to_flat
from bt_exec_llm.model_compiler.site_description import as_yaml, cached_text
from bt_exec_llm.model_compiler.spelling_correction import fixed_values
from bt_exec_llm.offline.compiler import OfflineCompiler

__all__ = [
    "Example",
    "Form",
    "fixed_examples",
    "fixed_examples_text",
    "format_answer",
    "nearest_trees",
    "similar_commands",
]

Form: TypeAlias = Literal["nested", "flat"]
"""Format of a plan: ``nested`` is YAML; ``flat`` is the JSON that schemas and tools require."""

_SHOWN = 3
_CANNOT = ("Paint the wall.", "Nothing listed here can paint.")


class Example(NamedTuple):
    """Command with the expected answer.

    Attributes:
        shows: Feature that the example illustrates.
        command: The command.
        answer: The answer as plain data in the nested format.
    """

    shows: str
    command: str
    answer: dict[str, Any]


def fixed_examples_text(request: Request, form: Form) -> str:
    """Return the examples that are the same for every command, as text in a format."""
    return cached_text(request, f"examples {form}", lambda: _examples_text(request, form))


def _examples_text(request: Request, form: Form) -> str:
    examples = fixed_examples(request)
    parts = [
        f"{example.shows}: {example.command}\n{format_answer(example.answer, form)}"
        for example in examples
    ]
    if "root" in examples[0].answer:
        parts.append(_repair_example(examples[0], request, form))
    return "\n\n".join(parts)


def format_answer(answer: dict[str, Any], form: Form) -> str:
    """Return an answer as a model should write it in a format."""
    if form == "nested":
        return as_yaml(answer)
    nodes = to_flat(answer["root"]) if "root" in answer else []
    said = {"explanation": answer.get("explanation", ""), "cannot": answer.get("cannot", "")}
    return json.dumps({**said, "assumes": [], "subgoals": [], "nodes": nodes}, ensure_ascii=False)


def fixed_examples(request: Request) -> tuple[Example, ...]:
    """Return the examples that are the same for every command of a site."""
    site = replace(request, command="", situation=Situation(), previous=None, failure=None)
    plans = list(_utterance_examples(site))
    found = [Example("A tree", *plans[0])] if plans else []
    found += _argument_example(site, plans)
    found += _sequence_example(site, plans)
    found += _written_out_example(site, plans)
    command, why = _CANNOT
    return (*found, Example("No plan", command, {"cannot": why}))


def similar_commands(request: Request) -> str:
    """Return a line for each similar utterance of the library, with its tree and arguments."""
    lines = []
    for text, tree in nearest_trees(request):
        plan = _offline().plan(replace(request, command=text, previous=None, failure=None))
        root = plan.spec.root if plan is not None else None
        args = root.args if isinstance(root, Tree) else {}
        arguments = ", ".join(f"{name}={value}" for name, value in args.items())
        lines.append(f"- {text} → tree {tree.tree}" + (f" with {arguments}" if arguments else ""))
    return "\n".join(lines)


def nearest_trees(request: Request) -> tuple[tuple[str, TreeSpec], ...]:
    """Return the trees whose utterances are most similar to the command, with those utterances."""
    typed = request.command.casefold()[:500]
    best: list[tuple[float, int, str, TreeSpec]] = []
    for index, tree in enumerate(request.library):
        own = [text for text in tree.utterances if language_of(text) == request.language]
        scored = [(_similarity(typed, text.casefold()), text) for text in own or tree.utterances]
        if scored:
            score, text = max(scored)
            best.append((-score, index, text, tree))
    return tuple((text, tree) for _, _, text, tree in sorted(best, key=lambda b: b[:2])[:_SHOWN])


@lru_cache(maxsize=4096)  # a re-plan compares the same command again
def _similarity(typed: str, text: str) -> float:
    return difflib.SequenceMatcher(None, typed, text).ratio()


@lru_cache(maxsize=1)
def _offline() -> OfflineCompiler:
    return OfflineCompiler()


def _utterance_examples(site: Request) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the first utterance of each tree with its answer, if the utterance selects a tree."""
    for tree in site.library:
        for text in tree.utterances[:1]:
            language = language_of(text)
            plan = _offline().plan(replace(site, command=text, language=language))
            if plan is not None and isinstance(plan.spec.root, Tree):
                root = to_data(plan.spec)["root"]
                if _is_valid(root, site):
                    yield text, {"explanation": tree.summary, "root": root}


def _argument_example(site: Request, plans: list[tuple[str, dict[str, Any]]]) -> Iterator[Example]:
    """Yield an example with a tree whose argument differs from the default."""
    for text, answer in plans:
        name = answer["root"]["tree"]
        for key, param in site.library.get(name).params.items():
            words = fixed_values(param.value_type(site.catalogue.types))
            other = next((word for word in words if word != param.default), None)
            if param.required or other is None:
                continue
            root = {"tree": name, "with": {**answer["root"].get("with", {}), key: other}}
            if _is_valid(root, site):
                command = f"{text.rstrip('.')} ({key}: {other})."
                yield Example("An argument", command, {**answer, "root": root})
                return


def _sequence_example(site: Request, plans: list[tuple[str, dict[str, Any]]]) -> Iterator[Example]:
    """Yield an example with two trees in sequence."""
    for text, answer in plans:
        for second, other in plans:
            root = {"sequence": [answer["root"], other["root"]]}
            if other is not answer and _is_valid(root, site):
                both = {"explanation": f"{answer['explanation']} {other['explanation']}"}
                yield Example("Two parts", f"{text} {second}", {**both, "root": root})
                return


def _written_out_example(
    site: Request, plans: list[tuple[str, dict[str, Any]]]
) -> Iterator[Example]:
    """Yield an example with the skill and ``skip_if`` of a tree in place of the tree."""
    for text, answer in plans:
        tree = expand(_mission(answer["root"]), site.library).root
        body = tree.body if isinstance(tree, Tree) else None
        if isinstance(body, Do) and body.skip_if is not None and body.args:
            root = to_data(_mission({"do": "x"}).model_copy(update={"root": body}))["root"]
            if _is_valid(root, site):
                yield Example("Written out", text, {**answer, "root": root})
                return


def _repair_example(example: Example, request: Request, form: Form) -> str:
    """Return an answer with a mistake, the reply to it, and the corrected answer."""
    site = replace(request, command="", situation=Situation(), previous=None, failure=None)
    answer = example.answer
    wrong = {"root": {"tree": f"{answer['root']['tree']}_now"}}
    data = wrong if form == "nested" else {"nodes": to_flat(wrong["root"])}
    problem = check_answer(data, site, None, "").problems[0]
    reply = {"code": problem.code, "place": problem.place, "found": problem.found}
    return "\n".join(
        (
            f"A repair: {example.command}",
            format_answer(wrong, form),
            f"→ {json.dumps(reply, ensure_ascii=False)}",
            format_answer(answer, form),
        )
    )


def _is_valid(root: dict[str, Any], site: Request) -> bool:
    """Return True if a plan passes verification in an unknown situation."""
    return not [p for p in examine(_mission(root), site).problems if p.code != "LABEL_NOT_SEEN"]


def _mission(root: dict[str, Any]) -> MissionSpec:
    header = {"command": "example", "language": "en", "plan_version": 1, "compiler": "example"}
    document = parse(Source("an example", {"mission": header, "root": root})).document
    assert isinstance(document, MissionSpec)
    return document
