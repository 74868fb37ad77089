"""Settings of the model client that a labeler takes from a site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler import cli_commands
from bt_exec_labeler.cli_commands import with_client_settings
from bt_exec_llm.testing.messages_server import MessagesServer
from tests.labeler.batch.recordings import answer

SITE = """
site: mine
packs: {door: {}}
compiler: {name: claude, model: m-1, base_url: URL, tier: text, prices: {input: 2, output: 8}}
"""


@pytest.fixture
def site(tmp_path: Path) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(SITE.replace("URL", "http://127.0.0.1:9"))
    return str(path)


def test_model_address_and_prices_are_taken_from_the_site(site: str) -> None:
    found = with_client_settings({"items": 4}, site)
    client = found["client"]
    assert (found["items"], client["model"], client["base_url"]) == (4, "m-1", "http://127.0.0.1:9")
    assert dict(client["prices"]) == {"input": 2, "output": 8}
    assert "name" not in client


def test_given_settings_override_those_of_the_site(site: str) -> None:
    given = {"client": {"model": "m-2", "max_tokens": 500}}
    assert with_client_settings(given, site)["client"]["model"] == "m-2"
    assert with_client_settings(given, site)["client"]["max_tokens"] == 500
    assert with_client_settings(given, site)["client"]["tier"] == "text"


def test_site_without_a_model_is_refused() -> None:
    with pytest.raises(UsageError, match="--site tabletop: its compiler has no settings"):
        with_client_settings({}, "tabletop")


def test_cost_budget_uses_the_prices_of_the_site(site: str, game: Path, tmp_path: Path) -> None:
    with MessagesServer([answer]) as server:
        options = with_client_settings({"client": {"base_url": server.url}}, site)
        about = (game, game / "vocabulary.yaml", tmp_path / "run")
        how: dict[str, Any] = {
            "labeler": "model",
            "role": "controller",
            "options": options,
            "no_cache": True,
        }
        found = cli_commands.run(*about, **how, budget={"cost": 100.0})
        bill = [request.body for request in server.requests]
        assert {body["model"] for body in bill} == {"m-1"}
        assert found["usage"]["cost"] > 0
        assert "of 100 cost" in "".join(found["lines"])
