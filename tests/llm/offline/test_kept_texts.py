"""Analyses of the texts of the shipped sites that are part of the package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bt_exec_llm.offline import kept_texts
from bt_exec_llm.offline.kept_texts import KeptTexts, keep_analyses
from tests.analyses import SHIPPED, analyse


def test_shipped_analyses_are_used_and_not_copied(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_texts, "_SHIPPED", tmp_path / "shipped")
    (tmp_path / "shipped" / "korean").mkdir(parents=True)
    (tmp_path / "shipped" / "korean" / "kiwi 1.json").write_text('{"shipped": 1, "both": 1}')
    with keep_analyses():
        kept = KeptTexts("korean", "kiwi 1")
        kept.add("own", 2)
        kept.add("both", 2)
    again = KeptTexts("korean", "kiwi 1")
    assert [again.get(text) for text in ("shipped", "both", "own", "none")] == [1, 2, 2, None]
    (file,) = (tmp_path / "cache" / "bt-exec" / "korean").iterdir()
    assert json.loads(file.read_bytes()) == {"own": 2, "both": 2}
    assert KeptTexts("korean", "kiwi 2").get("shipped") is None


@pytest.mark.slow
def test_shipped_analyses_equal_new_ones(tmp_path: Path) -> None:
    files = analyse(tmp_path)
    assert [*files] == ["english", "korean"]
    shipped_for = {language: (SHIPPED / language / file.name) for language, file in files.items()}
    if not all(path.exists() for path in shipped_for.values()):
        pytest.skip("another version of an analyser is installed; make analyses writes its files")
    for language, file in files.items():
        new = json.loads(file.read_bytes())
        shipped = json.loads(shipped_for[language].read_bytes())
        both = new.keys() & shipped.keys()
        assert {text: shipped[text] for text in both} == {text: new[text] for text in both}
        assert len(both) >= 0.95 * len(new), "many texts are new; run: make analyses"
