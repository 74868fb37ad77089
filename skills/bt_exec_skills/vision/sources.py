"""Registry of sources of practice pictures, which packs register as entry points.

Any package can add a source with::

    [project.entry-points."bt_exec_skills.scenes"]
    kitchen = "my_kitchen.practice:KitchenPractice"

A source with states also offers ``states`` and ``answerer(network)``; see
`bt_exec_skills.vision.evaluate.Answer`. A source with ``weights`` lists in ``sites`` the sites that
use them, besides the site of the same name.
"""

from __future__ import annotations

from pathlib import Path

from bt_exec.failure import UsageError
from bt_exec.plugins import load_plugin, plugin_names
from bt_exec_skills.vision.evaluate import Answer
from bt_exec_skills.vision.network import Network
from bt_exec_skills.vision.sample import SceneSource

__all__ = ["find_source", "shipped_weights", "source_for", "state_question"]

_GROUP = "bt_exec_skills.scenes"


def find_source(name: str = "") -> SceneSource:
    """Return the installed source `name`; an empty name selects the only one.

    Raises:
        UnknownName: If no source has this name.
        UsageError: If the name is empty and there are several sources.
    """
    known = plugin_names(_GROUP)
    if not name and len(known) != 1:
        raise UsageError(f"whose scenes? --source NAME names one of: {', '.join(known) or 'none'}")
    name = name or known[0]
    source: SceneSource = load_plugin(_GROUP, "scene source", name)()
    return source


def source_for(site: str) -> SceneSource | None:
    """Return the source whose pictures match a site, or None."""
    for name in plugin_names(_GROUP):
        source = find_source(name)
        if site in (name, *getattr(source, "sites", ())):
            return source
    return None


def shipped_weights(source: SceneSource) -> Path:
    """Return the weights that ship for pictures of `source`.

    Raises:
        UsageError: If none do.
    """
    weights: Path | None = getattr(source, "weights", None)
    if weights is None:
        raise UsageError(f"no weights ship for {source.name}; name some with --weights")
    return weights


def state_question(source: SceneSource, network: Network) -> tuple[Answer | None, tuple[str, ...]]:
    """Return the state estimator for pictures of `source`, and the states; None without states."""
    states: tuple[str, ...] = getattr(source, "states", ())
    if not states or not set(source.classes) <= set(network.names):
        return None, ()
    answer: Answer = source.answerer(network)  # type: ignore[attr-defined]
    return answer, states
