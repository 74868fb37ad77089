"""Checks for words in a plan that come neither from the command nor from the site.

An answer has text fields for the operator, which are not executed. Their words must occur in the
command, in the site's catalogue or in a short list for explanations. All other words are rejected,
because they may be a warning ("a child's hand is in the gap"), and no list of warnings is complete.

A skill marks the arguments that are spoken (`bt_exec.skill.Said`). In a model's plan, the listener
and every content word of the speech must come from the command. Function words (articles, pronouns,
polite phrases) are always allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bt_exec.failure import Problem
from bt_exec.pack import Catalogue, Pack
from bt_exec.planning.compiler import Request
from bt_exec.spec.model import KINDS, Do, MissionSpec
from bt_exec.spec.node_paths import locate
from bt_exec.spec.yaml_source import Place, show_place
from bt_exec.verify.effects_on_facts import known_args
from bt_exec_llm.model_compiler.plan_normalization import AnswerContent
from bt_exec_llm.model_compiler.site_description import cached_text, describe_site
from bt_exec_llm.model_compiler.text_beside_plan_checks import contradiction_problem

__all__ = ["SpeakingStep", "foreign_words", "speaking_steps", "speech_problems", "unknown_words"]


_TOKEN = re.compile(r"[a-z0-9]+|[가-힣]+|[^\Wa-z0-9가-힣]+")
"""Pattern of words; each match is in Latin letters, in Hangul or in other scripts."""
_JOINING_WORDS = (
    "a an the of to in on at by for from with about and or if so as is are am was were be been "
    "being it its this that these those there here i me my we us our you your yours he she him her "
    "his they them their do does did will would can could shall should may might have has had "
    "please hello hi thank thanks sorry excuse what when where who whom which how whether s t re "
    "ve ll d m tell say ask know let like just also "
)
_JOINING = frozenset(_JOINING_WORDS.split())
_JOINING_KO = (
    "있", "없", "하", "되", "것", "수", "저", "제", "나", "내", "그", "이", "좀", "혹시", "안녕",
    "감사", "부탁", "말씀", "여쭤", "여쭙", "대한", "대해", "관해", "관한", "무엇", "뭐", "언제",
    "어디", "누구", "어떻", "몇", "주세요", "주십", "습니", "입니", "될까", "될지", "돼요", "될는",
    "됩니까", "괜찮", "할까", "실례", "잠시", "잠깐", "드려", "드리", "드릴", "물어", "여쭈",
    "계신", "계시", "주실", "주시", "줄래", "봐도", "보아도", "싶어", "싶습", "알려", "알고",
)  # fmt: skip
_ENDINGS = frozenset(("", *"은는이가을를도의에와과만로고아어여면지게다서러려기"))
"""Particles and endings that may follow a Korean stem of one syllable."""


class SpeakingStep(NamedTuple):
    """Step that speaks a text.

    Attributes:
        skill: Name of the skill.
        others: Names and values of arguments that are not spoken, such as the listener.
        texts: Spoken texts.
        place: Place of the step in the plan.
    """

    skill: str
    others: tuple[tuple[str, str], ...]
    texts: tuple[str, ...]
    place: Place

    def unspoken_arguments_text(self) -> str:
        """Return the skill and the arguments that are not spoken, as readable text."""
        return " ".join((self.skill, *(f"{name}={value}" for name, value in self.others)))


def speaking_steps(spec: MissionSpec, catalogue: Catalogue) -> list[SpeakingStep]:
    """Return the steps of an expanded plan that speak a text, in order."""
    talks = []
    for step in locate(spec.root).walk(Do):
        node = step.node
        skill = catalogue.skills.get(node.do)
        if skill is not None and (said := skill.said_arguments()):
            args = known_args(skill, node.args)
            others = tuple(sorted((k, str(v)) for k, v in args.items() if k not in said))
            texts = tuple(str(args[name]) for name in sorted(said) if name in args)
            talks.append(SpeakingStep(node.do, others, texts, step.place))
    return talks


def speech_problems(
    spec: MissionSpec, meant: MissionSpec | None, request: Request
) -> Iterator[Problem]:
    """Yield problems for speech that is not in the command, and for missing speech.

    Args:
        spec: Plan as it would be executed.
        meant: Plan for the same command by the offline compiler, or None.
        request: The request.
    """
    found = speaking_steps(spec, request.catalogue)
    wanted = [] if meant is None else speaking_steps(meant, request.catalogue)
    sources = [request.command, *(text for talk in wanted for text in talk.texts)]
    partners = {(talk.skill, talk.others) for talk in wanted}
    for talk in found:
        where = show_place(talk.place)
        if meant is not None and (talk.skill, talk.others) not in partners:
            message = "the command does not ask to talk to this person; leave it out"
            allowed = tuple(other.unspoken_arguments_text() for other in wanted)
            yield Problem("UNASKED_TALK", message, where, talk.unspoken_arguments_text(), allowed)
            continue
        for text in talk.texts:
            foreign = foreign_words(text, sources)
            if foreign:
                message = "speech may only contain the words of the command"
                yield Problem("WORDS_NOT_IN_COMMAND", message, where, ", ".join(foreign)[:80])
    for talk in wanted:
        matching = [other for other in found if (other.skill, other.others) == talk[:2]]
        texts = [text for other in matching for text in other.texts]
        if not matching or not _covers(texts, talk.texts, request.command):
            text = " ".join(talk.texts)[:120]
            message = f"the command asks for {talk.unspoken_arguments_text()}: {text}"
            spoken = "; ".join(texts)[:80] or f"no {talk.skill} there"
            yield Problem(
                "PLAN_FOR_ANOTHER_COMMAND",
                message,
                "root",
                spoken,
                (talk.unspoken_arguments_text(),),
            )


def foreign_words(text: str, sources: Iterable[str]) -> list[str]:
    """Return the content words of a text that are in none of the sources."""
    known = {token for source in sources for token in _tokens(source)}
    return [
        token
        for token in _tokens(text)
        if not _is_joining_word(token) and not _contains_word(token, known)
    ]


def _covers(texts: Iterable[str], wanted: Iterable[str], command: str) -> bool:
    """Return True if `texts` contain at least half of the content words of `wanted`.

    Only words that are also in the command are counted.
    """
    asked = set(_tokens(command))
    words = [
        t
        for text in wanted
        for t in _tokens(text)
        if not _is_joining_word(t) and _contains_word(t, asked)
    ]
    said = {token for text in texts for token in _tokens(text)}
    return 2 * sum(_contains_word(word, said) for word in words) >= len(words)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold().replace("_", " "))


def _is_joining_word(token: str) -> bool:
    return token in _JOINING or token.startswith(_JOINING_KO)


def _contains_word(token: str, known: set[str]) -> bool:
    """Return True if a set contains a word, possibly with another ending."""
    if token in known:
        return True
    if token.isascii():
        if token.removesuffix("s") in known:
            return True
        stem = token if len(token) <= 4 else token[: max(4, len(token) - 3)]
        return len(token) > 3 and any(
            other.startswith(stem) and len(other) - len(stem) <= 4 for other in known
        )
    if len(token) <= 2:  # a short word, or a stem of one syllable with a particle or ending
        stem = _stem(token)
        return any(other[:2] == token or (stem and _stem(other) == stem) for other in known)
    return any(other[:2] == token[:2] for other in known)


def _stem(token: str) -> str:
    """Return the stem of a Korean word if it has one syllable; empty for other words."""
    return token[0] if len(token) <= 2 and token[1:] in _ENDINGS else ""


_PLAN_WORDS = """
then since because first second third next last after afterwards finally again before once only
already also still both each every all none any anything nothing else other another not no never
needed required requested asked wanted given done does do make makes made use uses used using with
without through into out back up down over until while must step steps plan plans task goal command
mission part way tree trees library skill skills robot touch touched change changed start started
end ends succeed fail failed retry try tried as usual one two three answer question ask reach
reached visible seen state condition reason fine ok in progress satisfied blocked closing opening
simply existing confidence evidence primary fallback init mode true false uncertain should report
뒤 후에 먼저 다음 다시 그리고 나서 명령 계획 단계 순서 때문 이미 모두 각각 사용 요청 필요 목표 작업
엽니다 열고 열어 여는 연 닫습니다 닫고 닫아 닫은 잡습니다 잡고 잡아 잡은 접습니다 접고 접어
가져옵니다 가져와 갑니다 가서 간 옵니다 와서 온 놓습니다 놓고 놓아 놓은 꺼냅니다 꺼내 꺼낸 꺼내서
봅니다 보고 봐 본 돌아옵니다 돌아와 돌아간 이동 옮깁니다 옮겨 옮긴 건넵니다 말합니다 묻습니다
않 아닙 진행 완료 동작 상태 확인 때까지 이후 마지막 첫 번째 위해 위한 대로 수행
"""
_SIGNS = re.compile(r"[^\w\s.,:;!?'’\"“”()\[\]{}<>=+*/&%°·…→≤≥_-]")
"""Pattern of signs that are neither words nor punctuation, such as warning symbols."""
_MOST = 3
_LONGEST = 4000


def unknown_words(form: AnswerContent, request: Request) -> list[Problem]:
    """Return a problem for each text with words that neither the command nor the site contains."""
    sources = (
        request.command,
        cached_text(request, "vocabulary", lambda: _site_words(request)),
        *(f"{fact} {value}" for fact, value in request.situation.facts.items()),
        *(
            request.messages.translate_word(label, request.language)
            for label in request.situation.labels
        ),
        *(turn.command for turn in request.context.turns),
        *(() if request.failure is None else (request.failure.code, request.failure.message)),
    )
    found: list[Problem] = []
    for place, text in _unexecuted_texts(form):
        against = contradiction_problem(text, place, explains=True)
        foreign = _SIGNS.findall(text) or foreign_words(text[:_LONGEST], sources)
        if against is not None:
            found.append(against)
        elif len(foreign) > place.endswith("/else"):  # a single word may be an unknown code
            message = (
                "these words are neither the command's nor the site's; say what the plan does or "
                "nothing, and a reason against the plan in 'cannot'"
            )
            found.append(Problem("WORDS_BESIDE_PLAN", message, place, ", ".join(foreign)[:80]))
        if len(found) >= _MOST:
            break
    return found


def _site_words(request: Request) -> str:
    said = [text for tree in request.library for text in (tree.summary, *tree.utterances)]
    words = [_lexicon_text(pack) for pack in request.catalogue.packs]
    return " ".join([_PLAN_WORDS, describe_site(request), *said, *words])


def _lexicon_text(pack: Pack) -> str:
    """Return the text of a pack's lexicon file; empty if there is none."""
    path = pack.lexicon
    return path.read_text("utf-8", "replace") if path is not None and path.is_file() else ""


def _unexecuted_texts(form: AnswerContent) -> Iterator[tuple[str, str]]:
    """Yield the path and the value of each text that is not executed."""
    beside = {key: value for key, value in form.stated.items() if key not in ("cannot", "assumes")}
    yield from _texts_with_places(beside, "")
    yield from _node_names_and_codes(form.root, "root", 0)


def _texts_with_places(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            where = f"{place}/{key}" if place else str(key)
            if place:
                yield where, str(key)
            yield from _texts_with_places(inner, where)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts_with_places(inner, f"{place}[{index}]")


def _node_names_and_codes(node: Any, place: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield position and text of the names of nodes and the codes of checks in a plan."""
    if not isinstance(node, Mapping) or depth > 60:
        return
    for key in ("name", "else"):
        if isinstance(node.get(key), str):
            yield f"{place}/{key}", node[key]
    for kind in KINDS:
        children = node.get(kind)
        for index, child in enumerate(children if isinstance(children, list) else ()):
            yield from _node_names_and_codes(child, f"{place}/{kind}[{index}]", depth + 1)
