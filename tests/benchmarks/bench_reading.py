"""Reading engine with the words of pictures and tables: time, memory, readings per sentence.

Times are processor times. Each figure of a first reading comes from a fresh process.
"""

from __future__ import annotations

import importlib
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

COMMANDS = Path(__file__).parents[1] / "data" / "tabletop"
FIRST = {"en": "How many red circles are there?", "ko": "빨간 원은 몇 개야?"}
LONG = {
    "en": "Could you please tell me how many of the small red circles in this picture are left of "
    "the big blue square that is above the green triangle",
    "ko": "혹시 이 사진에서 초록색 세모 위쪽에 있는 큰 파란 네모 왼쪽에 있는 작고 빨간 원 중에 "
    "테두리만 있지 않은 것은 모두 몇 개나 있는지 저에게 좀 알려 주실 수 있을까요",
}
REFUSED = {
    "en": "Please paint the tiny cups near my favourite bottle and then send everything over to "
    "whoever asked yesterday about those strange lamps in town",
    "ko": "어제 물어본 그 사람에게 내가 좋아하는 병 옆에 있는 조그만 컵들을 예쁘게 칠해서 "
    "얼른 보내 줘",
}
TABLE = {
    "en": "Could you please put the small red cube and the green cylinder on the white plate, and "
    "then move everything on the left table except the apple to the right table",
    "ko": "왼쪽 테이블에 있는 빨간 큐브하고 파란 그릇 옆에 있는 작은 초록색 원기둥은 쟁반에 올리고 "
    "사과 빼고 나머지 물건은 전부 오른쪽 테이블로 좀 옮겨 주세요",
}


def first(language: str) -> None:
    """Read one sentence; print the processor time [s] and the memory [MB] of the process."""
    from bt_exec_skills.image.rules.lexicon import reader

    start = time.process_time()
    reader().read(FIRST[language])
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{language}  first {time.process_time() - start:.2f} s, {used:.0f} MB")


def later(text: str, words: str = "image.rules.lexicon", times: int = 40) -> float:
    """Return the 95th percentile of the processor time of reading a text [ms].

    Args:
        text: Text to read.
        words: The module whose reader is measured.
        times: Number of readings.
    """
    reader = importlib.import_module(f"bt_exec_skills.{words}").reader
    reader().read(text)
    spent = []
    for _ in range(times):
        start = time.process_time()
        reader().read(text)
        spent.append((time.process_time() - start) * 1e3)
    return statistics.quantiles(spent, n=20)[-1]


def survey() -> None:
    """Read the commands of the table tests; print the readings per sentence and the slowest."""
    from bt_exec_skills.tabletop.lexicon import reader

    lines = (line for file in sorted(COMMANDS.glob("*commands.txt")) for line in file.open())
    said = [line.split("|")[1].strip() for line in lines if line.count("|") == 2]
    for text in said[:20]:
        reader().read(text)
    found = []
    for text in said:
        start = time.process_time()
        reading = reader().read(text)
        others = getattr(reading, "others", None)
        found.append(((time.process_time() - start) * 1e3, text, others))
    read = [1 + len(others) for _, _, others in found if others is not None]
    mean = statistics.mean(read)
    print(f"tables, {len(said)} sentences: {len(read)} read, {mean:.1f} readings each")
    for spent, text, _ in sorted(found, key=lambda one: one[0], reverse=True)[:10]:
        print(f"  {spent:6.1f} ms  {text}")


def main() -> None:
    """Print the figures."""
    if len(sys.argv) > 1:
        first(sys.argv[1])
        return
    for language in FIRST:
        subprocess.run([sys.executable, __file__, language], check=True)
    for name, texts in (("read", LONG), ("refused", REFUSED)):
        for language, text in texts.items():
            print(
                f"{language}  {name}, {len(text.split())} words: p95 {later(text):.1f} ms (aim: 30)"
            )
    for language, text in TABLE.items():
        spent = later(text, "tabletop.lexicon")
        print(f"{language}  table, {len(text.split())} words: p95 {spent:.1f} ms (aim: 30)")
    survey()


if __name__ == "__main__":
    main()
