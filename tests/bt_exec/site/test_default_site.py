"""Default site."""

from __future__ import annotations

import pytest

from bt_exec import UsageError, load_site
from bt_exec.site.shipped_data import default_site


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("BT_EXEC_SITE", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "bt-exec"
    folder.mkdir()
    return folder / "config.yaml"


def test_shipped_default_is_used_without_settings():
    assert default_site() == "door"
    assert load_site().name == "door"


def test_user_can_set_a_default_site(own_folder):
    own_folder.write_text("default_site: building\n")
    assert default_site() == "building"
    assert load_site().name == "building"


def test_settings_without_a_site_select_the_shipped_default(own_folder):
    own_folder.write_text("# nothing yet\n")
    assert default_site() == "door"


def test_environment_variable_has_priority_over_the_default_site(own_folder, monkeypatch):
    own_folder.write_text("default_site: building\n")
    monkeypatch.setenv("BT_EXEC_SITE", "door")
    assert load_site().name == "door"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("default_site: [a, b]", "default_site must be the name or file of a site, not ['a', 'b']"),
        ("default_site: {", "cannot be read"),
    ],
)
def test_invalid_settings_file_is_reported_by_name(own_folder, text, said):
    own_folder.write_text(text)
    with pytest.raises(UsageError) as error:
        default_site()
    assert str(own_folder) in str(error.value)
    assert said in str(error.value)
