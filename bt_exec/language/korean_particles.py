"""Korean particles that depend on the preceding sound; templates contain both forms: ``(으)로``.

After a consonant: 을, 이, 은, 과, 으로; after a vowel: 를, 가, 는, 와, 로; after ㄹ also 로.
Digits and Latin letters count by their Korean pronunciation: 3을, PCB를.
"""

from __future__ import annotations

import re

__all__ = ["with_particles"]

_FORMS = {
    "을(를)": ("을", "를"),
    "이(가)": ("이", "가"),
    "은(는)": ("은", "는"),
    "과(와)": ("과", "와"),
    "(으)로": ("으로", "로"),
    "이(라)": ("이라", "라"),
}
_MARK = re.compile(
    r"(?P<word>[0-9A-Za-z가-힣])(?P<closing>[”\"'’)\]]*)(?P<mark>"
    + "|".join(map(re.escape, _FORMS))
    + ")"
)
_LIQUID = 8  # index of the final consonant ㄹ among the 28 finals of a syllable
_FINALS = {**dict.fromkeys("036", "ㄱ"), **dict.fromkeys("178lLrR", "ㄹ")}
_FINALS |= dict.fromkeys("mnMN", "ㄴ")


def with_particles(text: str) -> str:
    """Return `text` with each pair of particles replaced by the correct one."""
    return _MARK.sub(_particle_for, text)


def _particle_for(match: re.Match[str]) -> str:
    last, mark = match["word"], match["mark"]
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
        closed, liquid = final > 0, final == _LIQUID
    else:
        sound = _FINALS.get(last, "")
        closed, liquid = bool(sound), sound == "ㄹ"
    if mark == "(으)로" and liquid:
        closed = False
    return last + match["closing"] + _FORMS[mark][0 if closed else 1]
