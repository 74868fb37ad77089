"""Calibration of answers about pictures: share of correct answers by stated confidence.

Questions about new pictures of several kinds pass through the whole pipeline with its judges:
drawings under hard conditions, rendered tables, signs, receipts and codes, and photographs from
scikit-image. The table by confidence is printed, and written as a reliability diagram if a file is
given:

    python -m tests.benchmarks.bench_calibration [PICTURES] [FILE.svg] [SEED]
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("MUJOCO_GL", "egl")
sys.path.insert(0, str(Path(__file__).parents[2]))

from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_skills.image.rules.answer_judgement import rate_answer, run_cross_checks
from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_plans import CannotTell
from bt_exec_skills.image.skills.other_light_crosscheck import cross_check_in_other_light
from bt_exec_skills.image.workbench import Bench
from tests.skills.image import conditions, drawn, rendered, scenes, test_scenes
from tests.skills.image.asking import ask, bench_of
from tests.skills.image.test_rendered import seeing

SURE, MOST_WRONG = 0.7, 0.01
FIRST_SEED = 5_000_000
"""Seeds below were used to set thresholds."""
PHOTOGRAPHS = Path(drawn.__file__).with_name("photographs.yaml")


class Asked(NamedTuple):
    """One question: kind of picture, correctness and confidence of the answer."""

    kind: str
    right: bool
    sure: float
    about: tuple[Any, ...]


def asked(pictures: int, first: int) -> Iterator[Asked]:
    """Ask about `pictures` pictures of each kind, and about the installed photographs."""
    for seed in range(first, first + pictures):
        name, shown = conditions.conditioned(seed)
        for text, truth in conditions.questions(name, shown, seed):
            yield _answered(name, bench_of(shown.picture), text, truth, seed)
        plain = drawn.draw(seed)
        for _, text, truth in drawn.questions(plain, seed):
            yield _answered("drawn", bench_of(plain.picture), text, truth, seed)
    for table in rendered.tables(first, max(1, pictures // 2)):
        for _, _, text, truth in rendered.questions(table):
            yield _answered("rendered", seeing(table.picture), text, truth, table.seed)
    for name, draw in scenes.SCENES.items():
        for row in test_scenes.ROWS[name]:
            yield _answered("scene", bench_of(draw()), row["ask"], row["truth"], name)
    package = importlib.util.find_spec("skimage")
    if package is not None and package.origin is not None:
        folder = Path(package.origin).parent / "data"
        for row in parse_yaml(PHOTOGRAPHS.read_text("utf-8")):
            if (folder / row["file"]).is_file():
                bench = seeing(Bench(folder / row["file"]).picture)
                yield _answered("photograph", bench, row["ask"], row["truth"], row["file"])


def _answered(kind: str, bench: Bench, text: str, truth: Any, about: Any) -> Asked:
    """Answer as a mission does; a refusal has confidence 0."""
    try:
        answer = ask(bench, text)
    except (CannotTell, UnanswerableQuestion):
        return Asked(kind, False, 0.0, (about, text, truth, "refused"))
    sure = rate_answer(
        bench, [*run_cross_checks(bench), *cross_check_in_other_light(bench)]
    ).confidence
    right = test_scenes.is_right(answer.value, truth)
    return Asked(kind, right, sure, (about, text, truth, answer.value))


def table_of(rows: list[Asked]) -> list[tuple[float, float, int]]:
    """Return (mean confidence, share of correct answers, answers) by tenth of confidence."""
    tenths: dict[int, list[Asked]] = defaultdict(list)
    for one in rows:
        tenths[min(9, int(one.sure * 10))].append(one)
    return [
        (sum(one.sure for one in some) / len(some), sum(one.right for one in some) / len(some),
         len(some))
        for _, some in sorted(tenths.items())
    ]  # fmt: skip


def diagram(table: list[tuple[float, float, int]], said: str) -> str:
    """Return a reliability diagram as SVG: share of correct answers over confidence."""
    side, edge = 240, 40
    points = [(edge + x * side, edge + (1 - y) * side, n) for x, y, n in table]
    most = max(n for _, _, n in table)
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + 9 * (n / most) ** 0.5:.1f}" fill="#2a6fb0" '
        f'fill-opacity="0.75"><title>{n} answers</title></circle>'
        f'<text x="{x:.1f}" y="{y - 14:.1f}" text-anchor="middle">{n}</text>'
        for x, y, n in points
    )
    ticks = "".join(
        f'<text x="{edge + at * side / 5:.0f}" y="{edge + side + 16}" text-anchor="middle">'
        f'{at / 5:.1f}</text><text x="{edge - 8}" y="{edge + side - at * side / 5 + 4:.0f}" '
        f'text-anchor="end">{at / 5:.1f}</text>'
        for at in range(6)
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="340" height="350" '
        'font-family="sans-serif" font-size="11" fill="#444">'
        '<rect width="340" height="350" fill="#fff"/>'
        f'<rect x="{edge}" y="{edge}" width="{side}" height="{side}" fill="none" stroke="#999"/>'
        f'<path d="M{edge} {edge + side}L{edge + side} {edge}" stroke="#999" '
        'stroke-dasharray="4"/>'
        f'<polyline points="{line}" fill="none" stroke="#2a6fb0"/>{marks}{ticks}'
        f'<text x="{edge + side / 2:.0f}" y="{edge + side + 34}" text-anchor="middle">'
        "confidence</text>"
        f'<text x="12" y="{edge + side / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 12 {edge + side / 2:.0f})">share that is right</text>'
        f'<text x="{edge}" y="24" font-size="12">{said}</text></svg>\n'
    )


def main(pictures: int = 40, file: str = "", first: int = FIRST_SEED) -> int:
    """Measure; return 1 if over 1 % of the sure answers are wrong, or one has confidence 1.0."""
    rows = list(asked(pictures, first))
    table = table_of(rows)
    sure = [one for one in rows if one.sure > SURE]
    wrong = [one for one in sure if not one.right]
    for mean, share, number in table:
        print(f"confidence {mean:.2f}: {share:6.1%} right of {number}")
    kinds = sorted({one.kind for one in rows})
    for kind in kinds:
        mine = [one for one in rows if one.kind == kind]
        certain = [one for one in mine if one.sure > SURE]
        print(
            f"{kind:10} {len(mine):4} asked, {sum(one.right for one in mine) / len(mine):4.0%} "
            f"right; {len(certain):4} surer than {SURE}, wrong "
            f"{sum(not one.right for one in certain)}"
        )
    for one in wrong:
        print("sure and wrong:", one.kind, *one.about, f"{one.sure:.2f}")
    most = max(one.sure for one in rows)
    share = len(wrong) / max(1, len(sure))
    said = f"{len(rows)} answers; surer than {SURE} and wrong: {len(wrong)} of {len(sure)}"
    print(f"{said} ({share:.2%}); the surest {most:.3f}")
    if file:
        Path(file).write_text(diagram(table, said), "utf-8")
    return 1 if share > MOST_WRONG or most >= 1.0 else 0


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(int(given[0]) if given else 40, *given[1:2], *map(int, given[2:3])))
