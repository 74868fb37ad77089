"""The forms of questions, as regular expressions over plain text: one table a kind and language.

``a`` and ``b`` are noun phrases; `bt_exec_skills.image.rules.words` reads them.
"""

from __future__ import annotations

import re

from bt_exec_skills.image.perception.compare import Aspect
from bt_exec_skills.image.rules.question import Kind

__all__ = [
    "ASPECTS",
    "EN_ALIKE",
    "EN_ALSO",
    "EN_IS",
    "EN_KINDS",
    "EN_OUT",
    "EN_PICTURE",
    "EN_POLITE",
    "EN_READ",
    "EN_SAME",
    "KO_ALIKE",
    "KO_KINDS",
    "KO_NOT",
    "KO_OUT",
    "KO_PICTURE",
    "KO_PLACED",
    "KO_READ",
    "KO_SAME",
]

_EN_PHOTO = "(?:image|picture|photo|photograph)"
EN_PICTURE = rf"\b(?:in|on|of|from) (?:the|this) {_EN_PHOTO}\b"
EN_POLITE = (
    r"^(?:please |(?:could|can|would|will) you (?:please )?)(?=count|tell|show|find out|how)"
)
EN_KINDS: tuple[tuple[Kind, str], ...] = (
    ("compare", r"(?:are|is) there (?:more|fewer|less) (?P<a>.+?) than (?:there are )?(?P<b>.+)"),
    ("compare", r"are there more (?P<a>.+?) or (?:more )?(?P<b>.+)"),
    ("compare", r"are there as many (?P<a>.+?) as (?P<b>.+)"),
    ("compare", r"(?:which|what) (?:are|is) (?:there )?more(?: of)? (?P<a>.+) or (?P<b>.+)"),
    (
        "count",
        r"(?:please )?(?:how many|count|(?:what is )?the (?:number|count) of|number of) (?P<a>.+)",
    ),
    ("count", r"tell me (?:how many|the number of) (?P<a>.+)"),
    ("exists", r"(?:is|are) there (?P<a>.+)"),
    ("exists", r"(?:is |are )?(?:any|some) (?P<a>.+)"),
    ("exists", r"(?:do|can|did|could) (?:you|we|i) (?:see|find|spot) (?P<a>.+)"),
    ("exists", rf"(?:does|do) (?:the|this) {_EN_PHOTO} (?:show|have|contain|include) (?P<a>.+)"),
    ("where", r"where (?:is|are) (?P<a>.+)"),
    ("where", r"where (?:can|do|could) (?:i|we|you) (?:find|see) (?P<a>.+)"),
    ("where", r"(?:please )?(?:show|tell) me where (?P<a>.+?) (?:is|are)"),
    ("colour", r"(?:what|which) colou?rs? (?:is|are|does|do|has|have) (?P<a>.+)"),
    ("colour", r"what is the colou?r of (?P<a>.+)"),
)
_EN_WRITING = r"(?:text|writing|words?|letters|inscription)"
EN_READ = (
    r"(?:please )?(?:can you |could you )?(?:read|read out)(?: me)?(?: what)?"
    rf"(?: (?:the )?{_EN_WRITING}(?: (?:is|are))?)?(?: (?:on|in|of|from))?(?P<a>.*)",
    rf"what(?: is|s| s)(?: the)? (?:written|{_EN_WRITING})(?: (?:on|in|of))?(?: there)?(?P<a>.*)",
    rf"what {_EN_WRITING} (?:is|are)(?: there| written)?(?: (?:on|in))?(?P<a>.*)",
    r"what (?:does|do) (?P<a>.+?) (?:say|read)",
)
_EN_PICTURES = (
    r"(?:the|these|this|both|two|pictures|images|photos|photographs|in|between|of|are|do|\s)*"
)
EN_SAME = (
    r"(?:are|is) (?:the|these|both)?\s*(?:two )?(?:pictures|images|photos|photographs) "
    r"(?:the same|identical|equal|different|alike)",
    rf"(?:what|where) (?:is|are|s|do|has|have|did) {_EN_PICTURES}(?:the )?"
    rf"(?:differ\w*|changed?) ?{_EN_PICTURES}",
    rf"what (?:changed|differs) ?{_EN_PICTURES}",
    rf"(?:did|has|have|does) (?:anything|something) (?:changed?|differ) ?{_EN_PICTURES}",
    rf"(?:find|show|spot|tell me) (?:me )?the differences? ?{_EN_PICTURES}",
    r"compare (?:the|these|both)?\s*(?:two )?(?:pictures|images|photos|photographs)",
)
_EN_ASPECT = r"(?:of )?(?:the )?same (?P<by>colou?r|shape|size)"
EN_ALIKE = (
    rf"(?:do|does|are|is) (?P<a>.+?) (?:and|have|has) (?P<b>.+?) (?:have |has )?{_EN_ASPECT}",
    rf"(?:do|does|are|is) (?P<a>.+?) (?:have |has )?{_EN_ASPECT} as (?P<b>.+)",
)
_KO_TWO = r"(?:이|그|저|두|세)?\s*(?:두\s*)?(?:사진|그림|이미지)(?:들)?"
_KO_DIFFERS = r"(?:다르|달라|다른|바뀌|바뀐|변했|변한|차이)\S*"
KO_SAME = (
    rf"{_KO_TWO}\s*(?:두\s*(?:장|개))?(?:이|가|은|는)?\s*(?:서로\s*)?(?:같|똑같|동일|{_KO_DIFFERS})\S*",
    rf"(?:{_KO_TWO}\S*\s+)?(?:뭐가|무엇이|어디가|뭐|무엇이)\s*{_KO_DIFFERS}(?:\s+(?:알려|찾아|말해)\S*(?:\s*\S+)?)?",
    rf"(?:{_KO_TWO}\S*\s+)?(?:차이점?|다른\s*(?:곳|점|부분)|바뀐\s*(?:곳|점|부분)|달라진\s*(?:곳|점|부분))(?:은|는|이|가|을|를)?"
    r"\s*(?:뭐\S*|무엇\S*|어디\S*|있\S*|(?:알려|찾아|말해|보여)\S*(?:\s*\S+)?)",
    rf"{_KO_TWO}\S*\s+비교\S*(?:\s*\S+)?",
)
KO_ALIKE = (
    r"(?P<a>.+?)(?:와|과|하고|이랑|랑)\s+(?P<b>.+?)(?:은|는|이|가|의)?\s+(?P<by>색깔?|색|모양|크기)(?:이|가|은|는)?\s*"
    r"(?:서로\s*)?(?:같|똑같|동일)\S*",
)
ASPECTS: dict[str, Aspect] = {
    "color": "colour", "colour": "colour", "shape": "shape", "size": "size",
    "색": "colour", "색깔": "colour", "모양": "shape", "크기": "size",
}  # fmt: skip
EN_IS = r"(?:is|are) (?:the|this|that|these|those) (?P<a>.+) (?P<how>\S+)"
EN_OUT = re.compile(
    r" (?:except for|except|excluding|without counting|not counting|other than|apart from|besides|"
    r"without(?= the .+ ones?$)|but not|that (?:is|are) not|which (?:is|are) not|"
    r"who (?:is|are) not|not|but ignore|ignoring) "
)
EN_ALSO = re.compile(r" (?:and|or) (?:the )?")

