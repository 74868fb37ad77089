"""Construction of the model that a site configures for a task: client, recording or replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.files import expand_home
from bt_exec.spec.user_data import read_settings
from bt_exec_llm.client.client import ModelClient
from bt_exec_llm.client.exchange import Model
from bt_exec_llm.client.recording import Recorder
from bt_exec_llm.client.replay import ReplayClient
from bt_exec_llm.client.settings import ModelSettings

__all__ = ["plugged"]


def plugged(settings: Mapping[str, Any], kind: str, **defaults: Any) -> Model:
    """Return the model for the settings of a site.

    In addition to the client's settings, ``record: FILE`` appends every exchange to a file, and
    ``replay: FILE`` answers from one.

    Args:
        settings: Settings in the site file.
        kind: Task of the model, for messages.
        defaults: Values of omitted settings.

    Raises:
        UsageError: If a setting is unknown or invalid.
    """
    given = dict(settings)
    replay, record = given.pop("replay", None), given.pop("record", None)
    if replay is not None:
        return ReplayClient(expand_home(str(replay)))
    recorder = None if record is None else Recorder(expand_home(str(record)))
    asked = read_settings(ModelSettings, {**defaults, **given}, f"the {kind} model claude")
    return ModelClient(asked, record=recorder)
