"""Morphemes of Korean texts, analysed or read from the cache of an earlier process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bt_exec.site.compile_command import compile_command
from bt_exec.site.site import load_site
from bt_exec_llm.offline import index, kept_texts, kiwi
from bt_exec_llm.offline.kept_texts import keep_analyses
from bt_exec_llm.offline.kiwi import analyse_morphemes

TEXT, COMMAND = "문을 열어 줘", "자재를 꺼내 와"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a function that clears the memory of this process, as a restart does."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept_texts, "_SHIPPED", tmp_path / "none")

    def forget() -> Path:
        for cached in (kiwi._cached_morphemes, kiwi._morph_cache):
            cached.cache_clear()
        index._BY_REQUEST.clear()
        index._BY_WORDS.clear()
        return tmp_path / "bt-exec" / "korean"

    forget()
    yield forget
    forget()


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the analyser unavailable."""
    monkeypatch.setattr(kiwi, "_load_kiwi", lambda: pytest.fail("the analyser was loaded"))


def test_cached_morphemes_equal_analysed_ones(cache, request):
    with keep_analyses():
        analysed = analyse_morphemes(TEXT), analyse_morphemes(TEXT, [(0, 1)])
    cache()
    request.getfixturevalue("absent")
    assert (analyse_morphemes(TEXT), analyse_morphemes(TEXT, [(0, 1)])) == analysed


def test_commands_are_not_cached(cache):
    with keep_analyses():
        analyse_morphemes(TEXT)
    analyse_morphemes(COMMAND)
    with keep_analyses():
        pass
    (file,) = cache().glob("*.json")
    assert list(json.loads(file.read_bytes())) == [TEXT]
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"%s": 1}', b'{"%s": [["a", "b"]]}'])
def test_damaged_file_is_replaced(cache, content):
    with keep_analyses():
        analysed = analyse_morphemes(TEXT)
    (file,) = cache().glob("*.json")
    file.write_bytes(content.replace(b"%s", TEXT.encode()))
    with keep_analyses():
        assert analyse_morphemes(TEXT) == analysed
    (file,) = cache().glob("*.json")
    assert list(json.loads(file.read_bytes())) == [TEXT]


def test_oldest_texts_are_dropped_beyond_the_limit(cache, monkeypatch):
    monkeypatch.setattr(kept_texts, "_MOST_KEPT", 2)
    with keep_analyses():
        for text in ("문", "손", TEXT):
            analyse_morphemes(text)
    (file,) = cache().glob("*.json")
    assert list(json.loads(file.read_bytes())) == ["손", TEXT]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["door", "building"])
def test_utterances_compile_without_the_analyser(cache, request, name):
    site = load_site(name)
    texts = [text for tree in site.library for text in tree.utterances]
    texts += [text.rstrip(" .!?") for text in texts]
    analysed = [compile_command(site, text) for text in texts]
    cache()
    request.getfixturevalue("absent")
    assert [compile_command(site, text) for text in texts] == analysed


@pytest.mark.slow
def test_released_analyser_is_loaded_again_for_new_texts(cache, monkeypatch):
    first = kiwi._load_kiwi()
    analysed = analyse_morphemes(COMMAND)
    kiwi.release_analyser()
    monkeypatch.setattr(kiwi, "_tokenize_with_kiwi", lambda *_: pytest.fail("analysed again"))
    assert analyse_morphemes(COMMAND) == analysed
    monkeypatch.undo()
    assert analyse_morphemes(TEXT)
    assert kiwi._load_kiwi() is not first
