"""Messages of the packs that a recorded mission used, where they are installed.

The names of places and people are those of the site as it was then.
"""

from __future__ import annotations

import contextlib

from pydantic import ValidationError

from bt_exec.failure import BtExecError
from bt_exec.journal import MissionRecord
from bt_exec.journal.explain import explain
from bt_exec.language.messages import Messages
from bt_exec.pack import Catalogue, Pack, find_pack
from bt_exec.rig import PackSettings
from bt_exec.site.site import load_site, sentences
from bt_exec.tui.why import Why

__all__ = ["site_messages", "voices", "why_of"]


def why_of(record: MissionRecord, language: str = "", *, verbose: bool = False) -> Why:
    """Return who says why a mission ended so, in `language` or that of its command."""
    catalogue, messages = voices(record)
    language = language or record.line.language
    return Why(explain(record, catalogue), messages, language, verbose=verbose)


def site_messages(name: str) -> Messages:
    """Return the sentences of an installed site; those of bt-exec alone for another one."""
    try:
        return load_site(name).messages
    except BtExecError:
        return sentences(Catalogue([]))


def voices(record: MissionRecord) -> tuple[Catalogue, Messages]:
    """Return the parts and the sentences of the packs that a mission used, as far as installed."""
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
        except BtExecError:  # gone since: its codes stand as they are
            continue
        packs.append(pack)
        if isinstance(recorded, dict):
            with contextlib.suppress(ValidationError):  # settings have changed: names stand as ids
                settings[name] = pack.settings.model_validate(recorded[name])
    catalogue = Catalogue(packs)
    return catalogue, sentences(catalogue, settings)
