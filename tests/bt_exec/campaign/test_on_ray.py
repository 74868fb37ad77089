"""Campaigns on a Ray cluster write the same bytes as local ones, even if a node is lost.

Skipped if Ray is not installed: ``pip install 'bt-exec[ray]'``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bt_exec.campaign.model import Campaign
from bt_exec.campaign.run import run_campaign
from tests.ray_nodes import ray_nodes

pytest.importorskip("ray", reason="pip install 'bt-exec[ray]'")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::Warning")]  # warnings of Ray

SMALL: dict[str, Any] = {
    "campaign": "small",
    "site": "building",
    "commands": ["go to the lounge"],
    "worlds": {"blocked": ["none", "lounge"]},
    "seeds": 6,
}


def test_campaign_writes_the_same_bytes_when_a_node_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign.model_validate(SMALL)
    run_campaign(campaign, tmp_path / "here", workers=2)
    run_campaign(campaign, tmp_path / "one", engine="ray", workers=2)
    with ray_nodes(monkeypatch) as (cluster, nodes):
        run_campaign(campaign, tmp_path / "three", engine="ray")

        def lose(done: int, _: int, total: int) -> None:
            if done == total // 3 and len(nodes) == 3:
                cluster.remove_node(nodes.pop(), allow_graceful=False)

        run_campaign(campaign, tmp_path / "lost", engine="ray", tell=lose)
        assert len(nodes) == 2
    written = {
        name: (tmp_path / name / "results.parquet").read_bytes()
        for name in ("here", "one", "three", "lost")
    }
    assert len(set(written.values())) == 1
