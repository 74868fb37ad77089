"""Order of moves that minimises the path of a robot that carries one object at a time.

The loaded paths are fixed, so the empty paths from each target to the next object are minimised.
The objects of a table that go to one target form a batch. A minimum-cost flow pairs the targets
with the tables of the next objects; the cheapest exchange of two empty paths joins separate tours;
an Eulerian circuit gives the order. Method: Karp (1979), A patching algorithm for the nonsymmetric
traveling-salesman problem, on batches. The greedy order is used where it is shorter.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.model import Move

__all__ = ["path_length", "shortest_order"]

_FEWEST = 4
"""Minimum number of moves for which batches are formed."""
_MOST_PAIRS = 40_000
"""Maximum number of pairs of a target and a batch; above it the order is greedy."""
_CELL_M = 1.0  # objects on no table are grouped by squares of the floor
_MM = 1000.0

Flat = tuple[float, float]


class _Leg(NamedTuple):
    """Move with its end points [m] and the identifiers of its batch and target."""

    move: Move
    start: Flat
    end: Flat
    batch: str
    target: str


def shortest_order(moves: Sequence[Move], now: Environment) -> tuple[Move, ...]:
    """Return the moves in the order of the shortest path that was found.

    Moves in which an object moves twice, as in a swap, keep their order. The held object is placed
    first.
    """
    if len({move.thing for move in moves}) < len(moves):
        return tuple(moves)
    held = [move for move in moves if move.thing == now.held]
    legs = [_leg_of_move(move, now) for move in moves if move.thing != now.held]
    base = (now.base.x, now.base.y) if now.base is not None else None
    here = _leg_of_move(held[0], now).end if held else base
    ways = [legs, _greedy_order(legs, here)]
    if len(legs) >= _FEWEST and here is not None:
        ways += _eulerian_order(legs, here)
    best = min(ways, key=lambda order: _total_length(order, here))
    return (*held, *(leg.move for leg in best))


def path_length(moves: Sequence[Move], now: Environment) -> float:
    """Return the length of the path along moves in their order, ignoring obstacles [m]."""
    base = (now.base.x, now.base.y) if now.base is not None else None
    return _total_length([_leg_of_move(move, now) for move in moves], base)


def _leg_of_move(move: Move, now: Environment) -> _Leg:
    at = now.position_of(move.thing)
    start = (at.x, at.y) if at is not None else (0.0, 0.0)
    to = now.position_of(move.target) if move.target else at
    end = move.spot or ((to.x, to.y) if to is not None else start)
    table = now.table_of(move.thing)
    cell = table or f"{start[0] // _CELL_M:g} {start[1] // _CELL_M:g}"
    return _Leg(move, start, (end[0], end[1]), cell, f"{move.target} {move.spot}")


def _total_length(legs: Sequence[_Leg], here: Flat | None) -> float:
    length = 0.0
    for leg in legs:
        if here is not None:
            length += math.dist(here, leg.start)
        length += math.dist(leg.start, leg.end)
        here = leg.end
    return length


def _greedy_order(legs: Sequence[_Leg], here: Flat | None) -> list[_Leg]:
    """Return the legs in greedy order: the nearest object next."""
    if here is None or not legs:
        return list(legs)
    starts = np.array([leg.start for leg in legs])
    found = []
    for _ in legs:
        best = int(np.argmin(np.hypot(starts[:, 0] - here[0], starts[:, 1] - here[1])))
        starts[best] = math.inf
        found.append(legs[best])
        here = legs[best].end
    return found


def _eulerian_order(legs: Sequence[_Leg], here: Flat) -> list[list[_Leg]]:
    """Return a list with one order, along an Eulerian circuit of loaded and empty paths.

    The list is empty if networkx is not installed, or if there are too many pairs of batches and
    targets.
    """
    try:
        import networkx as nx  # optional dependency
    except ImportError:
        return []
    batches = {leg.batch for leg in legs}
    targets = {leg.target: leg.end for leg in legs}
    if len(batches) * len(targets) > _MOST_PAIRS:
        return []
    loaded = Counter((leg.batch, leg.target) for leg in legs)
    centres = {
        name: tuple(np.mean([leg.start for leg in legs if leg.batch == name], axis=0))
        for name in sorted(batches)
    }
    loaded["", ""] = 1  # the return to the start, which costs nothing
    targets[""] = here
    graph = nx.DiGraph()
    for (batch, target), count in loaded.items():
        for node, change in ((("from", batch), count), (("to", target), -count)):
            graph.add_node(node)
            graph.nodes[node]["demand"] = graph.nodes[node].get("demand", 0) + change
    cost: dict[tuple[str, str], int] = {}
    for target, end in targets.items():
        for batch in ("", *centres):
            far = math.dist(end, centres[batch]) if batch else 0.0
            cost[target, batch] = round(far * _MM)
            graph.add_edge(("to", target), ("from", batch), weight=cost[target, batch])
    _, flow = nx.network_simplex(graph)
    empty = Counter(
        {
            (target, batch): count
            for (_, target), ways in flow.items()
            for (_, batch), count in ways.items()
            if count
        }
    )
    tour = nx.MultiDiGraph()
    for (batch, target), count in loaded.items():
        tour.add_edges_from([(("from", batch), ("to", target))] * count)
    for (target, batch), count in _joining_empty_paths(empty, loaded, cost).items():
        tour.add_edges_from([(("to", target), ("from", batch))] * count)
    left: dict[tuple[str, str], list[_Leg]] = {}
    for leg in legs:
        left.setdefault((leg.batch, leg.target), []).append(leg)
    found: list[_Leg] = []
    for (role, batch), (_, target) in nx.eulerian_circuit(tour, ("to", "")):
        if role == "from" and batch:
            same = left[batch, target]
            spot = here
            leg = min(same, key=lambda one: math.dist(one.start, spot))
            same.remove(leg)
            found.append(leg)
            here = leg.end
    return [found]


def _joining_empty_paths(
    empty: Counter[tuple[str, str]],
    loaded: Counter[tuple[str, str]],
    cost: dict[tuple[str, str], int],
) -> Counter[tuple[str, str]]:
    """Return the empty paths after the cheapest exchanges that join all tours into one."""
    import networkx as nx  # already imported by the caller

    while True:
        links = nx.Graph()
        links.add_edges_from((("from", batch), ("to", target)) for batch, target in loaded)
        links.add_edges_from((("to", target), ("from", batch)) for target, batch in +empty)
        parts = {node: n for n, part in enumerate(nx.connected_components(links)) for node in part}
        if not any(parts.values()):
            return +empty
        ways = list(+empty)
        _, one, other = min(
            (cost[a, d] + cost[c, b] - cost[a, b] - cost[c, d], (a, b), (c, d))
            for a, b in ways
            for c, d in ways
            if parts["to", a] != parts["to", c]
        )
        empty.subtract([one, other])
        empty.update([(one[0], other[1]), (other[0], one[1])])
