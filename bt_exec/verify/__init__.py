"""Verification in layers; no unverified spec is executed.

vocabulary → arguments → grounding → dry run → resources → bounds. A layer runs only if earlier
layers found no problem in the data that it relies on. All problems of a document are reported at
once. The docstring of each layer's module lists its codes.
"""

from __future__ import annotations

from collections.abc import Mapping

from bt_exec.failure import Problem
from bt_exec.pack import Catalogue
from bt_exec.spec.library import Library
from bt_exec.spec.load import Loaded
from bt_exec.spec.model import Document, MissionSpec
from bt_exec.spec.yaml_source import Source, sorted_by_position
from bt_exec.verify.arguments_and_bindings import check_arguments
from bt_exec.verify.bounds_and_claims import check_bounds, check_resources
from bt_exec.verify.context import Context
from bt_exec.verify.dry_run import check_dry_run
from bt_exec.verify.grounding import check_grounding
from bt_exec.verify.likely_mistakes import check_authoring
from bt_exec.verify.vocabulary import check_fact_values, check_vocabulary

__all__ = ["verify_document", "verify_file", "verify_library", "verify_mission"]


def verify_document(
    document: Document, catalogue: Catalogue, library: Library, source: Source | None = None
) -> tuple[Problem, ...]:
    """Check a document independently of a situation: names, arguments, resources, bounds."""
    context = Context(document, catalogue, library, source or Source("the plan"))
    check_vocabulary(context)
    check_arguments(context)
    check_fact_values(context)
    check_resources(context)
    check_bounds(context)
    return _in_order(context)


def verify_file(loaded: Loaded, catalogue: Catalogue, library: Library) -> tuple[Problem, ...]:
    """Check a file and also report probable mistakes that do not prevent execution.

    In addition to `verify_document`, it reports contradicting steps (which passes may resolve),
    unused codes and unused parameters.
    """
    document, source = loaded
    if problems := verify_document(document, catalogue, library, source):
        return problems
    context = Context(document, catalogue, library, source)
    check_dry_run(context)
    check_authoring(context)
    return _in_order(context)


def verify_mission(
    spec: MissionSpec,
    catalogue: Catalogue,
    *,
    labels: tuple[str, ...] | None = None,
    labels_by: Mapping[str, tuple[str, ...]] | None = None,
    facts: Mapping[str, str] | None = None,
) -> tuple[Problem, ...]:
    """Check an expanded mission with all layers, against the observed situation.

    Args:
        spec: The expanded mission.
        catalogue: Skills, conditions and types of the site.
        labels: Currently detected labels; None to omit the check of labels.
        labels_by: The same labels by pack or robot.
        facts: Currently known facts.
    """
    context = Context(spec, catalogue)
    context.labels, context.facts = labels, facts or {}
    context.labels_by = labels_by or {}
    check_vocabulary(context)
    check_arguments(context)
    if not context.problems:
        check_fact_values(context)
        check_grounding(context)
        check_dry_run(context)
        check_resources(context)
    check_bounds(context)
    return _in_order(context)


def verify_library(library: Library, catalogue: Catalogue) -> tuple[Problem, ...]:
    """Check every tree of a library."""
    found: list[Problem] = []
    for tree in library:
        loaded = Loaded(tree, library.source(tree.tree))
        found.extend(verify_document(loaded.document, catalogue, library, loaded.source))
    return tuple(found)


def _in_order(context: Context) -> tuple[Problem, ...]:
    return tuple(sorted_by_position(context.problems))
