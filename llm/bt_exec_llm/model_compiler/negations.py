"""Detection of commands that may forbid something.

The offline compiler refuses the negations that it knows. A command that it does not understand may
still forbid something ("leave the door alone", "그대로 둬"), and a model that misses the negation
would do it. So if a command that only a model understands contains one of these words, a plan that
moves is rejected. The words have no other use.
"""

from __future__ import annotations

import re

__all__ = ["forbids"]

_WORDS = re.compile(
    r"\b(?:not|(?:do|does|did|is|are|was|wo|ca|could|should|would|must|need)n['’]?t|never|no|"
    r"nothing|nobody|without|avoid|refrain|stop|stay|keep|leave|let (?:it|him|her|them|me) be|"
    r"alone|as (?:it|they) (?:is|are)|hands off|hold off|forbidden|prohibited|instead of|"
    r"rather than|unless|except)\b"
    r"|지 ?마|지 ?말|말고|말아|말 것|말도록|그대로|놔 ?[두둬]|내버려|가만히|건드리"
    r"|금지|안 ?돼|안 ?되|않|없이|만지지|대지|하지는|멈[추춰]|두고|빼고|제외",
    re.IGNORECASE,
)


def forbids(command: str) -> bool:
    """Return whether a command holds words that may forbid something."""
    return _WORDS.search(command) is not None
