"""Plans from files that contain a mission, a tree or a plan in the format of a pack."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bt_exec.failure import SpecError, UnknownName, UsageError
from bt_exec.files import expand_home, read_at_most

if TYPE_CHECKING:
    from bt_exec.pack import PlanFormat
    from bt_exec.site.site import Site
    from bt_exec.spec.load import Loaded
    from bt_exec.spec.model import MissionSpec

__all__ = ["find_plan_format", "is_pack_plan_file", "load_plan"]

_LARGEST = 1_000_000


def load_plan(path: Path, site: Site, command: str) -> MissionSpec:
    """Return the plan in a file as version 1; steps kept from an earlier run are done again.

    A tree is run with the defaults of its parameters. ``-`` is standard input.

    Raises:
        UsageError: If the file cannot be read.
        SpecError: If the plan is invalid; the error contains every problem.
    """
    from bt_exec.spec.load import load_text
    from bt_exec.spec.model import MissionSpec

    path, piped = expand_home(path), str(path) == "-"
    try:
        raw = _read_standard_input() if piped else read_at_most(path, _LARGEST)
        path = Path("standard input") if piped else path
        if raw is None:
            raise UsageError(f"--plan {path}: is larger than {_LARGEST} bytes")
        text = raw.decode("utf-8-sig")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"--plan {path}: cannot be read: {why}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--plan {path}: is not UTF-8 text; save it as UTF-8") from None
    if _has_pack_format(path, text):
        for name in _names(site):
            return find_plan_format(name, site).read(text, str(path), command)
        where = f"site {site.name!r}"
        hint = "try another with --site NAME"
        raise UsageError(f"--plan {path}: no pack of {where} reads plans of this format; {hint}")
    loaded = load_text(text, str(path))
    document = loaded.document
    if not isinstance(document, MissionSpec):
        return _mission_from_tree(loaded, site, command)
    return document.with_header(plan_version=1, parent=None, kept=())


def _read_standard_input() -> bytes | None:
    """Return the contents of standard input; None if they are too large."""
    if sys.stdin is None:
        return b""
    stream = getattr(sys.stdin, "buffer", sys.stdin)  # a replaced stream may have only text
    found = stream.read(_LARGEST + 1)
    raw: bytes = found.encode() if isinstance(found, str) else found
    return raw if len(raw) <= _LARGEST else None


def _mission_from_tree(loaded: Loaded, site: Site, command: str) -> MissionSpec:
    """Return a mission that runs one tree; it may use trees of the site.

    Raises:
        SpecError: If it is invalid, or has a parameter without a default.
    """
    from bt_exec.language.messages import language_of
    from bt_exec.spec.expand import expand
    from bt_exec.spec.library import Library
    from bt_exec.spec.model import Mission, MissionSpec, Tree, TreeSpec
    from bt_exec.verify import verify_file

    tree = loaded.document
    assert isinstance(tree, TreeSpec)
    library = Library([loaded])
    library.add_missing(site.library)
    if problems := verify_file(loaded, site.catalogue, library):
        raise SpecError(problems)
    said = command or (tree.utterances or (tree.summary or tree.tree,))[0]
    header = Mission(command=said, language="ko" if language_of(said) == "ko" else "en")
    root = Tree.model_validate({"tree": tree.tree})
    return expand(MissionSpec(mission=header, root=root), library)


def is_pack_plan_file(path: Path) -> bool:
    """Return True if a file contains a plan in the format of a pack; False if unreadable."""
    try:
        if path.suffix != ".json" or (raw := read_at_most(path, _LARGEST)) is None:
            return False
        return _has_pack_format(path, raw.decode("utf-8-sig", errors="replace"))
    except OSError:
        return False  # the error is reported when the file is read


def _has_pack_format(path: Path, text: str) -> bool:
    return path.suffix == ".json" and '"plan"' in text and '"mission"' not in text


def find_plan_format(name: str, site: Site) -> PlanFormat:
    """Return the plan format called `name`.

    Raises:
        UnknownName: If no pack of the site defines it.
    """
    from bt_exec.pack import PlanFormat

    catalogue = site.catalogue
    pack = next((pack for pack in catalogue.packs if name in pack.formats), None)
    if pack is None:
        raise UnknownName("format", name, ("yaml", "json", *_names(site)))
    form, own = pack.formats[name], pack.name
    return PlanFormat(
        lambda *given: catalogue.with_site_names(own, form.read(*given)),
        lambda spec: form.write(catalogue.with_pack_names(own, spec)),
    )


def _names(site: Site) -> tuple[str, ...]:
    return tuple(name for pack in site.catalogue.packs for name in pack.formats)
