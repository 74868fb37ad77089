"""Places named in a command, in order."""

from __future__ import annotations

import re
import unicodedata

from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.rules.plan_steps import BASE, PROFESSOR_OFFICE

__all__ = ["named_places"]

_NOT_KOREAN = re.compile(r"^(?:은|는|을|를|쪽은|쪽)?(?:말고|빼고|제외|아니라|대신)")
_NOT_ENGLISH = re.compile(
    r"\b(?:not|except|without|skip|but not|instead of)\s+(?:in\s+)?(?:the\s+)?$"
)


def named_places(command: str, site: SiteMap) -> tuple[str, ...]:
    """Return places in the order in which a command names them.

    The base and the professor's office are left out, and so are places that the command excludes,
    as in "except the corridor" or "복도 말고" ("not the corridor").
    """
    text = " ".join(unicodedata.normalize("NFC", command).casefold().split())
    tight = text.replace(" ", "")
    found: dict[str, tuple[int, int]] = {}
    for name, place in site.places.items():
        if name in (BASE, PROFESSOR_OFFICE, site.base):
            continue
        for word in {place.name.en, place.name.ko, *place.aliases}:
            spot = _span_of_name(word.casefold().removeprefix("the "), text, tight)
            if spot is not None:
                best = found.get(name)
                found[name] = spot if best is None or spot < best else best
    inner = {
        name
        for name, (start, end) in found.items()
        for other, (begin, stop) in found.items()
        if other != name and begin <= start and end <= stop and stop - begin > end - start
    }
    return tuple(sorted((n for n in found if n not in inner), key=lambda n: found[n]))


def _span_of_name(word: str, text: str, spaceless: str) -> tuple[int, int] | None:
    """Return start and end of a name in the text without spaces; None if absent or excluded."""
    if re.search("[가-힣]", word):
        plain = word.replace(" ", "")
        at = spaceless.find(plain)
        if at < 0 or _NOT_KOREAN.match(spaceless[at + len(plain) :]):
            return None
        return at, at + len(plain)
    match = re.search(rf"\b{re.escape(word)}\b", text)
    if match is None or _NOT_ENGLISH.search(text[: match.start()]):
        return None
    start = match.start() - text[: match.start()].count(" ")
    return start, start + len(word.replace(" ", ""))
