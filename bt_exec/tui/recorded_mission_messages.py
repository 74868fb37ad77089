"""Messages of the installed packs that a recorded mission used.

Display names of places and persons are those in the recorded settings of the site.
"""

from __future__ import annotations

import contextlib

from pydantic import ValidationError

from bt_exec.failure import BtExecError
from bt_exec.journal import MissionRecord, MissionSummary
from bt_exec.journal.explain import explain
from bt_exec.language.messages import Messages
from bt_exec.pack import Catalogue, Pack, find_pack
from bt_exec.rig import PackSettings
from bt_exec.site.site import catalogue_messages, load_site
from bt_exec.tui.why import Why

__all__ = ["catalogue_and_messages", "mission_explanation", "site_messages"]


def mission_explanation(
    record: MissionRecord,
    language: str = "",
    *,
    verbose: bool = False,
    continued: MissionSummary | None = None,
) -> Why:
    """Return the explanation of a mission, in `language` or in the language of its command.

    Args:
        record: The mission.
        language: Language of the sentences; the command's language if empty.
        verbose: Whether to include codes, measured values and compilers.
        continued: The mission that this one continued, if there is one.
    """
    catalogue, messages = catalogue_and_messages(record)
    language = language or record.line.language
    known = explain(record, catalogue, language)
    return Why(known, messages, language, verbose=verbose, continued=continued)


def site_messages(name: str) -> Messages:
    """Return the messages of a shipped site; for other sites, only the messages of bt-exec."""
    try:
        return load_site(name).messages
    except BtExecError:
        return catalogue_messages(Catalogue([]))


def catalogue_and_messages(record: MissionRecord) -> tuple[Catalogue, Messages]:
    """Return the declarations and sentences of the installed packs that a mission used."""
    packs: list[Pack] = []
    settings: dict[str, PackSettings] = {}
    recorded = record.settings.get("packs", {})
    for name in recorded if isinstance(recorded, dict | list) else ():
        if not isinstance(name, str):
            continue
        try:
            own = recorded[name] if isinstance(recorded, dict) else {}
            kind = own.get("pack") if isinstance(own, dict) else None
            pack = find_pack(kind or name).instance(name)
        except BtExecError:  # the pack is no longer installed, so its codes have no sentences
            continue
        packs.append(pack)
        if isinstance(recorded, dict):
            # if the pack's settings have changed since, ids are shown instead of names
            with contextlib.suppress(ValidationError):
                settings[name] = pack.settings.model_validate(recorded[name])
    catalogue = Catalogue(packs)
    return catalogue, catalogue_messages(catalogue, settings)
