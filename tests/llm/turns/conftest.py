"""Site whose three models (planner, looker, judge) give scripted answers over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import yaml

from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from bt_exec_llm.testing.messages_server import MessagesServer
from tests.llm.turns.say import draw

QUESTION = {"en": "How many cheerful things are there?", "ko": "즐거운 것은 몇 개야?"}


@dataclass
class Models:
    """Replies of each model, one for each question; the last one repeats."""

    server: MessagesServer
    says: dict[str, list] = field(default_factory=dict)

    def script(self, planner=(), looker=(), judge=()) -> None:
        self.says = {"planner": [*planner], "looker": [*looker], "judge": [*judge]}
        self.server.requests.clear()
        self.server.script([self._reply])

    def _reply(self, body):
        mine = self.says.get(body["model"]) or ["nothing"]
        return mine.pop(0) if len(mine) > 1 else mine[0]

    def asked(self, model: str) -> list[str]:
        """Return the last message of each request to a model."""
        bodies = [one.body for one in self.server.requests if one.body["model"] == model]
        return [body["messages"][-1]["content"][-1].get("text", "") for body in bodies]

    def objections(self) -> list[str]:
        """Return the problems that were sent back to the planner."""
        return [text for text in self.asked("planner") if text.startswith("That cannot be used")]


@pytest.fixture(scope="session")
def models() -> Iterator[Models]:
    with MessagesServer(["nothing"]) as server:
        yield Models(server)


@pytest.fixture(scope="session")
def make_site(models):
    """Return a function that writes a site file with models and loads it."""

    def make(folder, *, vqa=True, judge=True, **compiler):
        client = {"base_url": models.server.url, "tier": "text", "retries": 0, "timeout_s": 20.0}
        image = {"robot": "none"}
        if vqa:
            image["vqa"] = {"name": "claude", **client, "model": "looker"}
        if judge:
            image["judge"] = {"name": "claude", **client, "model": "judge"}
        chosen = {"name": "turns", **client, "model": "planner", "form": "tags", **compiler}
        site = {
            "site": "looking",
            "packs": {"image": image},
            "compiler": chosen,
            "rates": {"tick_hz": 200},
            "limits": {"replans": 0, "hang_s": 30},
        }
        file = folder / "looking.yaml"
        file.write_text(yaml.safe_dump(json.loads(json.dumps(site, default=str))))
        return load_site(str(file))

    return make


@pytest.fixture(scope="session")
def picture(tmp_path_factory):
    return draw(tmp_path_factory.mktemp("picture"))


@pytest.fixture(scope="session")
def session(make_site, picture, tmp_path_factory) -> Iterator[Session]:
    """Session with all three models, about a picture without boxes."""
    site = make_site(tmp_path_factory.mktemp("site"))
    with Session(site, world={"image": str(picture)}, fast=True) as session:
        yield session
