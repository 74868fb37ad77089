"""A command compiled for a site, without its robots."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bt_exec.failure import BtExecError, Problem, Refusal, SpecError
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Compiler, Plan, Request, compiler_names, find_compiler
from bt_exec.planning.plan import prepare_answer, rejection, with_typed_words
from bt_exec.site.site import CompilerSettings, Site
from bt_exec.spec.model import MissionSpec, Tree, TreeSpec, walk

__all__ = ["Compiled", "check_utterances", "compile_command", "make_compiler", "request_of"]


def make_compiler(site: Site, name: str | None = None) -> Compiler:
    """Return the site's compiler, or the one called `name` with no settings but its defaults.

    ``replay:FILE`` is the compiler ``replay`` with the one setting ``file``.
    """
    if name is None or name == site.compiler.name:
        return find_compiler(site.compiler.name, site.compiler.settings())
    name, colon, file = name.partition(":")
    return find_compiler(name, {"file": file} if colon else {})


def request_of(site: Site, command: str, situation: Situation | None = None) -> Request:
    """Return the request of a first plan, without a robot."""
    return Request(
        command,
        language_of(command),
        site.catalogue,
        site.library,
        site.messages,
        situation or Situation(),
        settings=site.packs,
    )


@dataclass(frozen=True)
class Compiled:
    """What became of a command: a plan or a refusal, never both.

    Attributes:
        plan: The plan as it would run: subtrees open, passes applied, verified; None if refused.
        refusal: Why there is no plan; None if there is one.
        written: The plan as the compiler wrote it, subtrees by name; None if it wrote none.
    """

    plan: MissionSpec | None = None
    refusal: Refusal | None = None
    written: MissionSpec | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a plan."""
        return self.plan is not None


def compile_command(
    site: Site, command: str, *, situation: Situation | None = None, compiler: str | None = None
) -> Compiled:
    """Compile without a robot; a plan that does not pass verification is a refusal, too."""
    request = request_of(site, command, situation)
    answer = make_compiler(site, compiler).compile(request)
    if isinstance(answer, Refusal):
        return Compiled(refusal=answer)
    written = with_typed_words(answer.spec, request)
    try:
        return Compiled(prepare_answer(answer, request).spec, written=written)
    except SpecError as error:
        return Compiled(refusal=rejection(error, request), written=written)


def check_utterances(site: Site, trees: Iterable[str] | None = None) -> list[Problem]:
    """Return which utterances do not lead to their own tree, and why; all trees if none are named.

    They are given to the compiler that needs no settings, offline. Words of a pack that it cannot
    read are a problem, too: ``BAD_LEXICON``. The others are ``UTTERANCE_REFUSED``,
    ``UTTERANCE_OF_ANOTHER`` and ``UTTERANCE_INCOMPLETE``.
    """
    name = CompilerSettings().name
    if name not in compiler_names():
        return []
    compiler = find_compiler(name, {})
    problems: list[Problem] = []
    try:
        compiler.compile(request_of(site, _ANY))
        for tree in site.library.names() if trees is None else trees:
            problems += _problems_of_utterances(site, site.library.get(tree), compiler)
    except BtExecError as error:
        problems.append(Problem("BAD_LEXICON", str(error), file=str(site.file)))
    return problems


_ANY = "go"
"""A command that is looked up in the words of every pack."""


def _problems_of_utterances(site: Site, tree: TreeSpec, compiler: Compiler) -> list[Problem]:
    source = site.library.source(tree.tree)
    problems: list[Problem] = []
    required = [key for key, param in tree.params.items() if param.required]
    for index, text in enumerate(tree.utterances):
        place = ("utterances", index)
        answer = compiler.compile(request_of(site, text))
        if isinstance(answer, Refusal):
            answer = _after_another(site, tree, text, compiler) or answer
        if isinstance(answer, Refusal) and answer.code == "NO_OBJECT" and len(required) == 1:
            message = f"gives no value for {required[0]!r}, which has no default"
            problems.append(source.problem("UTTERANCE_INCOMPLETE", message, place, found=text))
            continue
        if isinstance(answer, Refusal):
            message = f"does not lead to this tree: {answer.message} ({answer.code})"
            problems.append(source.problem("UTTERANCE_REFUSED", message, place, found=text))
            continue
        steps = [node for node in walk(answer.spec.root) if isinstance(node, Tree)]
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


def _after_another(site: Site, tree: TreeSpec, text: str, compiler: Compiler) -> Plan | None:
    """Return a plan for a command that goes on with this utterance: … and tell the professor."""
    for other in site.library:
        begins = (said for said in other.utterances if language_of(said) == language_of(text))
        said = next(begins, None)
        if said is None or other.tree == tree.tree:
            continue
        answer = compiler.compile(request_of(site, f"{said.rstrip('.')}. {text}"))
        if isinstance(answer, Plan) and any(
            isinstance(node, Tree) and node.tree == tree.tree for node in walk(answer.spec.root)
        ):
            return answer
    return None
