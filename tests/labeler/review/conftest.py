from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bt_exec_labeler.batch.output_and_answer_cache import Output
from bt_exec_labeler.batch.run import label_moments
from bt_exec_labeler.labeler_items import items_of
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.review.review_cards import Card, cards_of
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.testing.toy_game_episodes import make_game
from bt_exec_labeler.vocabulary import Vocabulary


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_game(tmp_path_factory.mktemp("played") / "game", episodes=5, seed=4)


@pytest.fixture
def labelled(played: Path, tmp_path: Path, vocabulary: Vocabulary) -> Path:
    """Run over the game, with planner records."""
    output = Output(tmp_path / "run")
    output.create_or_resume({"role": "planner"}, resume=False)
    items = [
        item for episode in read_source(played) for item in items_of(episode, vocabulary, "planner")
    ]
    label_moments(items, RulesLabeler(vocabulary), vocabulary, output)
    output.write_json_lines()
    return output.folder


@pytest.fixture
def cards(labelled: Path, played: Path, vocabulary: Vocabulary) -> Sequence[Card]:
    return cards_of(labelled, vocabulary, {one.id: one for one in read_source(played)})
