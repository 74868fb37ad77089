"""Check of utterances: each must compile to a plan that contains the tree that declares it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bt_exec.failure import BtExecError, Problem, Refusal
from bt_exec.language.messages import language_of
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import (
    Compiler,
    Plan,
    Reply,
    Request,
    WordsChecker,
    compiler_names,
    find_compiler,
)
from bt_exec.planning.robot_views import site_views
from bt_exec.site.compile_command import first_request
from bt_exec.site.site import CompilerSettings, Site, catalogue_messages
from bt_exec.spec.library import Library
from bt_exec.spec.model import Tree, TreeSpec, walk

__all__ = ["check_utterances", "word_problems"]


def check_utterances(site: Site, trees: Iterable[str] | None = None) -> list[Problem]:
    """Return a problem for each utterance that is not compiled to a plan with its own tree.

    Utterances are compiled by the offline compiler. Problems in the lexicons of the packs come
    first, then problems of utterances, with the codes ``UTTERANCE_REFUSED``,
    ``UTTERANCE_OF_ANOTHER`` and ``UTTERANCE_INCOMPLETE``.

    Args:
        site: The site.
        trees: Names of the trees to check; None for all.
    """
    compiler = _offline_compiler()
    if compiler is None:
        return []
    wanted = None if trees is None else {name.rpartition(".")[2] for name in trees}
    problems: list[Problem] = []
    try:
        for view in site_views(first_request(site, _ANY)):
            problems += _word_mistakes(compiler, view)
            for tree in view.library:
                if wanted is None or tree.tree.rpartition(".")[2] in wanted:
                    problems += _problems_of_utterances(view, tree, compiler)
        problems = list(dict.fromkeys(problems))
    except BtExecError as error:
        if not problems:
            problems.append(Problem("BAD_LEXICON", str(error), file=str(site.file)))
    return problems


def word_problems(catalogue: Catalogue, library: Library) -> list[Problem]:
    """Return the problems in the lexicons of packs that can be found without a site.

    The result is empty if a pack takes words from its settings, because only a site has settings.
    """
    compiler = _offline_compiler()
    if compiler is None or any(pack.words is not None for pack in catalogue.packs):
        return []
    return _word_mistakes(
        compiler, Request(_ANY, "en", catalogue, library, catalogue_messages(catalogue))
    )


def _offline_compiler() -> Compiler | None:
    """Return the default compiler, which needs no settings, or None if it is not installed."""
    name = CompilerSettings().name
    return find_compiler(name, {}) if name in compiler_names() else None


def _word_mistakes(compiler: Compiler, request: Request) -> list[Problem]:
    """Return the mistakes that a compiler finds in the lexicons of a request's packs."""
    try:
        if isinstance(compiler, WordsChecker):
            return list(compiler.problems(request))
        compiler.compile(request)
    except BtExecError as error:
        found = getattr(error, "problems", ())
        return list(found) or [Problem("BAD_LEXICON", str(error))]
    return []


_ANY = "go"
"""A short command; compiling any command loads the lexicons of all packs."""


def _request_for(request: Request, text: str) -> Request:
    return replace(request, command=text, language=language_of(text))


def _problems_of_utterances(request: Request, tree: TreeSpec, compiler: Compiler) -> list[Problem]:
    source = request.library.source(tree.tree)
    problems: list[Problem] = []
    required = [key for key, param in tree.params.items() if param.required]
    for index, text in enumerate(tree.utterances):
        place = ("utterances", index)
        answer = compiler.compile(_request_for(request, text))
        if isinstance(answer, Refusal):
            answer = _plan_after_another(request, tree, text, compiler) or answer
        if isinstance(answer, Reply):
            message = f"does not lead to this tree: it is answered with words ({answer.code})"
            problems.append(source.problem("UTTERANCE_REFUSED", message, place, found=text))
            continue
        if isinstance(answer, Refusal) and (open_ := _missing_parameter(tree, required, answer)):
            message = f"gives no value for {open_!r}, which has no default"
            problems.append(source.problem("UTTERANCE_INCOMPLETE", message, place, found=text))
            continue
        if isinstance(answer, Refusal):
            why = (
                _ambiguity_sentence(request, tree, text, compiler)
                if answer.code == "AMBIGUOUS"
                else ""
            )
            message = f"does not lead to this tree: {why or answer.message} ({answer.code})"
            problems.append(source.problem("UTTERANCE_REFUSED", message, place, found=text))
            continue
        steps = list(walk(answer.spec.root, Tree))
        own = next((node for node in steps if node.tree == tree.tree), None)
        if own is None:
            others = ", ".join(dict.fromkeys(node.tree for node in steps))
            message = f"does not lead to this tree, but to {others}"
            problems.append(source.problem("UTTERANCE_OF_ANOTHER", message, place, found=text))
            continue
        if missing := [key for key in required if key not in own.args]:
            message = f"gives no value for {missing[0]!r}, which has no default"
            problems.append(source.problem("UTTERANCE_INCOMPLETE", message, place, found=text))
    return problems


def _plan_after_another(
    request: Request, tree: TreeSpec, text: str, compiler: Compiler
) -> Plan | None:
    """Return a plan for an utterance of another tree followed by this utterance, or None.

    Some utterances, such as "tell the professor", need a result of an earlier part of a command.
    """
    for other in request.library:
        begins = (said for said in other.utterances if language_of(said) == language_of(text))
        said = next(begins, None)
        if said is None or other.tree == tree.tree:
            continue
        answer = compiler.compile(_request_for(request, f"{said.rstrip('.')}. {text}"))
        if isinstance(answer, Plan) and any(
            node.tree == tree.tree for node in walk(answer.spec.root, Tree)
        ):
            return answer
    return None


def _missing_parameter(tree: TreeSpec, required: Sequence[str], refusal: Refusal) -> str:
    """Return the parameter whose value is missing according to a refusal; empty otherwise."""
    if refusal.code != "NO_OBJECT":
        return ""
    asked = [key for key in required if tree.params[key].type in refusal.missing]
    return (asked or (list(required) if len(required) == 1 else [""]))[0]


def _ambiguity_sentence(request: Request, tree: TreeSpec, text: str, compiler: Compiler) -> str:
    """Return a sentence that names the other trees that an utterance matches; empty if none."""
    found: list[str] = []
    for other in request.library:
        if other.tree == tree.tree or not other.utterances:
            continue
        pair = Library()
        for one in (tree, other):
            pair.add(one, request.library.source(one.tree))
        answer = compiler.compile(replace(_request_for(request, text), library=pair))
        if isinstance(answer, Refusal) and answer.code == "AMBIGUOUS":
            found.append(other.tree)
    return f"{', '.join(found)} answers to it, too" if found else ""
