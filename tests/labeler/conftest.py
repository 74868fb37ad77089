from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bt_exec_labeler.episode import Episode
from bt_exec_labeler.labeler_items import ControllerItem, Item, items_of
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY, make_game
from bt_exec_labeler.vocabulary import Vocabulary


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    return Vocabulary.model_validate(VOCABULARY)


@pytest.fixture(scope="session")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_game(tmp_path_factory.mktemp("game") / "game", episodes=2, seed=4)


@pytest.fixture(scope="session")
def episodes(game: Path) -> Sequence[Episode]:
    return tuple(read_source(game))


@pytest.fixture(scope="session")
def items(episodes: Sequence[Episode], vocabulary: Vocabulary) -> Sequence[Item]:
    """Three moments of different mid steps, for a controller."""
    found = list(items_of(episodes[0], vocabulary, "controller"))
    by_step = {item.mid_step_id: item for item in found}
    three = [by_step[name] for name in ("go_to_key", "talk_gate_guard", "open_chest")]
    assert all(isinstance(item, ControllerItem) for item in three)
    return three
