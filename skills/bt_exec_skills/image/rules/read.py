"""Reads a question about a picture: which kind it is, and of what.

A question has one of six kinds and noun phrases. What fits none of them needs a model that looks;
it is refused with its words, never half answered.
"""

from __future__ import annotations

import re

from bt_exec.language.messages import language_of
from bt_exec_skills.image.rules.question import Kind, Phrase, Question, Unread
from bt_exec_skills.image.rules.words import Words, plain, words_in

__all__ = ["read_question"]

_EN_PICTURE = r"\b(?:in|on|of|from) (?:the|this) (?:image|picture|photo|photograph)\b"
_EN_KINDS: tuple[tuple[Kind, str], ...] = (
    ("compare", r"(?:are|is) there (?:more|fewer|less) (?P<a>.+?) than (?:there are )?(?P<b>.+)"),
    ("compare", r"are there as many (?P<a>.+?) as (?P<b>.+)"),
    ("compare", r"(?:which|what) (?:are there|is there) more of (?P<a>.+) or (?P<b>.+)"),
    ("count", r"(?:please )?(?:how many|count|what is the number of|number of) (?P<a>.+)"),
    ("count", r"tell me (?:how many|the number of) (?P<a>.+)"),
    ("exists", r"(?:is|are) there (?P<a>.+)"),
    ("exists", r"(?:do|can) you see (?P<a>.+)"),
    ("where", r"where (?:is|are) (?P<a>.+)"),
    ("colour", r"(?:what|which) colou?rs? (?:is|are|does|do|has|have) (?P<a>.+)"),
    ("colour", r"what is the colou?r of (?P<a>.+)"),
)
_EN_WRITING = r"(?:text|writing|words?|letters|inscription)"
_EN_READ = (
    r"(?:please )?(?:can you |could you )?(?:read|read out)(?: me)?(?: what)?"
    rf"(?: (?:the )?{_EN_WRITING}(?: (?:is|are))?)?(?: (?:on|in|of|from))?(?P<a>.*)",
    rf"what(?: is|s| s)(?: the)? (?:written|{_EN_WRITING})(?: (?:on|in|of))?(?: there)?(?P<a>.*)",
    rf"what {_EN_WRITING} (?:is|are)(?: there| written)?(?: (?:on|in))?(?P<a>.*)",
    r"what (?:does|do) (?P<a>.+?) (?:say|read)",
)
_EN_OUT = re.compile(
    r" (?:except for|except|excluding|without counting|not counting|other than|apart from|besides|"
    r"but not|that (?:is|are) not|which (?:is|are) not|who (?:is|are) not|not|but ignore|ignoring) "
)
_EN_ALSO = re.compile(r" (?:and|or) (?:the )?")

_KO_PICTURE = (
    r"(?:^|\s)(?:이|그|저)?\s*(?:사진|그림|이미지|화면)\s*"
    r"(?:(?:속|안)?(?:에서|에는|에|의)|속|안)(?=\s)"
)
_MORE = r"\s*(?:더\s*)?(?:많|적)\S*"
_ASKED = r"(?:있|보이|보여|존재)\S*"
_KO_KINDS: tuple[tuple[Kind, str], ...] = (
    ("compare", rf"(?P<b>.+?)보다\s+(?P<a>.+?){_MORE}"),
    ("compare", rf"(?P<a>.+?)(?:이|가|은|는)\s+(?P<b>.+?)보다{_MORE}"),
    (
        "compare",
        rf"(?P<a>.+?)(?:와|과|하고|이랑|랑)\s+(?P<b>.+?)\s*중\S*\s+(?:어느|뭐|무엇|어떤|뭘)\S*"
        rf"(?:\s+(?:게|것이|쪽이))?{_MORE}",
    ),
    ("count", r"몇\s*(?:개|명|마리|대)의\s+(?P<a>.+?)\s+있\S*"),
    (
        "count",
        r"(?P<a>.*?)\s*몇\s*(?:개|명|마리|대|송이|잔|권|자루|사람)?(?:나|이나|인지|인가|야|예요|이야|일까|"
        rf"인가요|입니까|지|죠|이에요)*(?:\s+{_ASKED})?(?:\s*(?:세어|세|알려|말해)\s*\S*)*",
    ),
    ("count", r"(?P<a>.+?)\s*(?:개수|갯수|수)(?:는|가|를|은|을)?(?:\s+\S+)*"),
    ("count", r"(?P<a>.+?)\s*(?:세어|셀|세)\s*(?:줘|봐|주세요|보세요|수 있어)\S*"),
    ("where", rf"(?P<a>.+?)\s*어디(?:에|야|예요|인가요|있어|쯤\S*|\S*)?(?:\s+{_ASKED})?"),
    ("colour", r"(?P<a>.+?)\s*(?:무슨|어떤|무엇|뭔|무순)\s*(?:색|색깔)\S*"),
    ("colour", r"(?P<a>.+?)(?:의)?\s*(?:색|색깔)(?:은|이|는)\s*(?:뭐|무엇|뭔|어떻|어떤)\S*"),
    ("exists", rf"(?P<a>.+?)\s*{_ASKED}(?:\s+(?:알려|말해|봐)\S*(?:\s*줘)?)?"),
)
_KO_WRITTEN = r"(?:쓰여\s?있|써\s?있|써져\s?있|쓰여져\s?있|적혀\s?있|적혀져\s?있|씌어\s?있)\S*"
_KO_WRITING = r"(?:글씨|글자|문구|텍스트|글|문자|내용)"
_KO_SAID = r"(?:알려|말해|읽어)\S*(?:\s*\S+)?"
_KO_READ = (
    rf"(?P<a>.*?)(?:에는|에|엔)?\s*(?:뭐라고|뭐라|무엇이라고|무슨\s*{_KO_WRITING}\S*|뭐가|무엇이|어떤\s*{_KO_WRITING}\S*)"
    rf"\s*{_KO_WRITTEN}(?:\s*{_KO_SAID})?",
    rf"(?P<a>.*?)(?:에는|에|엔|의)?\s*(?:쓰인|적힌|써\s?있는|쓰여\s?있는|적혀\s?있는|있는)?\s*{_KO_WRITING}(?:을|를|은|는|이|가)?\s*"
    rf"(?:뭐\S*|무엇\S*|{_KO_SAID})",
    r"(?P<a>.*?)(?:을|를|좀)?\s*읽어\s*(?:줘|봐|주세요|보세요|줄래|줘요|봐요|주십시오)\S*",
)
_KO_OUT = re.compile(
    r"^(?P<out>.+?)(?:을|를|은|는)?\s*(?:말고|빼고|빼면|제외하고|제외하면|제외한|외에|이외에)(?:\s+|$)(?P<rest>.*)$"
)
_KO_NOT = re.compile(r"(?P<out>\S+?)(?:이|가)?\s*아닌\s+")


