"""Two sites at one address, each with a queue, a token and a login."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.bt_exec.serve.conftest import GATE, Served

TOKENS = {"left": "token-of-the-left-site", "right": "token-of-the-right-site"}


@pytest.fixture
def both(serve_sites: Callable[..., dict[str, Served]]) -> dict[str, Served]:
    """Server of two sites, each with a token."""
    return serve_sites(TOKENS)


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKENS[name]}"}


def test_each_site_accepts_only_the_token_of_that_site(both: dict[str, Served]):
    left = both["left"]
    listed = left.ask("GET", "/sites").data["sites"]
    assert listed == [{"site": name, "path": f"/sites/{name}"} for name in TOKENS]
    for name in TOKENS:
        for token in TOKENS:
            answer = left.ask("GET", f"/sites/{name}/site", headers=bearer(token))
            assert answer.status == (200 if token == name else 401)
    assert left.ask("GET", "/site", headers=bearer("left")).data["site"] == "left"


def test_each_site_runs_and_stops_only_its_missions(both: dict[str, Served]):
    names = {}
    for site, served in both.items():
        body = {"command": "hold"}
        sent = served.ask("POST", f"/sites/{site}/missions", body, bearer(site))
        assert sent.status == 202
        names[site] = sent.data["mission_id"]
        assert sent.data["mission"] == f"/sites/{site}/missions/{names[site]}"
        assert served.ask("GET", sent.data["mission"], headers=bearer(site)).status == 200
    for site, served in both.items():
        served.until(lambda served=served: served.service.running_mission is not None)
        last = served.ask("GET", f"/sites/{site}/missions/last", headers=bearer(site)).data
        assert last["mission_id"] == names[site]
    left, right = both["left"], both["right"]
    wrong = left.ask("POST", f"/sites/left/missions/{names['right']}/abort", {}, bearer("left"))
    assert wrong.status == 409
    stopped = left.ask("POST", "/sites/left/missions/last/abort", {}, bearer("left"))
    assert stopped.data["result"] == "stopping"
    assert left.ended(names["left"]).status == "aborted"
    assert right.service.running_mission is not None
    GATE.set()
    assert right.ended(names["right"]).status == "satisfied"


def test_login_applies_to_one_site(both: dict[str, Served]):
    body = {"token": TOKENS["right"]}
    answer = both["left"].ask("POST", "/sites/right/login", body)
    cookie = answer.headers["set-cookie"]
    assert "Path=/sites/right" in cookie
    kept = {"Cookie": cookie.partition(";")[0]}
    assert both["left"].ask("GET", "/sites/right/site", headers=kept).status == 200
    assert both["left"].ask("GET", "/sites/left/site", headers=kept).status == 401


def test_description_contains_the_path_of_the_site(both: dict[str, Served]):
    text = both["left"].ask("GET", "/sites/right/openapi.json", headers=bearer("right"))
    assert json.loads(text.body)["servers"] == [{"url": "/sites/right"}]
