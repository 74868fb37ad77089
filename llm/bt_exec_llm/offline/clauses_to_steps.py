"""Conversion of clauses of any kind, including fragments and remarks, to steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from bt_exec.language.reading.meaning_node import Node, normal_form
from bt_exec.language.reading.question_operations import with_asked_fragments
from bt_exec_llm.offline.act_clauses_to_steps import BECOME
from bt_exec_llm.offline.conditionals_to_steps import ConditionalConverter
from bt_exec_llm.offline.phrases_to_pieces import DESCRIBED
from bt_exec_llm.offline.questions_to_steps import PAIR
from bt_exec_llm.offline.reader_lexicon import parse_name
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import NoStepsError
from bt_exec_llm.offline.step_piece import BOUNDS, Piece

__all__ = ["ClauseConverter"]

_AT_LEAST, _AT_MOST = BOUNDS
_TOLD = Node("pronoun", (("name", "told"),))
"""Condition of "until I tell you", which the next command of the operator fulfils."""


class ClauseConverter(ConditionalConverter):
    """Converter of one meaning to steps.

    Args:
        lexicon: The words of the site.
        reading: The parsed text that contains the meaning.
        meaning: Meaning to convert.
    """

    _awaited: object = None  # pieces and answer of the state that the previous step waits for

    def convert(self, node: Node) -> Iterator[Step]:
        """Yield the steps of a clause."""
        if node.kind in ("seq", "act") and (chosen := _at_compared_place(node)) is not None:
            yield from self.convert(chosen)
        elif node.kind == "seq":
            for part in self._with_watched_objects(with_asked_fragments(node.parts())):
                yield from self.convert(part)
        elif node.kind == "turns":
            yield from self._convert_turns(node)
        elif node.kind == "tries":
            yield self._convert_tries(node)
        elif node.kind == "until":
            yield from self._convert_until(node)
        elif node.kind in ("act", "if") and (wait := self._as_wait_for_person(node)) is not None:
            yield from self.convert(wait)
        elif node.kind == "if" and self._lasts_as_long_as_it_waits(node):
            args = (("of", node.node("then")), ("hold", node.node("of")), ("sign", "while"))
            yield from self._convert_until(Node("until", args))
        elif node.kind == "if":
            yield from self._convert_conditional(node)
        elif node.kind == "ask" and self._compares(node):
            if self._in_branch:
                raise NoStepsError
            yield from self._convert_comparison(node)
        elif node.kind == "ask":
            yield self._build_question_step(node, "ask")
        elif node.kind == "remark":
            yield from self._convert_remark(node)
        elif node.kind == "avoid":
            step = self._convert_prohibited_act(node.node("of"))
            joined = self._joined_to(node)
            apart = joined == "stop" and self._reading.edge_of(node) is not None
            yield replace(step, joined=joined, contrast=step.contrast or apart)
        elif node.kind == "act":
            for act in self._convert_act(node):
                self._act = act
                self._plain_act = None if self._in_branch else act
                yield act
        elif node.kind == "fragment":
            yield self._convert_bare_objects(node)
        else:
            raise NoStepsError

    def _convert_turns(self, node: Node) -> Iterator[Step]:
        """Yield the steps of alternating acts: "open and close it three times".

        Raises:
            NoStepsError: If an act has its own number of repetitions, or is a report, which is
                made once at the end.
        """
        pause = node.get("pause")
        if isinstance(pause, Node):
            yield from self._convert_rounds(node.node("of"), pause)
            return
        turns = int(node.node("times").text("number") or 0)
        acts = [one for one in node.node("of").walk() if one.kind == "act"]
        if acts[1:] and any(self._are_report_verbs(tuple(self._verbs_of(act))) for act in acts):
            raise NoStepsError
        for step in self.convert(node.node("of")):
            if step.times > 1 or not turns:
                raise NoStepsError
            yield replace(step, turns=turns)

    def _convert_tries(self, node: Node) -> Step:
        """Return the step of an act that is tried again after a failure: "try up to three times".

        Raises:
            NoStepsError: If it is not a single act, or is itself repeated, or is an earlier act,
                which would be done once more even if it succeeded.
        """
        if node.node("of").text("verb") == BECOME and self._act is not None:
            raise NoStepsError
        steps = list(self.convert(node.node("of")))
        if len(steps) != 1 or not (steps[0].positive and steps[0].acts) or steps[0].times > 1:
            raise NoStepsError
        step = replace(steps[0], tries=int(node.text("number")))
        self._act = step
        self._plain_act = None if self._in_branch else step
        return step

    def _convert_until(self, node: Node) -> Iterator[Step]:
        """Yield the steps of waiting for a state: "wait in the lounge until it is quiet".

        Waiting and keeping a state end in any case when the operator gives the next command.

        Raises:
            NoStepsError: If the act is not waiting, or if it has another condition.
        """
        act = node.node("of")
        verbs = [self._lexicon.verbs.get(verb) for verb in self._verbs_of(act)]
        if node.node("hold") == _TOLD:
            idle = any(verb and (verb.stays or verb.pairs or verb.idle) for verb in verbs)
            if not idle:
                raise NoStepsError
            waits = self._working and not (self._reports or act.parts())
            yield from () if waits else self.convert(act)
            return
        if node.node("hold").kind != "ask":
            yield from self._convert_kept_state(node)
            return
        watches = self._watches(act)
        waits = not watches and bool(verbs) and all(verb and verb.stays for verb in verbs)
        if not (watches or waits) and node.text("sign") == "while":
            yield from self._convert_conditional(
                Node("if", (("of", node.node("hold")), ("then", act)))
            )
            return
        if self._in_branch or not (watches or waits):
            raise NoStepsError
        seen = [*self.convert(act)] if act.parts() else []
        visited = [step for step in seen if self._places([step])]
        yield from visited
        question, needed = self.convert_condition(node.node("hold"))
        if any(piece.name == _AT_MOST for piece in question.pieces):
            raise NoStepsError  # "at most two" may stop holding
        if any(map(self._is_person, question.pieces)) and not self._places([question]):
            here = [p.with_mark("at") for step in visited for p in step.pieces]
            question = replace(question, pieces=[*question.pieces, *here])
        watched = [p for step in seen if step not in visited for p in step.pieces]
        if not {piece.name for piece in watched} <= {piece.name for piece in question.pieces}:
            raise NoStepsError  # "watch the door until you see the material"
        if watches and not (seen or self._places([question])) and (tour := self._tour(act)):
            question = replace(question, pieces=[*question.pieces, *tour])
        if {*self._places(visited)} - {*self._places([question])} and self._places([question]):
            raise NoStepsError  # the robot cannot wait at one place and look at another
        every = any(map(self._is_group, question.pieces))
        if every and (node.node("hold").node("of").kind == "all" or not needed):
            raise NoStepsError  # "until all rooms are dark": it stops at the first dark one
        stays = tuple(self._verbs_of(act)) if waits else self._waiting
        awaited = question, needed != (node.text("sign") == "while")
        state = {(p.kind, p.name, p.value) for p in question.pieces}, awaited[1]
        if self._awaited != state:  # "wait until it is closed; once it is closed, …"
            self._built[-1:] = [replace(self._build_step(stays, [], act), awaited=awaited)]
            yield self._built[-1]
        self._awaited = state

    def _as_wait_for_person(self, node: Node) -> Node | None:
        """Return "wait for him" as waiting until he is there; None for other nodes.

        The same applies to "if he is not in, wait for him and …"; if he is in, the acts that follow
        are done at once.
        """
        then = node.node("then") if node.kind == "if" else node
        first, *rest = then.parts() if then.kind == "seq" and then.parts() else (then,)
        wait = first.node("of") if first.kind == "until" else first
        if wait.kind != "act" or not self._is_unlimited_wait(wait) or self._watches(wait):
            return None
        awaited = [one for one in wait.parts() if one.kind == "np" and self._names_awaited(one)]
        places = tuple(one for one in wait.parts() if one not in awaited)
        if node.kind == "if":
            asked = node.node("of").node("of")
            absent = asked.get("of") if _denies_presence(asked) and self._act is None else None
            if isinstance(absent, Node) and absent.kind == "np":
                absent = absent.replace(quantity=None)
            until = first.node("hold").node("of") if first.kind == "until" else None
            same = until is None or (
                until.kind == "exists" and self._names_person(until.node("of"))
            )
            if not (same and isinstance(absent, Node) and self._names_person(absent)):
                return None
            if not all(map(self._is_place_of_person, places)):
                return None  # "if he is out, wait in the lounge"
            awaited = [absent]
        if len(awaited) != 1 or node.get("other") is not None:
            return None
        there = Node("exists", (("of", awaited[0]),))
        hold = Node("ask", (("what", "whether"), ("of", there)))
        until = Node("until", (("of", wait.replace(of=places or None)), ("hold", hold)))
        return Node("seq", (("of", (until, *rest)),)) if rest else until

    def _is_place_of_person(self, place: Node) -> bool:
        persons = [one for kind in self._persons for one in self._lexicon.values[kind].values()]
        usual = {name for one in persons for name in one.brings.values()}
        return {piece.value for piece in self._convert_phrase(place)} <= usual

    def _names_awaited(self, phrase: Node) -> bool:
        """Return True for a phrase that names a person, or the persons at a place."""
        if self._names_person(phrase):
            return True
        present = {one for slot in self._lexicon.texts.values() for one in slot.present.items()}
        with suppress(NoStepsError):
            pieces = [*self._convert_phrase(phrase)]
            people = [one for one in pieces if (one.name, one.value) in present]
            others = [one for one in pieces if one not in people]
            return bool(people) and all(one.name in self._each for one in others)
        return False

    def _names_person(self, phrase: Node) -> bool:
        """Return True for a phrase that names a person of the site, or refers to one."""
        with suppress(NoStepsError):
            pieces = [*self._convert_phrase(phrase)]
            return bool(pieces) and all(map(self._is_person, pieces))
        return False

    def _convert_kept_state(self, node: Node) -> Iterator[Step]:
        """Yield the steps of "take the material while you keep the door open".

        Raises:
            NoStepsError: If the other act does more than to keep a state.
        """
        kept = node.node("of")
        _, _, frame = kept.text("verb").partition("/")
        known = self._lexicon.verbs
        keeping = [verb for verb in self._verbs_of(kept) if verb in known and known[verb].pairs]
        if not keeping:
            raise NoStepsError
        yield from self.convert(node.node("hold"))
        yield from self.convert(kept.replace(verb=f"{' '.join(keeping)}/{frame}"))

    def _tour(self, act: Node) -> list[Piece]:
        """Return the default places of an act that names none, such as a patrol."""
        ways = [self._lexicon.ways.get(verb) for verb in self._verbs_of(act)]
        usual = {pair for way in ways if way is not None for pair in way.about.items()}
        return [
            self._new_piece("value", name, value, mark="at")
            for name, value in usual
            if name in self._each
        ]

    def _places(self, steps: Iterable[Step]) -> list[tuple[str, str]]:
        """Return the types and values of the places in steps."""
        pieces = [piece for step in steps for piece in step.pieces]
        return [(piece.name, piece.value) for piece in pieces if piece.name in self._each]

    def _watches(self, act: Node) -> bool:
        """Return True if an act only observes something."""
        known = self._lexicon.verbs
        verbs = [self._lexicon.general_verb(verb) for verb in self._verbs_of(act) if verb in known]
        return bool(verbs) and all(known[verb].finds == "look" for verb in verbs)

    def _with_watched_objects(self, parts: Sequence[Node]) -> Iterator[Node]:
        """Yield the parts of a sequence, with the acts of waiting completed.

        In "watch it, and when it closes …", the wait gets the watched object. "Wait while it is
        open; once it is closed …" describes one wait twice, so the repetition is dropped.
        """
        done: list[Node] = []
        for part in parts:
            last = done[-1] if done else part
            if part.text("verb") == BECOME and last.kind == "until":
                state = part.parts()[0]
                hold = Node("ask", (("what", "whether"), ("of", state)))
                part = last.replace(of=Node("act", (("verb", "wait"),)), hold=hold, sign=None)
            if last.kind == "until" and part is not last and _is_awaited(part, last):
                if part.kind == "until":
                    continue
                part = part.node("then")  # "wait until it is quiet; when it is, …"
            if part.kind == "if" and self._is_unlimited_wait(last) and _is_event(part):
                if _denies_presence(part.node("of").node("of")):
                    raise NoStepsError  # "wait there, and if nobody comes": for how long?
                wait = Node("until", (("of", last), ("hold", part.node("of"))))
                done[-1], part = wait, part.node("then")
            if part is not last and part.kind == "act" and self._waits_in_vain(done):
                raise NoStepsError  # "wait in the lounge, then come back": for how long?
            waits = part.kind == "until" and not part.node("of").parts()
            if waits and last.kind == "act" and self._watches(last):
                done[-1] = part.replace(of=last)
            else:
                done.append(part)
        yield from done

    def _lasts_as_long_as_it_waits(self, node: Node) -> bool:
        """Return True for "wait as long as the door is open"."""
        act, asked = node.node("then"), node.node("of")
        after = self._position_in_text(act) < self._position_in_text(asked)
        return after and node.get("other") is None and self._is_unlimited_wait(act)

    def _waits_in_vain(self, done: Sequence[Node]) -> bool:
        """Return True if the last act is a wait, but neither for a time nor for a reply."""
        last = done[-1]
        told = any(one.kind == "quote" for part in done for one in part.walk())
        waits = last.kind == "act" and self._is_unlimited_wait(last) and not self._watches(last)
        return waits and not (told and not last.parts())

    def _is_unlimited_wait(self, act: Node) -> bool:
        """Return True for waiting or watching without a duration."""
        known = self._lexicon.verbs
        stays = [verb in known and known[verb].stays for verb in self._verbs_of(act)]
        return bool(stays) and all(stays) and all(one.kind != "duration" for one in act.parts())

    def _convert_rounds(self, acts: Node, pause: Node) -> Iterator[Step]:
        """Yield the steps of repeated acts, with a pause between two repetitions.

        Raises:
            NoStepsError: If the acts have different numbers of repetitions, or a condition.
        """
        steps = list(self.convert(acts))
        counts = {step.times * step.turns for step in steps}
        rounds = counts.pop() - 1
        if counts or rounds < 1 or any(one.condition or not one.positive for one in steps):
            raise NoStepsError
        steps = [replace(step, times=1, turns=1) for step in steps]
        wait = Node("act", (("verb", "wait"), ("of", (pause,))))
        for step in (*steps, *self.convert(wait)):
            yield replace(step, turns=rounds)
        yield from steps

    def convert_fragment(self, node: Node) -> list[Piece]:
        """Return the pieces of a fragment. In English, exclusions raise NoStepsError."""
        pieces = [piece for one in node.parts() for piece in self._convert_phrase(one)]
        if self._language == "en" and any(piece.mark == "not" for piece in pieces):
            raise NoStepsError
        return pieces

    def _convert_bare_objects(self, node: Node) -> Step:
        """Return the step for objects without a verb: "the material, please", "lounge status"."""
        pieces = self.convert_fragment(node)
        if node.get("sign") == "wanted":
            if not self._asked_for or any(piece.kind != "noun" for piece in pieces):
                raise NoStepsError
            return self._build_step(self._asked_for, pieces, node)
        asked = {*self._lexicon.past, *self._joined, *DESCRIBED}
        if node.get("sign") != "answer" or not asked & {piece.name for piece in pieces}:
            raise NoStepsError
        return replace(self._build_step((QUESTION,), pieces, node), via="ask")

    def _convert_remark(self, remark: Node) -> Iterator[Step]:
        """Yield a step without effect that contains the objects of a remark."""
        if any(one.kind == "ask" and one.text("what") != "whether" for one in remark.parts()):
            raise NoStepsError
        about = [one for part in remark.parts() for one in part.walk() if one.kind == "np"]
        named: list[Piece] = []
        for one in about:
            with suppress(NoStepsError):
                named += [p for p in self._convert_phrase(one) if p.kind in ("noun", "value")]
        slots = [name for name, slot in self._lexicon.texts.items() if slot.giver]
        items = [one for one in remark.parts() if one.kind == "quote"]
        if len(items) == len(slots) == 1:
            named += [replace(p, name=slots[0]) for p in self._convert_phrase(items[0])]
        if named:
            yield replace(self._build_step((), named, remark), said=True)


def _is_event(conditional: Node) -> bool:
    """Return True if a conditional has no alternative and its condition names an object."""
    named = any(one.kind == "thing" for one in conditional.node("of").walk())
    return named and conditional.get("other") is None


def _denies_presence(asked: Node) -> bool:
    """Return True if a state is the absence of persons, or an upper bound of their number."""
    senses = {parse_name(one.text("name"))[3] for one in asked.walk() if one.kind == "thing"}
    bounds = {one.text("bound") for one in asked.walk() if one.kind == "quantity"}
    return asked.kind == "exists" and bool(senses & {"fails"} or bounds - {"at_least", "more"})


def _is_awaited(again: Node, until: Node) -> bool:
    """Return True if a conditional, or a wait, only repeats the state that was waited for."""
    repeated = {"if": "of", "until": "hold"}.get(again.kind)
    if repeated is None or again.get("other") is not None or until.get("sign") is not None:
        return False
    asked, hold = (again.node(repeated).get("of"), until.node("hold").get("of"))
    if not (isinstance(asked, Node) and isinstance(hold, Node)):
        return False
    if asked.kind == "pronoun":
        return hold.kind == "exists" and asked.text("name") == "so_there"
    if asked.kind == hold.kind == "exists" and asked.node("of").kind == "pronoun":
        return True
    about = asked.get("of")
    vague = isinstance(about, Node) and not any(one.kind == "thing" for one in about.walk())
    return asked == hold or (
        vague and asked.kind == "all" and asked.get("hold") == hold.get("hold")
    )


def _at_compared_place(node: Node) -> Node | None:
    """Return acts at "the noisier of A and B" as a condition, with a branch for each place.

    All acts after the first one at that place belong to the branches. None for other acts.
    """
    parts = node.parts() if node.kind == "seq" else (node,)
    for at, part in enumerate(parts):
        found = [one for one in part.walk() if _alternatives(one)] if part.kind == "act" else []
        if not found:
            continue
        top = found[0].node("of")
        one, other = (Node("np", (("of", place),)) for place in _alternatives(found[0]))
        than = Node("than", (("attribute", top.text("attribute")), ("to", other)))
        asked = Node("ask", (("what", "whether"), ("of", _all_are(one, than))))
        branches = (
            Node("seq", (("of", (part.substitute(found[0], place), *parts[at + 1 :])),))
            for place in (one, other)
        )
        then, rest = map(normal_form, branches)
        choice = Node("if", (("of", asked), ("then", then), ("other", rest)))
        return Node("seq", (("of", (*parts[:at], choice)),))
    return None


def _alternatives(phrase: Node) -> tuple[Node, ...]:
    """Return the two places in a phrase such as "the noisier of A and B"; empty for others."""
    top = phrase.get("of") if phrase.kind == "np" else None
    if not isinstance(top, Node) or top.kind != "most" or top.get("to") or top.get("rank"):
        return ()
    pair = top.node("of").parts() if top.node("of").kind == "or" else ()
    return pair if len(pair) == PAIR else ()


def _all_are(phrase: Node, formula: Node) -> Node:
    return Node("all", (("of", phrase), ("hold", formula)))
