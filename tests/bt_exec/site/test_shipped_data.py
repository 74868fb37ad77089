"""Location of shipped data: inside the package of a wheel, or beside it in a clone."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.failure import UnknownName, UsageError
from bt_exec.site import shipped_data
from bt_exec.site.shipped_data import data_folder, data_path, site_names, site_path


def made(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).mkdir(parents=True)
    return folder


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shipped_data, "_PACKAGE", tmp_path / "clone" / "bt_exec")
    return tmp_path / "clone" / "bt_exec"


def test_data_inside_the_package_has_priority(package: Path) -> None:
    made(package.parent, "trees", "configs")
    assert data_folder() == package.parent
    made(package / "_data", "trees")
    assert data_folder() == package.parent, "half of it is not enough"
    made(package / "_data", "configs")
    assert data_folder() == package / "_data"
    assert data_path("trees", "door") == package / "_data" / "trees" / "door"


@pytest.mark.parametrize("there", ["trees", "configs"])
def test_incomplete_installation_error_names_the_remedy(package: Path, there: str) -> None:
    made(package.parent, there)
    with pytest.raises(UsageError) as raised:
        data_folder()
    said = f"the shipped trees and configs are missing beside {package}; reinstall bt-exec"
    assert str(raised.value) == said


def test_site_is_found_by_name_and_by_file(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites = made(made(package.parent, "trees"), "configs/sites") / "configs" / "sites"
    for name in ("lab.yaml", "hall.yaml", "notes.txt"):
        (sites / name).touch()
    assert site_names() == ("hall", "lab")
    assert site_path("lab") == sites / "lab.yaml"
    assert site_path("mine.yaml") == Path("mine.yaml"), "whoever reads it says that it is missing"
    assert site_path("mine.yml") == Path("mine.yml")
    own = tmp_path / "lab"
    own.touch()
    assert site_path(str(own)) == own
    monkeypatch.setenv("HOME", str(tmp_path))
    assert site_path("~/mine.yaml") == tmp_path / "mine.yaml"
    with pytest.raises(UnknownName) as raised:
        site_path("labb")
    assert str(raised.value) == "there is no site 'labb'; known, nearest first: lab, hall"
