"""Final sentences about the known state of the objects that a mission concerns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bt_exec.language.fact_sentences import UNKNOWN, Known, sentences_by_robot
from bt_exec.language.messages import Messages
from bt_exec.mission.progress import MissionProgress
from bt_exec.pack import Catalogue
from bt_exec.spec.model import Check, Do, walk
from bt_exec.verify.effects_on_facts import (
    established_facts,
    fill_arguments,
    has_known_arguments,
    touched_facts,
)

__all__ = ["concerned_facts", "question_facts", "state_sentences"]


def concerned_facts(
    progress: MissionProgress, catalogue: Catalogue, facts: Mapping[str, str], *, well: bool = True
) -> dict[str, str]:
    """Return the facts that concern a mission, with their last known values.

    A fact concerns the mission if one of its skills changes it, or one of its questions is about
    it. A command about the door therefore does not concern the hand. If the mission did not end
    `well`, the facts that its skills need and the facts of the resources that its started skills
    use concern it, too. For instance, a hand that was stopped halfway may still hold the handle. In
    that case, a fact that a started skill changes is included as unknown if `facts` has no value
    for it.
    """
    if progress.spec is None:
        return {}
    nodes = tuple(walk(progress.spec.root, Do))
    about = dict.fromkeys(_effects_of(nodes, catalogue))
    for node in () if well else nodes:
        known = facts if node.do in progress.started else ()
        about.update(dict.fromkeys(touched_facts(catalogue.skill(node.do), node.args, known)))
    for asked in progress.answered.values():
        about.update(dict.fromkeys(question_facts(asked.question, progress, catalogue)))
    concerned = {fact: facts[fact] for fact in about if fact in facts}
    begun = () if well else (node for node in nodes if node.do in progress.started)
    for fact in _effects_of(begun, catalogue):
        concerned.setdefault(fact, UNKNOWN)
    return concerned


def state_sentences(
    progress: MissionProgress,
    messages: Messages,
    catalogue: Catalogue,
    known: Known,
    *,
    well: bool = True,
) -> tuple[str, ...]:
    """Return a sentence for each fact that concerns a mission; see `concerned_facts`.

    States that are not current are reported with their time.

    Message codes name a fact (``door=open``), a fact with any value (``at=*``, with ``{value}``),
    an unknown fact (``door=?``), several facts (``at.left=home + at.right=home``), or an earlier
    fact (``was door=open``). The forms can be combined.
    """
    facts = concerned_facts(progress, catalogue, known.facts, well=well)
    return tuple(
        sentence for _, sentence in sentences_by_robot(facts, messages, progress.language, known)
    )


def _effects_of(nodes: Iterable[Do], catalogue: Catalogue) -> Iterator[str]:
    """Yield the facts that skills of a plan change, except facts named with an unknown argument."""
    for node in nodes:
        effects = catalogue.skill(node.do).effects
        yield from [
            fill_arguments(key, node.args) for key in effects if has_known_arguments(key, node.args)
        ]


def question_facts(
    question: str, progress: MissionProgress, catalogue: Catalogue
) -> tuple[str, ...]:
    """Return the facts that a question of the plan concerns."""
    assert progress.spec is not None
    return tuple(
        fact
        for node in walk(progress.spec.root, Check)
        if str(node.check) == question
        for fact in established_facts(node.check, catalogue)
    )
