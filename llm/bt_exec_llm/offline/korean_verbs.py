"""Korean verbs: a stem with everything that hangs on it, read as what it does in a sentence.

``열어 주시겠습니까`` is the stem 열 with a request; ``열지 마`` forbids; ``열고 나서`` goes on;
``열려 있으면`` sets a condition. Helping verbs (주다, 보다, 두다 …) change the mood, not the verb.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bt_exec_llm.offline.closed import words
from bt_exec_llm.offline.kiwi import Morph
from bt_exec_llm.offline.korean_stems import (
    Verb,
    before_ending,
    contracted,
    is_verb,
    morph_at,
    take_stem,
)

__all__ = ["Verb", "is_verb", "read_verb"]

_AUX_GIVE = words("korean", "giving")
_AUX = words("korean", "helping")
_LINKS = words("korean", "linking")
_THEN = words("korean", "going_on")
_BUT = words("korean", "opposing")
_KEEPS = ("두", "놓", "놔두", "냅두")
_REASONS = words("korean", "reasoning")
_IF = words("korean", "conditional")
_EMBED = words("korean", "embedding")
_QUOTE = words("korean", "quoting")
_DOUBTS = words("korean", "doubting")
_INSISTING = words("korean", "insisting")
_REMINDING = (*words("korean", "reminding"), "지", "지요", "죠")
_ASK_TO = words("korean", "asking_to")
_SHALL_I = ("ᆯ까", "을까", "ᆯ까요", "을까요")
_QUESTIONS = words("korean", "questioning")
_COMMANDS = words("korean", "commanding")
_PLAIN = words("korean", "plain")


def read_verb(
    every: Sequence[Morph], at: int, joins: Callable[[tuple[str, ...]], bool]
) -> tuple[Verb, int]:
    """Return the verb that begins at `at`, and where the next word begins.

    Args:
        every: The morphemes.
        at: Where it begins; `is_verb` says so.
        joins: Whether stems begin a verb of the lexicon: 꺼내, 오.
    """
    verb = Verb(start=every[at].start)
    at = take_stem(verb, every, at)
    while True:
        at = before_ending(verb, every, at)
        one = morph_at(every, at)
        if one is None or one.tag not in ("EC", "EF", "ETM", "ETN"):
            verb.kind = "then" if every[at - 1].form == "나서" else "bare"
            break
        at += 1
        verb.last, verb.end = one.form, one.end
        again = _go_on(verb, every, at, one, joins)
        if again is None:
            verb.gives = verb.gives or verb.stems[-1] in _AUX_GIVE
            verb.kind, at = _kind(verb, every, at, one)
            break
        at = again
    verb.end = every[at - 1].end
    if len(verb.stems) > 1 and verb.stems[-1] in _AUX_GIVE:
        verb.gives = True
        if verb.kind == "ask_to":
            verb.kind = "request"
    return verb, at


def _go_on(
    verb: Verb,
    every: Sequence[Morph],
    at: int,
    ending: Morph,
    joins: Callable[[tuple[str, ...]], bool],
) -> int | None:
    """Take a helping verb or a joined verb; return where its own endings begin, None if none."""
    one = morph_at(every, at)
    if one is None or ending.tag != "EC":
        return None
    form = ending.form
    if form == "지" and one.tag == "JX":
        at, one = at + 1, morph_at(every, at + 1)
        if one is None:
            return None
    if form == "지" and one.form in ("말", "않", "못하", "마"):
        verb.negative = True
        verb.helpers.append(one.form)
        return at + 1
    verbal = one.tag in ("VV", "VX", "VA") or is_verb(every, at)
    if form in ("고", "구") and one.form == "있":
        verb.progress = True
        return at + 1
    if form in ("고", "구") and one.form in ("나", "나서") and one.tag in ("VX", "VV"):
        return at + 1
    if form in ("어", "아") and one.form == "있" and one.tag in ("VX", "VA", "VV"):
        verb.state = True
        return at + 1
    if form in ("어", "아") and one.form == "지" and one.tag == "VX":
        verb.stems[-1] = contracted(verb.stems[-1]) + "지"
        return at + 1
    if verbal and form in _LINKS and (not verb.past or form == "다") and not verb.helpers:
        stem = one.form if one.tag in ("VV", "VX", "VA") else ""
        if stem and joins((*verb.stems, stem)):
            verb.stems.append(stem)
            verb.past = False
            return at + 1
    gives = form in ("다", "어다", "다가") and one.form in _AUX_GIVE  # 따다 줘
    gives = gives or (one.tag == "VX" and one.form == "주" and form == "오")  # 열오줘
    if (form in ("어", "아") and one.tag in ("VX", "VV") and one.form in _AUX) or gives:
        verb.helpers.append(one.form)
        verb.gives = verb.gives or one.form in _AUX_GIVE
        return at + 1
    if form in ("어도",) and one.form in ("되", "좋", "괜찮"):
        verb.kind = "may"
    return None


def _kind(verb: Verb, every: Sequence[Morph], at: int, ending: Morph) -> tuple[str, int]:
    """Return what the verb does, and where the next word begins."""
    form, one = ending.form, morph_at(every, at)
    two = morph_at(every, at + 1)
    if ending.tag == "ETN":
        return _nominal(form, every, at)
    if ending.tag == "ETM":
        return _adnominal(verb, form, every, at)
    if form in ("어도", "아도") and one is not None and one.form in ("되", "좋", "괜찮"):
        inner, at = read_verb(every, at, lambda _: False)
        verb.helpers.append("좋" if one.form == "좋" else "도 되")
        if inner.last in (*_DOUBTS, *_SHALL_I, "니", "나요", "지"):  # 열어도 되나
            verb.helpers.append("?")
        return "reason" if inner.kind == "reason" else "may", at  # 닫아도 되니까
    if form in ("어야", "아야") and one is not None and one.form in ("하", "되"):
        inner, at = read_verb(every, at, lambda _: False)
        return inner.kind if inner.kind in ("reason", "quote", "embed", "if") else "must", at
    if form in ("도록", "게끔") and one is not None and one.form == "하":
        inner, at = read_verb(every, at, lambda _: False)
        verb.negative = verb.negative or inner.negative
        return ("command" if inner.kind in ("plain", "command", "request") else inner.kind), at
    if form in ("도록", "게끔") and (one is None or one.tag == "SF"):
        return "command", at
    if form in _INSISTING and (one is None or one.tag == "SF"):
        return "insisted", at
    if form in ("려고", "으려고") and one is not None and one.form == "하":  # 열려고 해
        return _whole(every, at, "statement")
    if form in ("고",) and one is not None and one.form == "싶":
        return _whole(every, at, "wish")
    if form in _QUOTE and one is not None and one.tag in ("VX", "VV") and one.form == "하":
        inner, at = read_verb(every, at, lambda _: False)
        again = inner.past and not inner.negative and inner.last in _REMINDING
        return ("insisted" if again and form in _INSISTING else "reported"), at
    if form in ("면", "으면") and one is not None:
        if one.form == "안" and two is not None and two.form == "되":
            inner, after = read_verb(every, at + 1, lambda _: False)
            mark = morph_at(every, after)
            asked = mark is not None and mark.tag == "SF" and "?" in mark.form
            if verb.gives and (asked or inner.kind in ("ask_to", "question")):
                return "request", after  # 갖다 주면 안 될까?
            verb.negative = True
            return _whole(every, at + 1, "command")
        if one.form in ("좋", "고맙", "감사", "되", "하", "감사하") and is_verb(every, at):
            inner, at = read_verb(every, at, lambda _: False)
            if inner.past:
                return "statement", at  # 닫혔으면 좋았을 텐데
            return ("wish" if not verb.gives and one.form == "좋" else "request"), at
    if form in _QUOTE:
        return "quote", at
    if form in _IF:
        return "if", at
    if form in ("거나", "든지", "든가"):
        return "or", at
    if ending.tag == "EC":
        if form in _EMBED and not (form == "나" and one is None):
            return "embed", at
        if form in _BUT:
            return "but", at
        if form == "지" and one is not None and one.form in ("그래", "그러"):
            return "request", at + 1
        if one is not None and one.tag not in ("SF",) and form in _THEN:
            if form in ("어", "아") and not verb.past:
                return "plain", at
            return "then", at
        if form in ("고", "어서", "아서", "구", "다가") and one is None:
            return "then", at
        if form == "니" and one is not None and one.tag != "SF":  # 먼지 들어오니 문 닫아
            return "reason", at
        if form in _REASONS:
            return ("reason" if one is not None else "statement"), at
    if form in _DOUBTS and one is not None and one.tag != "SF":
        return "embed", at
    return _final(verb, form), at


def _final(verb: Verb, form: str) -> str:
    """Return what an ending at the end of a sentence does."""
    if form in _ASK_TO:
        offers = form in _SHALL_I and not verb.polite  # 열어 줄까?
        return "request" if verb.gives and not offers else "ask_to"
    if verb.future and form in (*_PLAIN, *_QUESTIONS):
        return "request" if verb.gives or (verb.polite and verb.helpers) else "ask_to"
    if verb.past or verb.state or verb.progress:
        if form in (*_PLAIN, *_QUESTIONS):
            return "question"
        return "command" if form in _COMMANDS and not verb.past else "statement"
    if form in _COMMANDS:
        return "command"
    if form in _PLAIN:
        return "plain"
    if form in _QUESTIONS:
        return "question"
    return "statement"


def _whole(every: Sequence[Morph], at: int, kind: str) -> tuple[str, int]:
    """Take the rest of a fixed phrase: 좋겠어요, 감사하겠습니다, 돼."""
    _, at = read_verb(every, at, lambda _: False)
    return kind, at


def _nominal(form: str, every: Sequence[Morph], at: int) -> tuple[str, int]:
    one = morph_at(every, at)
    if form == "기" and one is not None:
        if one.tag == "JKO" and (two := morph_at(every, at + 1)) is not None and two.form == "바라":
            at, one = at + 1, two  # 열어 주길 바라
        if one.form == "전":
            at += 1
            while (after := morph_at(every, at)) is not None and after.tag in ("JKB", "JX"):
                at += 1
            return "before", at
        if one.form in ("부탁", "바라", "바람", "바래"):
            at += 1
            while (after := morph_at(every, at)) is not None and after.tag[:2] in (
                "VV",
                "XS",
                "EF",
                "EC",
                "EP",
                "ET",
            ):
                at += 1
            return "request", at
    if form in ("음", "ᆷ") and one is not None and one.tag[0] not in "SJ":
        return "if", at  # 열려 있음 닫아, for 있으면
    hated = one is not None and one.form != "하" and is_verb(every, at)  # 열기 싫어
    return ("command" if form == "기" and not hated else "name"), at


def _adnominal(verb: Verb, form: str, every: Sequence[Morph], at: int) -> tuple[str, int]:
    one, two = morph_at(every, at), morph_at(every, at + 1)
    if one is None:
        return "noun", at
    if form == "는" and one.form in ("것", "거", "게"):
        after = at + 1
        while (skip := morph_at(every, after)) is not None and skip.tag in ("JKO", "JX", "JKS"):
            after += 1
        if (wish := morph_at(every, after)) is not None and wish.form in ("좀", "꼭"):
            after, wish = after + 1, morph_at(every, after + 1)
        if wish is not None and wish.form == "가능" and wish.tag == "NNG":
            after += 1
            return "request", read_verb(every, after - 1, lambda _: False)[1] if (
                is_verb(every, after - 1)
            ) else after  # 여는 거 가능?
        if wish is not None and wish.form == "하" and is_verb(every, after):
            inner, after = read_verb(every, after, lambda _: False)
            if inner.gives and inner.kind in ("plain", "request", "command"):
                return "request", after  # 여는 거 좀 해 줄래
        if wish is not None and wish.form in ("부탁", "바라", "부탁드리"):
            return _nominal("기", every, after)  # 닫는 거 부탁해
        if wish is not None and wish.form in ("잊", "까먹", "잊어버리") and is_verb(every, after):
            inner, after = read_verb(every, after, lambda _: False)
            if inner.negative:
                return "request", after  # 닫는 거 잊지 마
        if wish is not None and wish.form in ("좋", "낫", "돕", "도와주") and is_verb(every, after):
            inner, after = read_verb(every, after, lambda _: False)
            asked = inner.kind in ("if", "quote", "embed", "reason")
            asked = asked or inner.last in _SHALL_I  # 닫는 게 좋을까
            if not asked and not inner.negative:
                return "request", after  # 닫는 게 좋겠어; 여는 것 좀 도와줘
    if form in ("ᆯ", "을"):
        if one.form == "수" and one.tag == "NNB":
            at += 1
            while (skip := morph_at(every, at)) is not None and skip.tag == "JX":
                at += 1
            if (last := morph_at(every, at)) is not None and last.form in ("있", "없"):
                inner, at = read_verb(every, at, lambda _: False)
                open_end = morph_at(every, at) is None and inner.last in ("나", "는가")  # … 수 있나
                if inner.kind == "if" and not inner.negative and inner.stems[-1] == "있":
                    return "if_can", at  # 열 수 있으면 열어
                if inner.kind in ("embed", "if", "quote") and not open_end:
                    return inner.kind, at
                inner.kind = "question" if open_end else inner.kind
                asked = inner.kind in ("plain", "question", "ask_to", "request", "command")
                return (
                    "request" if verb.gives or (inner.polite and verb.helpers) else "can"
                ) if asked else "statement", at
            return "noun", at
        if one.form in ("때", "경우") and one.tag in ("NNG", "NNB"):
            at += 1
            while (skip := morph_at(every, at)) is not None and skip.tag in ("JX", "JKB"):
                if skip.form in ("까지", "부터", "마다"):  # 빌 때까지
                    return "while", at + 1
                at += 1
            return "if", at
        if one.form in ("필요", "생각"):
            verb.negative = True
            at += 1
            while (skip := morph_at(every, at)) is not None and skip.tag[0] == "J":
                at += 1
            if morph_at(every, at) is not None and is_verb(every, at):
                return _whole(every, at, "command")
            return "command", at
        if one.form in ("것", "거", "게", "꺼"):
            inner_at = at + 1
            after = inner_at
            while (skip := morph_at(every, after)) is not None and skip.tag in ("JKO", "JX"):
                after += 1
            if (wish := morph_at(every, after)) is not None and wish.form in (
                "부탁",
                "부탁드리",
                "바라",
                "요청",
            ):
                return _nominal("기", every, after)  # 열어 줄 것을 부탁해
            if inner_at < len(every) and is_verb(every, inner_at):
                inner, nxt = read_verb(every, inner_at, lambda _: False)
                return (inner.kind if inner.kind in ("quote", "embed") else "statement"), nxt
            return ("command" if inner_at >= len(every) else "noun"), inner_at
    if form in ("ᆫ", "은", "난") and one.form in ("다음", "뒤", "후", "담", "다음번"):
        at += 1
        while (skip := morph_at(every, at)) is not None and skip.tag in ("JX", "JKB"):
            at += 1
        return "then", at
    if one.form == "지" and one.tag == "NNB":
        at += 1
        while (skip := morph_at(every, at)) is not None and skip.tag in ("JX", "JKO", "JKS"):
            at += 1
        return "embed", at
    if form == "는" and one.form in ("동안", "중", "사이", "도중"):
        return "while", at + 1
    if form in ("ᆫ", "은") and one.form in ("채", "상태"):
        after = at + 1
        while (skip := morph_at(every, after)) is not None and skip.tag[0] == "J":
            after += 1
        kept = morph_at(every, after)
        if kept is not None and kept.form in _KEEPS and is_verb(every, after):  # 열린 채로 두다
            inner, at = read_verb(every, after, lambda _: False)
            verb.helpers.append("두")
            return inner.kind, at
        if one.form == "채" and (verb.helpers or verb.stems[-1] in _KEEPS):  # 열어 둔 채로 …
            return "then", after
    if one.form == "상태" and two is not None:
        copula = at + 1
        while (skip := morph_at(every, copula)) is not None and skip.tag[0] == "J":
            copula += 1
        if skip is not None and skip.tag in ("VCP", "VCN"):
            inner, at = read_verb(every, copula, lambda _: False)
            verb.state, verb.last = True, inner.last
            verb.negative = verb.negative != (skip.tag == "VCN")  # 닫힌 상태가 아니면
            if inner.kind in ("if", "embed"):
                return inner.kind, at
            return ("question" if inner.kind in ("plain", "question") else "statement"), at
    is_thing = form in ("는", "ᆫ", "은") and one.form in ("것", "거")
    if is_thing and two is not None and two.tag == "VCP":  # 열려 있는 거야?
        inner, after = read_verb(every, at + 1, lambda _: False)
        if inner.kind in ("plain", "question") and (verb.state or len(verb.stems[-1]) > 1):
            verb.state = True
            return "question", after
    if one.form in ("것", "거") and two is not None and two.form == "맞":  # 닫혀 있는 거 맞아?
        _, at = read_verb(every, at + 1, lambda _: False)
        return "question", at
    if one.form in ("것", "거") and two is not None and two.form in ("같",):
        inner, at = read_verb(every, at + 1, lambda _: False)
        if inner.kind == "but":  # 열려 있는 것 같은데 닫아 줘
            verb.last = inner.last
        return ("but" if inner.kind == "but" else "seems"), at
    return "noun", at
