"""Forms of commands in English and Korean, by their meaning.

Braces hold an act (`a`, `b`, `d`) or a condition (`c`) in one of its forms. A form may end with the
order of its acts after a bar, if the order differs from the other forms of its kind.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["FORMS", "Act", "command_and_meaning"]


class Act(NamedTuple):
    """An act in the forms that sentences need.

    Attributes:
        base: English imperative.
        ing: English gerund.
        pp: English past participle.
        fin: Korean imperative.
        go: Korean form with -고.
        n: Korean adnominal past form.
        gi: Korean nominal form with -기.
        ji: Korean form with -지.
    """

    base: str
    ing: str
    pp: str
    fin: str
    go: str
    n: str
    gi: str
    ji: str


ORDER = {
    "en": [
        "{a.base} and {b.base}",
        "{a.base}, then {b.base}",
        "{a.base} and then {b.base}",
        "first {a.base}, then {b.base}",
        "{a.base}. Then {b.base}.",
        "{a.base} before {b.ing}",
        "before {b.ing}, {a.base}",
        "before you {b.base}, {a.base}",
        "{b.base} after {a.ing}",
        "after {a.ing}, {b.base}",
        "{b.base}, but first {a.base}",
        "{b.base}, but {a.base} first",
        "{b.base}. Before that, {a.base}.",
        "{a.base}. After that, {b.base}.",
        "once you have {a.pp}, {b.base}",
        "{b.base} once you have {a.pp}",
        "when you have {a.pp}, {b.base}",
        "start by {a.ing}, then {b.base}",
        "{a.base} and finally {b.base}",
        "{a.base}, followed by {b.ing}",
        "{b.base} only after {a.ing}",
        "don't {b.base} until you have {a.pp}",
        "{b.base} as soon as you have {a.pp}",
        "having {a.pp}, {b.base}",
    ],
    "ko": [
        "{a.go} {b.fin}",
        "{a.go} 나서 {b.fin}",
        "{a.n} 다음에 {b.fin}",
        "{a.n} 뒤에 {b.fin}",
        "{b.gi} 전에 {a.fin}",
        "먼저 {a.go} 그다음에 {b.fin}",
        "{a.fin}. 그리고 {b.fin}",
        "{a.fin}. 그다음에 {b.fin}.",
        "{b.fin}. 그 전에 {a.fin}.",
        "{a.fin}. 그런 다음 {b.fin}.",
        "{b.fin} 그런데 먼저 {a.fin}",
        "{a.n} 후 {b.fin}",
        "우선 {a.go} 그러고 나서 {b.fin}",
        "{b.fin}, 그 전에 {a.go}",
        "{b.gi} 전에 먼저 {a.fin}",
        "{a.go} 마지막으로 {b.fin}",
    ],
}
CHAIN = {
    "en": [
        "{a.base}, {b.base} and {d.base}",
        "{a.base}, then {b.base}, then {d.base}",
        "first {a.base}, then {b.base} and finally {d.base}",
        "{a.base}. Then {b.base}. Then {d.base}.",
        "{a.base} and then {b.base}, but before that {d.base}|d a b",
        "1. {a.base} 2. {b.base} 3. {d.base}",
        "{a.base} before you {b.base} and then {d.base}",
        "after {a.ing}, {b.base} and {d.base}",
        "{a.base}; after that {b.base}; finally, {d.base}",
        "{d.base}, but first {a.base} and {b.base}",
        "before {d.ing}, {a.base} and {b.base}",
    ],
    "ko": [
        "{a.go} {b.go} {d.fin}",
        "{a.go} {b.n} 다음에 {d.fin}",
        "먼저 {a.go} 그다음에 {b.go} 마지막으로 {d.fin}",
        "{a.fin}. 그다음에 {b.fin}. 마지막으로 {d.fin}.",
        "{d.gi} 전에 {a.go} {b.fin}",
        "{a.n} 다음 {b.go} {d.fin}",
        "{a.fin} 그리고 {b.fin} 그리고 {d.fin}",
        "{a.go} 나서 {b.go} 나서 {d.fin}",
    ],
}
IF = {
    "en": [
        "if {c.en}, {a.base}",
        "{a.base} if {c.en}",
        "{a.base} only if {c.en}",
        "only if {c.en}, {a.base}",
        "{c.question} If so, {a.base}.",
        "{c.question} If yes, {a.base}",
        "in case {c.en}, {a.base}",
        "{a.base}, but only if {c.en}",
        "see if {c.en} and if so {a.base}",
        "check whether {c.en}; if so, {a.base}",
        "{a.base} provided that {c.en}",
        "{a.base} as long as {c.en}",
        "unless {c.en_not}, {a.base}",
        "{a.base} unless {c.en_not}",
        "don't {a.base} if {c.en_not}, otherwise do",
        "{a.base} except if {c.en_not}",
        "if it turns out that {c.en}, {a.base}",
        "go and see whether {c.en}. If that is the case, {a.base}.",
        "check if {c.en_not}. If not, {a.base}.",
        "do not {a.base} unless {c.en}",
    ],
    "ko": [
        "{c.ko} {a.fin}",
        "{a.fin}. {c.ko}",
        "{a.fin} {c.ko}",
        "만약 {c.ko} {a.fin}",
        "{c.ko}만 {a.fin}",
        "{c.ko_whether} 보고 그러면 {a.fin}",
        "{c.ko_question} 그러면 {a.fin}",
        "{c.ko_whether} 확인해서 그렇다면 {a.fin}",
        "혹시 {c.ko} {a.fin}",
        "{c.ko_not} {a.ji} 말고 아니면 {a.fin}",
        "{c.ko_not} {a.ji} 마, 아니면 {a.fin}",
        "{c.ko_question} 그렇다면 {a.fin}",
    ],
}
UNLESS = {
    "en": [
        "unless {c.en}, {a.base}",
        "{a.base} unless {c.en}",
        "if {c.en_not}, {a.base}",
        "{a.base} if {c.en_not}",
        "{c.question} If not, {a.base}.",
        "{a.base} only if {c.en_not}",
        "{a.base}, unless of course {c.en}",
        "{a.base} except when {c.en}",
        "check whether {c.en}; if not, {a.base}",
        "see if {c.en}. If not, {a.base}",
        "{c.question} if no, {a.base}",
        "don't {a.base} unless {c.en_not}",
    ],
    "ko": [
        "{c.ko_not} {a.fin}",
        "{c.ko_not}만 {a.fin}",
        "{c.ko_question} 아니면 {a.fin}",
        "{c.ko_whether} 보고 아니면 {a.fin}",
        "{c.ko_whether} 확인해서 아니면 {a.fin}",
        "{a.fin} {c.ko_not}",
        "{c.ko_question} 그렇지 않으면 {a.fin}",
        "만일 {c.ko_not} {a.fin}",
    ],
}
OTHERWISE = {
    "en": [
        "if {c.en}, {a.base}, otherwise {b.base}",
        "if {c.en}, {a.base}. Otherwise, {b.base}.",
        "if {c.en} {a.base}, else {b.base}",
        "if {c.en}, {a.base}; if not, {b.base}",
        "{c.question} If so, {a.base}. If not, {b.base}.",
        "{c.question} If not, {b.base}. If so, {a.base}.",
        "if {c.en_not}, {b.base}, otherwise {a.base}",
        "unless {c.en}, {b.base}, otherwise {a.base}",
        "{a.base} if {c.en}, otherwise {b.base}",
        "{b.base} unless {c.en}, in which case {a.base}",
        "if {c.en}, {a.base}, and if {c.en_not}, {b.base}",
        "if {c.en}, {a.base}, but if not, {b.base}",
        "{a.base} if {c.en} and {b.base} if not",
        "{b.base}, but if {c.en}, {a.base} instead",
        "if {c.en_not} {b.base}; else {a.base}",
        "either {a.base} or {b.base}, depending on whether {c.en}",
        "check whether {c.en}. If so, {a.base}, otherwise {b.base}",
        "depending on whether {c.en}, {a.base} or {b.base}",
    ],
    "ko": [
        "{c.ko} {a.go} 아니면 {b.fin}",
        "{c.ko} {a.go} 그렇지 않으면 {b.fin}",
        "{c.ko} {a.go} {c.ko_not} {b.fin}",
        "{c.ko_not} {b.go} {c.ko} {a.fin}",
        "{c.ko_not} {b.go} 아니면 {a.fin}",
        "{c.ko} {a.fin}. 아니면 {b.fin}.",
        "{c.ko_whether} 보고 그러면 {a.go} 아니면 {b.fin}",
        "{c.ko} {a.fin} 안 그러면 {b.fin}",
        "{c.ko_question} 그러면 {a.go} 아니면 {b.fin}",
        "{c.ko} {a.fin} {c.ko_not} {b.fin}",
        "{c.ko} {a.go}, 그게 아니라면 {b.fin}",
    ],
}
IF_BOTH = {
    "en": [
        "if {c.en}, {a.base} and {b.base}",
        "if {c.en}, {a.base} and then {b.base}",
        "if {c.en}, first {a.base}, then {b.base}",
        "unless {c.en_not}, {a.base} and {b.base}",
        "{c.question} If so, {a.base} and {b.base}.",
        "if {c.en}, {b.base}, but first {a.base}",
        "if {c.en}, {b.base} after {a.ing}",
    ],
    "ko": [
        "{c.ko} {a.go} {b.fin}",
        "{c.ko} {a.go} 나서 {b.fin}",
        "{c.ko} {a.n} 다음 {b.fin}",
        "{c.ko} {b.gi} 전에 {a.fin}",
    ],
}
THEN_IF = {
    "en": [
        "{a.base} and if {c.en}, {b.base}",
        "{a.base}. If {c.en}, {b.base}.",
        "{a.base}, then {b.base} if {c.en}",
        "{a.base} and then, if {c.en}, {b.base}",
        "first {a.base}. Then, unless {c.en_not}, {b.base}.",
        "{a.base}; {b.base} only if {c.en}",
    ],
    "ko": [
        "{a.go} {c.ko} {b.fin}",
        "{a.fin}. {c.ko} {b.fin}.",
        "{a.go} 나서 {c.ko} {b.fin}",
        "{a.n} 다음에 {c.ko} {b.fin}",
        "먼저 {a.go} 그다음 {c.ko} {b.fin}",
    ],
}
IF_THEN = {
    "en": [
        "if {c.en}, {a.base}. Either way, {b.base}.",
        "if {c.en}, {a.base}. In any case, {b.base}.",
        "if {c.en} {a.base}. {b.base} in any case.",
        "{b.base} whether or not {c.en}|b",
    ],
    "ko": [
        "{c.ko} {a.fin}. 어쨌든 {b.fin}.",
        "{c.ko} {a.fin}. 그리고 무조건 {b.fin}.",
        "{c.ko} {a.fin}. 어느 쪽이든 {b.fin}.",
    ],
}
NOT = {
    "en": [
        "don't {a.base}, just {b.base}",
        "{b.base}, don't {a.base}",
        "{b.base} without {a.ing}",
        "{b.base} instead of {a.ing}",
        "rather than {a.ing}, {b.base}",
        "{b.base} but do not {a.base}",
        "do not {a.base}, {b.base} instead",
        "never mind {a.ing}, {b.base}",
        "no need to {a.base}, {b.base}",
        "you don't have to {a.base}, just {b.base}",
        "instead of {a.ing}, {b.base}",
        "{b.base}, and please don't {a.base}",
        "skip {a.ing}, just {b.base}",
        "only {b.base}, don't {a.base}",
        "{b.base} and never {a.base}",
        "{b.base} rather than {a.ing}",
    ],
    "ko": [
        "{a.ji} 말고 {b.fin}",
        "{b.go} {a.ji} 마",
        "{b.go} {a.ji}는 마",
        "{a.ji} 않고 {b.fin}",
        "{b.fin}. {a.ji} 마.",
        "{a.ji} 마. {b.fin}.",
        "{a.ji} 않아도 되니까 {b.fin}",
        "{b.fin} {a.ji} 말고",
        "{a.ji}는 말고 {b.gi}만 해",
        "{a.ji} 말고 그냥 {b.fin}",
        "{b.gi}만 해",
        "{b.go} {a.ji}는 않아도 돼",
    ],
}
CORRECT = {
    "en": [
        "{a.base}, no, {b.base}",
        "{a.base}. No wait, {b.base}.",
        "{a.base}, I mean, {b.base}",
        "{a.base}, or rather {b.base}",
        "{a.base}... actually, {b.base}",
        "{a.base} — sorry, {b.base}",
        "{a.base}. Scratch that, {b.base}.",
        "{a.base}, no, don't, {b.base} instead",
    ],
    "ko": [
        "{a.fin}, 아니 {b.fin}",
        "{a.fin}. 아니다, {b.fin}.",
        "{a.fin} 아니 그냥 {b.fin}",
        "{a.fin} 아 잠깐 {b.fin}",
        "{a.fin}, 아니 그게 아니라 {b.fin}",
        "{a.fin}, 아 아니다 {b.fin}",
    ],
}
TIMES = {
    "en": [
        "{a.base} twice",
        "{a.base} two times",
        "twice, {a.base}",
        "{a.base} and do it again",
        "{a.base} two times and then {b.base}|a a b",
        "{a.base} and then {b.base}, twice|a b a b",
        "{a.base} twice before {b.ing}|a a b",
        "{b.base} after {a.ing} twice|a a b",
        "{a.base} three times|a a a",
        "{a.base} once and {b.base} twice|a b b",
        "{a.base} and {b.base}, and repeat both|a b a b",
        "{a.base} one more time after {b.ing}|b a",
    ],
    "ko": [
        "{a.go} 한 번 더 {a.fin}",
        "두 번 {a.fin}",
        "{a.gi}를 두 번 해",
        "{a.fin}. 한 번 더 해.",
        "{a.fin}. 두 번.",
        "{a.go} {b.fin} 그걸 두 번 해|a b a b",
        "{a.gi}를 세 번 반복해|a a a",
    ],
}
FORMS = {
    "order": ORDER,
    "chain": CHAIN,
    "if": IF,
    "unless": UNLESS,
    "otherwise": OTHERWISE,
    "if both": IF_BOTH,
    "then if": THEN_IF,
    "if then": IF_THEN,
    "not": NOT,
    "correct": CORRECT,
    "times": TIMES,
}


def command_and_meaning(
    kind: str,
    language: str,
    rng: random.Random,
    deeds: Sequence[tuple[Act, Any]],
    condition: Any,
) -> tuple[str, Any]:
    """Return a command of a kind and its meaning.

    Args:
        kind: Kind of form.
        language: ``en`` or ``ko``.
        rng: Source of the choice of a form.
        deeds: Three acts, each with its meaning.
        condition: Condition; its ``choice`` makes a choice of two meanings.
    """
    form, _, order = rng.choice(FORMS[kind][language]).partition("|")
    (a, one), (b, two), (d, three) = deeds
    text = form.format(a=a, b=b, d=d, c=condition)
    if order:
        named = {"a": one, "b": two, "d": three}
        return text, tuple(part for name in order.split() for part in named[name])
    return text, _meaning_of(kind, one, two, three, condition)


def _meaning_of(kind: str, a: Any, b: Any, d: Any, condition: Any) -> Any:
    meanings = {
        "order": lambda: a + b,
        "chain": lambda: a + b + d,
        "if": lambda: (condition.choice(a),),
        "unless": lambda: (condition.choice((), a),),
        "otherwise": lambda: (condition.choice(a, b),),
        "if both": lambda: (condition.choice(a + b),),
        "then if": lambda: (*a, condition.choice(b)),
        "if then": lambda: (condition.choice(a), *b),
        "not": lambda: b,
        "correct": lambda: b,
        "times": lambda: a + a,
    }
    return meanings[kind]()
