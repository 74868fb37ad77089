"""Fixtures: shipped sites, and their plans for commands as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bt_exec.failure import Refusal
from bt_exec.planning.compiler import Plan, Reply, Request
from bt_exec.site.compile_command import first_request, make_compiler
from bt_exec.site.site import load_site
from bt_exec.spec.expand import expand
from bt_exec.spec.model import Check, Fallback, Sequence, Tree

Trees = Callable[[str, str], str]


@pytest.fixture(scope="session")
def sites():
    return {name: load_site(name) for name in ("door", "building")}


@pytest.fixture(scope="session")
def compilers(sites):
    return {name: make_compiler(site, "offline") for name, site in sites.items()}


@pytest.fixture(scope="session")
def request_on(sites) -> Callable[[str, str], Request]:
    return lambda site, command: first_request(sites[site], command)


@pytest.fixture(scope="session")
def trees(compilers, request_on) -> Trees:
    """Return the trees of a command with conditions and repetitions, or the code of its refusal."""

    def trees(site: str, command: str) -> str:
        request = request_on(site, command)
        answer = compilers[site].compile(request)
        if isinstance(answer, Refusal | Reply):
            return answer.code
        assert isinstance(answer, Plan)
        expand(answer.spec, request.library)
        root = answer.spec.root
        plain = isinstance(root, Sequence) and root.skip_if is None and not root.repeat
        nodes = root.sequence if plain else (root,)
        return ", ".join(_word(node) for node in nodes)

    return trees


def _word(node) -> str:
    if isinstance(node, Sequence):
        words = ["(" + ", ".join(map(_word, node.sequence)) + ")"]
    elif isinstance(node, Fallback):
        words = [" | ".join(map(_word, node.fallback))]
    elif isinstance(node, Check):
        words = [f"{node.check}?"]
    else:
        assert isinstance(node, Tree)
        words = [node.tree, *map(str, node.args.values())]
    if node.skip_if is not None:
        words.append(f"unless {node.skip_if}")
    if node.repeat:
        words.append(f"x{node.repeat}")
    if node.until is not None:
        words.append(f"until {node.until}")
    if node.retry:
        words.append(f"tries {node.retry}")
    return " ".join(words)
