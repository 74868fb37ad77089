"""Memory of a planner at a moment: never from the future or from another split.

It contains earlier records of the same episode, and similar records of other episodes. Records of
the training split and of the test split never use each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bt_exec.failure import UsageError
from bt_exec_labeler.splits import Split

__all__ = ["Memory"]

_EARLIER = 3
_SIMILAR = 2


class Memory:
    """Search for records to remember.

    Args:
        lines: Lines of ``records.jsonl``.
        about: Command of each episode.
        texts: Text of each mid step.
        splits: Split of each episode.

    Raises:
        UsageError: If the search library is not installed.
    """

    def __init__(
        self,
        lines: Sequence[Mapping[str, Any]],
        about: Mapping[str, str],
        texts: Mapping[str, str],
        splits: Mapping[str, Split],
    ) -> None:
        try:
            import bm25s
        except ImportError:
            raise UsageError("memory needs bm25s: pip install 'bt-exec[label]'") from None

        self._search = bm25s
        self._about, self._texts = about, texts
        self._by_episode: dict[str, list[Mapping[str, Any]]] = {}
        for line in sorted(lines, key=lambda line: line["t"]):
            self._by_episode.setdefault(line["episode"], []).append(line)
        self._firsts = [
            line
            for episode, found in sorted(self._by_episode.items())
            if splits.get(episode) == "train"
            for line in _first_of_each_step(found)
        ]
        self._index: Any = None
        if self._firsts:
            self._index = bm25s.BM25()
            words = self._tokens([self._step_text(line) for line in self._firsts])
            self._index.index(words, show_progress=False)

    def at(self, line: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the records before this one that a planner may recall, nearest first."""
        return [*map(_memory_row, self._earlier(line)), *map(_memory_row, self._similar(line))]

    def _earlier(self, line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the last finished steps of the episode, newest first."""
        before = [one for one in self._by_episode[line["episode"]] if one["t"] < line["t"]]
        steps = {one["mid_step_id"]: one for one in before if one["record"] is not None}
        steps.pop(line["mid_step_id"], None)
        newest = sorted(steps.values(), key=lambda one: -one["t"])
        return newest[:_EARLIER]

    def _similar(self, line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return similar records of other training episodes."""
        if self._index is None:
            return []
        query = self._tokens([self._step_text(line)])
        count = min(len(self._firsts), _SIMILAR + len(self._by_episode[line["episode"]]))
        places, scores = self._index.retrieve(query, k=count, show_progress=False)
        found = [
            self._firsts[int(place)]
            for place, score in zip(places[0], scores[0], strict=True)
            if score > 0
        ]
        return [one for one in found if one["episode"] != line["episode"]][:_SIMILAR]

    def _step_text(self, line: Mapping[str, Any]) -> str:
        command = self._about.get(line["episode"], "")
        return f"{line['mid_step_id']} {self._texts.get(line['mid_step_id'], '')} {command}"

    def _tokens(self, texts: list[str]) -> Any:
        # short words and Korean are indexed, too
        words = {"token_pattern": r"\w+", "stopwords": None}
        return self._search.tokenize(texts, show_progress=False, **words)


def _first_of_each_step(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    steps: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        steps.setdefault(line["mid_step_id"], line)
    return list(steps.values())


def _memory_row(line: Mapping[str, Any]) -> dict[str, Any]:
    record = line["record"]
    return {
        "plan_id": record["plan_id"],
        "mid_step_id": record["mid_step_id"],
        "short_goal_dsl": record["short_goal_dsl"],
        "done_evidence": record["done_evidence"],
    }
