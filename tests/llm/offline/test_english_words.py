"""Dictionary forms of English words, looked up or read from the cache of an earlier process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import simplemma

from bt_exec_llm.offline import english_words, kept_texts
from bt_exec_llm.offline.english_words import lemmatize
from bt_exec_llm.offline.kept_texts import keep_analyses


@pytest.fixture
def restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Path]]:
    """Return a function that clears the memory of this process, and returns the cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept_texts, "_SHIPPED", tmp_path / "none")

    def forget() -> Path:
        for cached in (english_words._look_up_lemma, english_words._lemma_cache):
            cached.cache_clear()
        return tmp_path / "bt-exec" / "english"

    forget()
    yield forget
    forget()


def test_cached_forms_equal_looked_up_ones(restart, monkeypatch):
    words = ["opening", "doors", "fetched", "xyzzy"]
    with keep_analyses():
        found = [english_words._look_up_lemma(word) for word in words]
    restart()
    monkeypatch.setattr(simplemma, "lemmatize", lambda *_: pytest.fail("looked up again"))
    assert [english_words._look_up_lemma(word) for word in words] == found
    assert [one.is_known for one in found] == [True, True, True, False]


def test_words_of_commands_are_not_cached(restart):
    with keep_analyses():
        assert lemmatize("doors") == "door"
    assert lemmatize("windows") == "window"
    with keep_analyses():
        pass
    (file,) = restart().glob("*.json")
    assert list(json.loads(file.read_bytes())) == ["doors"]


@pytest.mark.parametrize("content", ["", "[]", '{"doors": 1}', '{"doors": ["x", 1]}'])
def test_damaged_entry_is_looked_up_again(restart, content):
    with keep_analyses():
        lemmatize("doors")
    (file,) = restart().glob("*.json")
    file.write_text(content)
    with keep_analyses():
        assert lemmatize("doors") == "door"
    (file,) = restart().glob("*.json")
    assert json.loads(file.read_bytes()) == {"doors": ["door", True]}
