"""Accuracy and calibration on synthetic pictures with ground truth."""

import pytest

from tests.cases import cases
from tests.skills.image.asking import ask, bench_of
from tests.skills.image.drawn import draw, questions

SURE = 0.6


def scored(seeds):
    """Ask four questions about each picture, and print the score and a reliability table."""
    table: dict[int, list[bool]] = {}
    wrong = []
    for seed in seeds:
        drawn = draw(seed)
        bench = bench_of(drawn.picture)
        for _, text, truth in questions(drawn, seed):
            answer = ask(bench, text)
            right = answer.value == truth
            table.setdefault(min(9, int(answer.confidence * 10)), []).append(right)
            if not right:
                wrong.append((seed, text, truth, answer))
    results = [right for rows in table.values() for right in rows]
    share = sum(results) / len(results)
    sure_wrong = sum(answer.confidence > SURE for *_, answer in wrong) / len(results)
    print(f"\nexact {share:.3f} of {len(results)}; confident and wrong {sure_wrong:.3f}")
    for tenth, rows in sorted(table.items()):
        print(f"  confidence {tenth / 10:.1f}: {sum(rows)} of {len(rows)} right")
    return share, sure_wrong, wrong


@pytest.mark.slow
def test_most_questions_about_generated_pictures_are_answered_correctly():
    share, sure_wrong, wrong = scored(range(1000, 1000 + cases(300, 120)))
    assert share >= 0.9, wrong
    assert sure_wrong <= 0.03, wrong


def test_generated_pictures_contain_difficult_cases():
    tricks = [draw(seed, scale=1).tricks for seed in range(60)]  # edges do not matter here
    assert sum("touching" in one for one in tricks) >= 5
    assert sum("hidden" in one for one in tricks) >= 5
