"""OpenAPI description of the service, compared with its responses."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bt_exec.serve.openapi import EXAMPLES
from tests.bt_exec.serve.conftest import Served, serving
from tests.cases import cases

pytestmark = pytest.mark.sampled

TOKEN = "a-token-of-some-length"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Service with a token and recorded missions."""
    with serving(tmp_path_factory.mktemp("guarded")) as make:
        served = make(token=TOKEN, queue=1000)
        for command in ("wave", "crack", "fly"):
            sent = served.ask("POST", "/missions", {"command": command}, BEARER)
            served.ended(sent.data["mission_id"])
        yield served


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return method, path and description of each operation."""
    return [
        (method, path, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


def test_every_response_is_described_with_a_body_and_an_example(guarded: Served):
    document = guarded.ask("GET", "/openapi.json", headers=BEARER).data
    for method, path, operation in operations(document):
        for status, answer in operation["responses"].items():
            where = f"{method} {path} {status}"
            if status == "204":
                continue
            for kind, content in answer["content"].items():
                assert content["schema"], where
                if content["schema"].get("format") != "binary":
                    assert content.get("example") or content["examples"], (where, kind)
                for code, example in content.get("examples", {}).items():
                    assert example["value"]["error"]["code"] == code, where
                    assert "{" not in example["value"]["error"]["message"], where


def test_every_route_except_the_public_ones_requires_a_token(guarded: Served, shared: Served):
    document = guarded.ask("GET", "/openapi.json", headers=BEARER).data
    assert document["security"] == [{"token": []}, {"login": []}]
    free = {path for _, path, one in operations(document) if one.get("security") == []}
    assert free == {"/health", "/ready", "/login", "/sites"}
    for path in document["paths"]:
        if "{" not in path and "get" in document["paths"][path]:
            assert (guarded.ask("GET", path).status == 401) == (path not in free), path
    assert "security" not in shared.ask("GET", "/openapi.json").data


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.__name__)
def test_examples_match_their_models(model: Any):
    found = model.model_validate(EXAMPLES[model])
    assert EXAMPLES[model].keys() <= found.model_dump().keys()


def conforms(served: Served, examples: int, *, tokens: bool = True) -> None:
    """Send generated valid and invalid requests and check each response.

    With `tokens`, each is also sent with missing and wrong tokens. The response to a wrong token
    takes half a second.
    """
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    checks = pytest.importorskip("schemathesis.specs.openapi.checks")
    excluded = [] if tokens else [checks.ignored_auth]
    requests = pytest.importorskip("requests")
    document = served.ask("GET", "/openapi.json", headers=BEARER).data
    schema = schemathesis.openapi.from_dict(document)

    @settings(
        max_examples=examples,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    def answered(case: Any) -> None:
        with requests.Session() as session:
            case.call_and_validate(
                base_url=served.url,
                headers=BEARER,
                session=session,
                timeout=20,
                excluded_checks=excluded,
            )

    # its check of tokens leaves open connections to the garbage collector
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        for found in schema.exclude(path="/live").get_all_operations():  # endless stream
            given(case=found.ok().as_strategy())(answered)()
        gc.collect()


def test_generated_requests_are_answered_as_described(guarded: Served):
    conforms(guarded, 2)


@pytest.mark.slow
def test_many_generated_requests_are_answered_as_described(guarded: Served):
    conforms(guarded, cases(25, 12), tokens=False)


@pytest.mark.slow
def test_generated_client_drives_a_mission(guarded: Served, tmp_path: Path, monkeypatch: Any):
    pytest.importorskip("openapi_python_client", reason="openapi-python-client is not installed")
    document = tmp_path / "openapi.json"
    document.write_bytes(guarded.ask("GET", "/openapi.json", headers=BEARER).body)
    made = tmp_path / "made" / "robot_client"
    generator = [str(Path(sys.executable).with_name("openapi-python-client")), "generate"]
    given = ["--path", str(document), "--output-path", str(made), "--meta", "none"]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    made.parent.mkdir()
    done = subprocess.run([*generator, *given], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout.upper(), done.stdout
    monkeypatch.syspath_prepend(str(made.parent))
    module = importlib.import_module
    submit = module("robot_client.api.default.submit_missions_post")
    read = module("robot_client.api.default.mission_missions_mission_id_get")
    with module("robot_client").AuthenticatedClient(base_url=guarded.url, token=TOKEN) as client:
        asked = module("robot_client.models").Asked(command="wave")
        accepted = submit.sync(client=client, body=asked)
        guarded.ended(accepted.mission_id)
        stages = read.sync(accepted.mission_id, client=client)
        assert stages.status == "satisfied"
        assert [task.result for task in stages.results.tasks] == ["Ok"]
        missing = read.sync("2020-01-01-0001", client=client)
        assert missing.error.code == "NO_MISSION"
