"""YAML files of the packages: readable with and without the C library of PyYAML."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
FOLDERS = ("bt_exec", "configs", "llm", "skills", "labeler", "trees")


@pytest.mark.parametrize("folder", FOLDERS)
def test_shipped_files_are_valid_for_the_pure_python_parser(folder: str) -> None:
    """libyaml accepts more than the parser in Python, such as ``[a ?b]``."""
    files = sorted((ROOT / folder).rglob("*.yaml"))
    assert files
    for file in files:
        events = yaml.parse(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        assert sum(1 for _ in events) > 2, file