def read_question(text: str) -> Question:
    """Return what a question asks, Korean or English.

    Raises:
        Unread: If it asks for what no tool can tell.
    """
    language = language_of(text)
    words, said = words_in(language), plain(text)
    if not said:
        raise Unread("QUESTION_UNCLEAR", text)
    return _korean(said, words) if language == "ko" else _english(said, words)


def _reading(said: str, forms: tuple[str, ...], words: Words) -> Question | None:
    """Return a question after what is written somewhere; None if it is none."""
    match = next(filter(None, (re.fullmatch(form, said) for form in forms)), None)
    return Question("read", words.phrase(match["a"])) if match else None


def _english(said: str, words: Words) -> Question:
    said = " ".join(re.sub(_EN_PICTURE, " ", said).split())
    if (reading := _reading(said, _EN_READ, words)) is not None:
        return reading
    for kind, form in _EN_KINDS:
        if match := re.fullmatch(form, said):
            other = words.phrase(match["b"]) if "b" in match.groupdict() else None
            return _english_target(kind, match["a"], other, words)
    if match := re.fullmatch(r"(?:is|are) (?P<a>.+)", said):
        first, relation, _ = _split(match["a"], words)
        if relation and first:
            return _english_target("exists", match["a"], None, words)
    raise Unread("NEEDS_MODEL", said)


def _english_target(kind: Kind, said: str, other: Phrase | None, words: Words) -> Question:
    if match := re.fullmatch(r"(.+?),? (?:are|is) there(.*)", said):  # how many … are there …
        said = match[1] + match[2]
    said, *out = _EN_OUT.split(said)
    if len(out) > 1:
        raise Unread("QUESTION_UNCLEAR", " ".join(out))
    left_out = tuple(words.phrase(part) for text in out for part in _EN_ALSO.split(text))
    target, relation, place = _split(said, words)
    question = Question(kind, words.phrase(target), left_out, other=other)
    if not relation:
        return question
    landmark = words.phrase(place)
    return Question(kind, question.target, left_out, words.relations[relation], landmark, other)


def _split(said: str, words: Words) -> tuple[str, str, str]:
    """Return the part before a relation, its words, and the part after it."""
    for relation in words.relations:
        before, found, after = f" {said} ".partition(f" {relation} ")
        if found:
            return before.strip(), relation, after.strip()
    return said, "", ""


def _korean(said: str, words: Words) -> Question:
    said = " ".join(re.sub(_KO_PICTURE, " ", said).split())
    if (reading := _reading(said, _KO_READ, words)) is not None:
        return reading
    left_out: tuple[Phrase, ...] = ()
    if match := _KO_OUT.match(said):
        parts = re.split(r"(?:와|과|하고|이랑|랑)\s+", match["out"])
        left_out, said = tuple(words.phrase(part) for part in parts), match["rest"]
    for kind, form in _KO_KINDS:
        if match := re.fullmatch(form, said):
            other = words.phrase(match["b"]) if "b" in match.groupdict() else None
            return _korean_target(kind, match["a"], left_out, other, words)
    raise Unread("NEEDS_MODEL", said)


def _korean_target(
    kind: Kind, said: str, left_out: tuple[Phrase, ...], other: Phrase | None, words: Words
) -> Question:
    if match := _KO_NOT.search(said):
        left_out = (*left_out, words.phrase(match["out"]))
        said = said[: match.start()] + said[match.end() :]
    for word, relation in words.relations.items():
        match = re.fullmatch(rf"(?P<mark>\S.*?)(?:의)?\s*{word}에(?:는)?\s+(?P<rest>.+)", said)
        if match:
            rest = re.sub(r"^(?:있는|놓인)\s+", "", match["rest"])
            target, landmark = words.phrase(rest), words.phrase(match["mark"])
            return Question(kind, target, left_out, relation, landmark, other)
    return Question(kind, words.phrase(said), left_out, other=other)