KO_PICTURE = (
    r"(?:^|\s)(?:이|그|저)?\s*(?:사진|그림|이미지|화면)\s*"
    r"(?:(?:속|안)?(?:에서|에는|에|의)|속|안)(?=\s)"
)
_MORE = r"\s*(?:더\s*)?(?:많|적)\S*"
_ASKED = r"(?:있|보이|보여|존재)\S*"
_GIVE = r"(?:줘|줄래|주세요|주십시오|주실|봐|보세요|볼래|있)\S*(?:\s?있\S*)?"
_TELL = rf"(?:\s+(?:좀\s+)?(?:알려|말해|보여|세어|세|구해|확인해)(?:\s*{_GIVE})?)?"
_HOW_MANY = r"(?:\s*(?:몇\s*개|얼마|뭐|어떻게\s*되|어떻게\s*돼)\S*)?"
KO_KINDS: tuple[tuple[Kind, str], ...] = (
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
    ("count", rf"(?P<a>.+?)\s*(?:개수|갯수|수)(?:는|가|를|은|을|좀)?{_HOW_MANY}{_TELL}"),
    ("count", r"(?P<a>.+?)\s*(?:세어|셀|세)\s*(?:줘|봐|주세요|보세요|수 있어)\S*"),
    ("where", rf"(?P<a>.+?)\s*어디(?:에|야|예요|인가요|있어|쯤\S*|\S*)?(?:\s+{_ASKED})?{_TELL}"),
    ("where", rf"(?P<a>.+?)(?:의)?\s*위치(?:를|가|는|은|좀)?{_TELL}"),
    ("colour", r"(?P<a>.+?)\s*(?:무슨|어떤|무엇|뭔|무순)\s*(?:색|색깔)\S*"),
    ("colour", r"(?P<a>.+?)(?:의)?\s*(?:색|색깔)(?:은|이|는)\s*(?:뭐|무엇|뭔|어떻|어떤)\S*"),
    ("colour", rf"(?P<a>.+?)(?:의)?\s*(?:색|색깔)(?:을|를|좀)?{_TELL}"),
    ("exists", rf"(?P<a>.+?)\s*{_ASKED}(?:\s+(?:알려|말해|봐)\S*(?:\s*줘)?)?"),
)
_KO_WRITTEN = r"(?:쓰여\s?있|써\s?있|써져\s?있|쓰여져\s?있|적혀\s?있|적혀져\s?있|씌어\s?있)\S*"
_KO_WRITING = r"(?:글씨|글자|문구|텍스트|글|문자|내용)"
_KO_SAID = r"(?:알려|말해|읽어)\S*(?:\s*\S+)?"
KO_READ = (
    rf"(?P<a>.*?)(?:에는|에|엔)?\s*(?:뭐라고|뭐라|무엇이라고|무슨\s*{_KO_WRITING}\S*|뭐가|무엇이|어떤\s*{_KO_WRITING}\S*)"
    rf"\s*{_KO_WRITTEN}(?:\s*{_KO_SAID})?",
    rf"(?P<a>.*?)(?:에는|에|엔|의)?\s*(?:쓰인|적힌|써\s?있는|쓰여\s?있는|적혀\s?있는|있는)?\s*{_KO_WRITING}(?:을|를|은|는|이|가)?\s*"
    rf"(?:뭐\S*|무엇\S*|{_KO_SAID})",
    r"(?P<a>.*?)(?:을|를|좀)?\s*읽어\s*(?:줘|봐|주세요|보세요|줄래|줘요|봐요|주십시오)\S*",
)
KO_PLACED = r"(?P<a>.+?)(?:이|가|은|는)\s+(?P<mark>.+?)(?:의)?\s*{word}에(?:는)?\s+(?P<rest>.+)"
KO_OUT = re.compile(
    r"^(?P<out>.+?)(?:을|를|은|는)?\s*(?:말고|빼고|빼면|제외하고|제외하면|제외한|외에|이외에)(?:\s+|$)(?P<rest>.*)$"
)
KO_NOT = re.compile(r"(?P<out>\S+?)(?:이|가)?\s*아닌\s+")
