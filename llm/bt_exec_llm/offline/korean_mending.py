"""Korean morphemes that the analyser reads as something else, put right: 보고/하다, 잠/갔.

What is right depends on the neighbours and on the verbs of the lexicon.
"""

from __future__ import annotations

from collections.abc import Container

from bt_exec_llm.offline.closed import marks
from bt_exec_llm.offline.kiwi import Morph
from bt_exec_llm.offline.vocabulary import Table

__all__ = ["mended"]

_MARKS = marks("korean")


def mended(
    every: list[Morph], text: str, verbs: Container[tuple[str, ...]], english: Table
) -> list[Morph]:
    """Return morphemes with some that are split again as one: 보고/하다, 잠/갔."""
    found: list[Morph] = []
    at = 0
    while at < len(every):
        one = every[at]
        nxt = every[at + 1] if at + 1 < len(every) else None
        third = every[at + 2] if at + 2 < len(every) else None
        if (
            one.form == "보"
            and nxt is not None
            and nxt.form == "고"
            and nxt.end - one.start == 2
            and third is not None
            and (
                third.form in ("하", "드리", "부탁", "바라", "올리", "는", "서")
                or third.tag in ("SF", "JKO", "JX")
            )
            and third.start <= nxt.end + 1
        ):  # 보고해, 보고 부탁드립니다
            found.append(Morph("보고", "NNG", one.start, nxt.end))
            at += 2
            continue
        if one.form in ("러", "으러") and one.tag == "EC" and found and nxt is not None:
            if nxt.form == "주" and nxt.tag in ("VX", "VV"):  # 열러줘, a slip: 열어줘
                found.append(Morph("어", "EC", one.start, one.end))
                at += 1
                continue
            if nxt.form in ("가", "오") and nxt.tag in ("VX", "VV"):  # 자재 가지러 가
                found.append(Morph("어", "EC", one.start, one.end))
                found.append(Morph("주", "VX", nxt.start, nxt.end))
                at += 2
                continue
        if (
            one.form in ("ᆫ", "는")
            and one.tag == "ETM"
            and nxt is not None
            and nxt.form == "다"
            and nxt.start == one.end
        ):  # 들어온다
            found.append(Morph(f"{one.form}다", "EF", one.start, nxt.end))
            at += 2
            continue
        if (
            one.form == "들"
            and one.tag == "VV"
            and third is not None
            and nxt is not None
            and nxt.form == "어"
            and third.form in ("오", "가")
        ):  # 들어온다: no 들다
            found.append(Morph(f"들어{third.form}", "VV", one.start, third.end))
            at += 3
            continue
        last = one.form == "보" and nxt is not None and nxt.form == "고" and third is None
        if last and nxt is not None and found and found[-1].tag == "EC":  # 복도 점검하고 보고
            found.append(Morph("보고", "NNG", one.start, nxt.end))
            at += 2
            continue
        if one.tag == "Z_CODA":  # 열어줘용: a sound that says no more
            at += 1
            continue
        if one.form == "아니" and nxt is not None and nxt.form == "다" and nxt.start == one.end:
            found.append(Morph("아니", "IC", one.start, nxt.end))
            at += 2
            continue
        if one.form == "아니" and nxt is not None and nxt.tag[0] not in "ESJ":
            found.append(Morph("아니", "IC", one.start, one.end))  # 라운지 아니 휴게실
            at += 1
            continue
        if one.form == "계" and nxt is not None and nxt.tag == "VCP":
            found.append(Morph("계시", "VV", one.start, one.end))
            at += 2
            if at < len(every) and every[at].form == "세요":
                found.append(Morph("어요", "EF", every[at].start, every[at].end))
                at += 1
            continue
        gone = one.form == "가" and (one.tag[0] == "J" or (one.tag == "NNG" and nxt is None))
        if gone and found and one.start > found[-1].end:
            found += [
                Morph("가", "VV", one.start, one.end),
                Morph("어", "EF", one.end, one.end),
            ]
            at += 1
            continue
        if text[one.start : one.start + 3] == "보고서" and one.form in ("보고", "보고서", "보"):
            rest = at
            while rest < len(every) and every[rest].end <= one.start + 3:
                rest += 1
            after = every[rest] if rest < len(every) else None
            if after is not None and after.form in (
                "알리",
                "말",
                "말하",
                "말씀",
                "돌아오",
                "보고",
            ):
                found += [
                    Morph("보", "VV", one.start, one.start + 1),
                    Morph("고서", "EC", one.start + 1, one.start + 3),
                ]
            else:
                found.append(Morph("보고서", "NNG", one.start, one.start + 3))
            at = rest
            continue
        if one.tag == "MAG" and one.form == "안" and nxt is not None and nxt.tag[0] == "J":
            one = one._replace(tag="NNG")
        if (
            one.form in ("보고", "보고와")
            and one.tag in ("NNG", "NNP")
            and _is_looking(every, at, one)
        ):
            found += [
                Morph("보", "VV", one.start, one.start + 1),
                Morph("고", "EC", one.start + 1, one.start + 2),
            ]
            if one.form == "보고와":
                found += [
                    Morph("오", "VV", one.end - 1, one.end),
                    Morph("어", "EF", one.end - 1, one.end),
                ]
            elif nxt is not None and nxt.form == "와" and nxt.tag[0] == "J":
                found += [
                    Morph("오", "VV", nxt.start, nxt.end),
                    Morph("어", "EF", nxt.start, nxt.end),
                ]
                at += 1
            at += 1
            continue
        if (
            one.tag in ("NNG", "NR", "NNP", "MM")
            and nxt is not None
            and nxt.form == "고"
            and nxt.start == one.end
            and nxt.tag[0] != "J"
            and (one.form,) in verbs
        ):  # 열고
            found += [
                Morph(one.form, "VV", one.start, one.end),
                Morph("고", "EC", nxt.start, nxt.end),
            ]
            at += 2
            continue
        if (
            one.tag == "SL"
            and nxt is not None
            and nxt.form == "하고"
            and nxt.start == one.end
            and any(e.kind == "verb" for e in english.find((one.form.casefold(),)))
        ):
            found += [
                one,
                Morph("하", "XSV", nxt.start, nxt.start + 1),
                Morph("고", "EC", nxt.start + 1, nxt.end),
            ]
            at += 2
            continue
        if one.tag == "XSN" and one.form in _MARKS:
            one = one._replace(tag="JKB")
        if (
            one.form in ("확인", "점검", "순찰", "체크")
            and nxt is not None
            and nxt.form in ("후", "뒤")
            and nxt.tag in ("NNG", "NNB")
        ):
            found += [
                Morph(one.form, "NNG", one.start, one.end),
                Morph("하", "XSV", nxt.start, nxt.start),
                Morph("고", "EC", nxt.start, nxt.end),
            ]
            at += 2
            if at < len(every) and every[at].tag[0] == "J":
                at += 1
            continue
        found.append(one)
        at += 1
    return found


def _is_looking(every: list[Morph], at: int, one: Morph) -> bool:
    """Return whether 보고 is 보다 and not the noun *report*: an object precedes it."""
    if at == 0 or every[at - 1].tag in ("SF", "SP"):
        return one.form == "보고와"
    if one.form == "보고와":
        return True
    nxt = every[at + 1] if at + 1 < len(every) else None
    if (
        nxt is None
        or nxt.form in ("하", "드리", "부탁", "바라", "올리", "서", "요망", "바람", "시작")
        or nxt.tag in ("SF", "JKO", "JX", "JKS", "XSV")
    ):
        return False
    if nxt.tag[0] == "J" and nxt.form != "와":
        return False
    return every[at - 1].tag[0] in "NJ" or every[at - 1].tag in ("EC", "MAG", "XSN", "SL")
