"""Korean numbers with their units: repetitions, times, counts."""

from __future__ import annotations

import re

from bt_exec.language.closed import mapping, numbers, words
from bt_exec_llm.offline.kiwi import Morph
from bt_exec_llm.offline.piece import Piece

__all__ = ["read_number"]

_NUMBERS = numbers("ko")
_TIMES = words("ko", "units_of_times")
_CLOCK = words("ko", "units_of_time")
_SECONDS = mapping("ko", "seconds_of_units")
_LASTING = words("ko", "after_a_duration")


def read_number(text: str, every: list[Morph], at: int) -> tuple[list[Piece], int] | None:
    """Return the kind of the number here (repetitions, time, count), its value and its end."""
    one = every[at]
    unit = every[at + 1] if at + 1 < len(every) else None
    number = _NUMBERS.get(one.form) if one.tag != "SN" else None
    if number is None and one.tag == "SN":
        digits = re.sub(r"[^0-9].*", "", one.form)
        number = int(digits[:6]) if digits else 0
    if number is None:
        return None
    start = one.start
    if unit is not None and unit.form in _TIMES and unit.tag in ("NNB", "NNG"):
        typed = text[start : unit.end]
        return [Piece("limit", "TIMES", str(number), "", "", start, unit.end, typed)], at + 2
    if unit is not None and unit.form in _CLOCK and unit.tag in ("NNB", "NNG", "NR", "MM"):
        end = at + 2
        while (
            end < len(every)
            and every[end].form
            in (
                "뒤",
                "후",
                "전",
                "있다가",
                "에",
                "마다",
                "동안",
                "간",
                "쯤",
                "정도",
                "안",
                "이내",
                "까지",
                "반",
                "되",
            )
        ) or (
            end < len(every)
            and every[end].tag in ("SN",)
            and every[end].start == every[end - 1].end
        ):
            end += 1
        stop = every[end - 1].end
        lasts = end == at + 3 and every[at + 2].form in _LASTING and unit.form in _SECONDS
        value = f"{number * _SECONDS[unit.form]}s" if lasts else ""
        return [Piece("limit", "TIME", value, "", "", start, stop, text[start:stop])], end
    if one.tag == "MM" or one.tag == "NR" or one.tag == "SN":
        end = at + 1
        if (unit is not None and unit.tag in ("NNB", "SW")) or (
            unit is not None and unit.form in ("개", "명", "도", "부", "장", "권", "잔", "층", "호")
        ):
            end = at + 2
        stop = every[end - 1].end
        return [Piece("limit", "COUNT", str(number), "", "", start, stop, text[start:stop])], end
    return None
