"""Keywords in commands on which rules depend: reports, round trips, the professor, the past.

They are used for commands without a parsed meaning, which only a model understood (see `requests`).
"""

from __future__ import annotations

import re
import unicodedata

__all__ = [
    "about_past",
    "is_english",
    "is_round_trip",
    "names_professor",
    "wants_report",
]

_GIVE = r"(?:줘|주[라고게어길면실시십세셔]|줄래|줄수|줄것|줘요|달라|다오|드려|주겠)"
_SAY = r"(?:알려|말해|보고해|설명해|얘기해|이야기해|들려|정리해|요약해|브리핑해|공유해|답해)"
_QUOTED = r"(?:다고|라고|자고|냐고|달라고)(?:좀|꼭|직접)?(?:알려|말해|전해|얘기해|이야기해|설명해)"
_ME = r"(?:나|내|저|제|우리)(?:한테|에게|게|께)"
_DO = r"(?:해|하세요|하십시오|하시오|하라|하도록|해라|해요|할것|하렴|하자|합시다|하거라)"
_KOREAN = re.compile(
    rf"(?:보고|확인하고|점검하고|체크하고|순찰하고|살피고)(?:서|나서)?(?:돌아)?"
    rf"(?:와|오(?:세요|십시오|시오|너라|거라|도록|라|면|고|시|자|렴)|올(?:래|것|수))"
    rf"|{_SAY}{_GIVE}"
    rf"|(?:보고|알리도록|말)(?:{_DO}|드려|드리|부탁|바람|바랍|요망|올려)"
    rf"|알(?:려라|리세요|리십시오|려(?!진|졌|지)$|려요$|려[.!?~,])"
    rf"|{_ME}(?:와서)?(?:전해|말씀해){_GIVE}"
    rf"|궁금(?:해|합)"
)
_NOT_KOREAN = re.compile(
    rf"(?:{_QUOTED}|{_SAY}(?:주)?지(?:는|도|를)?(?:마|말|않)|보고(?:하|는하|드리)지(?:는|도)?(?:마|말|않)"
    rf"|보고(?:는|할)?(?:필요|안해|하지않|없이)|안(?:알려|말해|보고해))"
)
_ENGLISH = re.compile(
    r"\b(?:report(?:s|ing)?\s*(?:back|to\s+me|to\s+us|it|what|on|whether|how|the|and|$|[.!?,])"
    r"|(?:come|get|go|head|run|walk|hurry)\s+back\s+(?:to\s+(?:me|us)\s*)?(?:here\s*)?(?:and|to|with)\b"
    r"|return\s+(?:here\s+|to\s+me\s+)?(?:and|to|with)\s+(?:tell|report|say|let|explain|inform|brief|the\s+(?:result|answer))"
    r"|get\s+back\s+to\s+(?:me|us)|(?:tell|inform|brief|update|notify|show)\s+(?:me|us)\b"
    r"|let\s+(?:me|us)\s+know|give\s+(?:me|us)\s+(?:a\s+|the\s+|your\s+)?(?:report|summary|answer|update|briefing|result)"
    r"|bring\s+(?:me|us)?\s*(?:back\s+)?(?:a|the|his|her|their)\s+(?:report|answer|reply|result)"
    r"|i\s*(?:'d|would)?\s*(?:want|need|like)\s+to\s+know)",
    re.IGNORECASE,
)
_NOT_ENGLISH = re.compile(
    r"\b(?:(?:do\s+not|don'?t|never|no\s+need\s+to|need\s+not|needn'?t|without|not)\s+(?:\w+\s+){0,2}?)$",
    re.IGNORECASE,
)
_BACK = re.compile(r"(?:다녀|갔다)(?:와|오(?!고|면|니|는|던)|올래|올수)(?!서)[^,.]{0,8}[.!?~]*$")
"""Request for a round trip at the end of a command, such as "갔다 오세요" ("go and come back")."""
_PROFESSOR = re.compile(r"교수|(?<![a-z])(?:professors?|prof)(?![a-z])", re.IGNORECASE)
_PAST = re.compile(
    r"(?:있었던|한|했던|수행한|일어난|본|벌어진)(?:일|것|미션|임무|작업)|뭐했|뭘했|무엇을했|무슨일이있었"
    r"|\b(?:what\s+(?:happened|you(?:'ve|\s+have)?\s+d(?:id|one)|(?:did|have)\s+you\s+d(?:o|one)))"
    r"|\b(?:today'?s|your)\s+(?:missions?|day|work|events)",
    re.IGNORECASE,
)


def _normalized(command: str) -> str:
    text = unicodedata.normalize("NFC", command)
    return text.replace("’", "'").replace("‘", "'")


def _spaceless(command: str) -> str:
    return "".join(_normalized(command).split())


def is_english(command: str) -> bool:
    """Return True if a command contains no Hangul."""
    return not re.search("[가-힣ㄱ-ㅣ]", _normalized(command))


def wants_report(command: str) -> bool:
    """Return True if a command has a report keyword that is not negated.

    Spacing, endings and politeness may differ. Examples: "보고 와" and "보고와 주세요" ("look and
    come back"), "알려 줄래?" ("will you let me know?"), "come back and tell me".
    """
    korean = _NOT_KOREAN.sub("", _spaceless(command))
    if _KOREAN.search(korean):
        return True
    english = _normalized(command)
    return any(
        not _NOT_ENGLISH.search(english[: match.start()]) for match in _ENGLISH.finditer(english)
    )


def is_round_trip(command: str) -> bool:
    """Return True if a command ends with a request for a round trip.

    An example is "복도 갔다 와" ("go to the corridor and come back").
    """
    return _BACK.search(_spaceless(command)) is not None


def names_professor(command: str) -> bool:
    """Return True if a command names the professor, as with "prof" or "교수님" ("professor")."""
    return _PROFESSOR.search(_normalized(command)) is not None


def about_past(command: str) -> bool:
    """Return True if a command asks about earlier missions, as in "what happened today"."""
    return bool(_PAST.search(_normalized(command)) or _PAST.search(_spaceless(command)))
