"""Lossless round trips of trees through BehaviorTree.CPP XML."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from bt_exec.interchange.btcpp_export import export_btcpp
from bt_exec.interchange.btcpp_import import import_btcpp
from bt_exec.interchange.xml_text import parse_xml
from bt_exec.pack import Catalogue
from bt_exec.site.shipped_data import site_names
from bt_exec.site.site import load_site
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.model import Mission, MissionSpec, Tree
from bt_exec.spec.yaml_source import Source
from tests.bt_exec.spec.strategies import documents, workshop_missions
from tests.bt_exec.spec.workshop import catalogue, library
from tests.cases import examples

EMPTY = Catalogue([])


def there_and_back(document, trees=None, parts=EMPTY):
    """Return the first document of the XML of `document`, whose export is the same XML."""
    text, _ = export_btcpp(document, trees if trees is not None else Library(), parts)
    imported = import_btcpp([("a.xml", parse_xml(text))])
    assert imported.report.notes == []
    again = Library((other, Source("a.xml")) for other in imported.documents[1:])
    assert export_btcpp(imported.documents[0], again, parts)[0] == text
    return imported.documents[0]


@pytest.mark.parametrize("name", site_names())
def test_shipped_trees_survive_a_round_trip(name):
    site = load_site(name)
    for tree in site.library:
        assert there_and_back(tree, site.library, site.catalogue) == tree


@pytest.mark.parametrize("name", ["door", "building"])
def test_expanded_missions_survive_a_round_trip(name):
    site = load_site(name)
    for tree in site.library:
        if any(param.required for param in tree.params.values()):
            continue
        root = Tree.model_validate({"tree": tree.tree})
        spec = expand(MissionSpec(mission=Mission(command="x"), root=root), site.library)
        assert there_and_back(spec, site.library, site.catalogue) == spec


@given(documents)
@settings(max_examples=examples(300))
def test_any_document_is_unchanged_by_a_round_trip(document):
    assert there_and_back(document) == document


@given(workshop_missions)
@settings(max_examples=examples(100))
def test_workshop_missions_survive_a_round_trip_with_their_trees(mission):
    assert there_and_back(mission, library(), catalogue()) == mission
