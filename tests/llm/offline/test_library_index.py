"""Indexing of libraries: one language at a time, once, and cached on disk if large."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from bt_exec.pack import Catalogue, Pack
from bt_exec.planning.compiler import Plan, Request
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec_llm.offline import create, step_cache
from bt_exec_llm.offline.library_index import cached_index

WORDS = """
verbs:
  water: {en: [water], ko: [적시다]}
nouns:
  plant: {en: [plant], ko: [화분]}
"""
TREE = "tree: water_plant\nutterances: [Water the plant., 화분을 적셔.]\nroot: {do: water}\n"


@pytest.fixture
def request_for(tmp_path: Path):
    words = tmp_path / "words.yaml"
    words.write_text(WORDS, encoding="utf-8")
    catalogue, library = Catalogue([Pack("garden", lexicon=words)]), Library([load_text(TREE)])
    return lambda command: Request(command, "en", catalogue, library)


def test_library_is_indexed_once_for_each_language(request_for):
    first, second = request_for("water the plant"), request_for("please water the plant")
    assert isinstance(create({}).compile(first), Plan)
    assert cached_index(first, "en") is cached_index(second, "en")
    assert cached_index(first, "ko") is not cached_index(first, "en")


def test_index_is_shared_by_equal_libraries_and_types(request_for):
    first = request_for("water the plant")
    again = replace(first, library=Library([load_text(TREE)]))
    longer = replace(first, library=Library([load_text(TREE.replace("plant.,", "plant now.,"))]))
    assert cached_index(again, "en") is cached_index(first, "en")
    assert cached_index(longer, "en") is not cached_index(first, "en")
    first.catalogue.types["Plant"] = Literal["fern"]
    other = replace(first, library=Library([load_text(TREE)]))
    assert cached_index(other, "en") is not cached_index(first, "en")


def test_utterance_of_the_other_language_is_used_as_fallback(request_for):
    library = Library([load_text(TREE.replace("Water the plant., ", ""))])
    answer = create({}).compile(replace(request_for("Water the plant"), library=library))
    assert isinstance(answer, Plan)


def test_large_library_is_cached_on_disk_until_it_changes(request_for, tmp_path, monkeypatch):
    reader = cached_index(request_for("x"), "en").reader
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(step_cache, "LARGE", 1)
    texts = ["Water the plant.", "화분을 적셔."]
    fresh = step_cache.cached_steps(reader, texts)
    (file,) = (tmp_path / "cache" / "bt-exec" / "utterances").glob("*.json")
    assert step_cache.cached_steps(reader, texts) == fresh
    file.write_text("[[]]")  # damaged, so the utterances are read again
    assert step_cache.cached_steps(reader, texts) == fresh
    step_cache.cached_steps(reader, texts[:1])
    assert len(list(file.parent.glob("*.json"))) == 2


def test_unwritable_cache_is_ignored(request_for, tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(step_cache, "LARGE", 1)
    reader = cached_index(request_for("x"), "en").reader
    assert step_cache.cached_steps(reader, ["Water the plant."])
