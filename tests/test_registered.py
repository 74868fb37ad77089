"""Checks of everything registered, including installed third-party packs."""

import itertools
from typing import Annotated, Literal, get_args, get_origin

import pytest

from bt_exec.failure import SpecError
from bt_exec.language.messages import LANGUAGES, Messages
from bt_exec.mission_outcome import code_of_reason
from bt_exec.observation import Situation
from bt_exec.pack import Catalogue, PassContext, find_pack, pack_names
from bt_exec.planning.compiler import compiler_names, find_compiler
from bt_exec.site.shipped_data import site_names
from bt_exec.site.site import load_site
from bt_exec.skill import Condition
from bt_exec.spec.dump import dump_json, dump_yaml
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Check, Mission, MissionSpec, Tree, walk
from bt_exec.testing import check_pack
from bt_exec.verify import verify_library
from tests.cases import some

PACKS = [find_pack(name) for name in pack_names()]
SITES = site_names()


def messages_of(pack):
    from bt_exec.language.messages import OWN_MESSAGES

    return Messages.load([OWN_MESSAGES, *([pack.messages] if pack.messages else [])])


def library_of(pack):
    return Library.load([pack.trees] if pack.trees else [])


def choices(hint):
    """Return the values of a Literal, or one placeholder."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return get_args(hint) if get_origin(hint) is Literal else ("something",)


def skip_reasons(condition):
    """Return every skip reason of a condition."""
    names = list(condition.arguments)
    for values in itertools.product(*(choices(condition.arguments[name]) for name in names)):
        yield condition.skip_reason.format(**dict(zip(names, values, strict=True)))


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
class TestPack:
    def test_declarations_are_valid(self, pack):
        check_pack(pack, messages_of(pack))

    def test_every_code_of_a_tree_has_a_sentence(self, pack):
        messages = messages_of(pack)
        for tree in library_of(pack):
            for node in walk(tree.root):
                if isinstance(node, Check) and node.code:
                    assert node.code in messages, f"{tree.tree}: {node.code}"

    def test_every_skip_reason_has_a_sentence(self, pack):
        messages = messages_of(pack)
        for condition in pack.conditions:
            if isinstance(condition, Condition) and condition.skip_reason:
                for reason in skip_reasons(condition):
                    assert reason in messages, f"{condition.name}: {reason!r}"

    def test_sentences_exist_in_every_language(self, pack):
        """Only an answer may be empty: the reporter of the pack gives it."""
        messages = messages_of(pack)
        for code in messages.codes():
            said = [messages.say(code, language) for language in LANGUAGES]
            assert code not in said
            assert "" not in said or (code.startswith("told ") and not any(said))

    def test_trees_of_packs_pass_verification(self, pack):
        assert verify_library(library_of(pack), Catalogue([pack])) == ()

    def test_trees_survive_a_round_trip(self, pack):
        for tree in library_of(pack):
            assert load_text(dump_yaml(tree)).document == tree
            assert load_text(dump_json(tree)).document == tree

    def test_trees_have_utterances_in_every_language(self, pack):
        """A tree with utterances has them in Korean and in English."""
        from bt_exec.language.messages import language_of

        for tree in library_of(pack):
            if tree.utterances:
                assert {language_of(text) for text in tree.utterances} == set(LANGUAGES), tree.tree

    def test_passes_are_pure_and_idempotent(self, pack):
        library = library_of(pack)
        for tree, labels in itertools.product(library, [(), ("door",), ("door", "door-handle")]):
            if any(param.required for param in tree.params.values()):
                continue
            header = Mission(command=(tree.utterances or ("",))[0])
            spec = expand(MissionSpec(mission=header, root=Tree(tree=tree.tree)), library)
            context = PassContext(Situation(labels), pack.settings(), header.command)
            for step in pack.passes:
                before = dump_yaml(spec)
                once, changes = step.apply(spec, context)
                assert dump_yaml(spec) == before, f"{step.name} changed its input"
                assert bool(changes) == (once != spec), f"{step.name} says what it changed"
                twice, again = step.apply(once, context)
                assert (twice, again) == (once, ()), f"{step.name} is idempotent"


def test_registered_parts_are_not_empty():
    """Some packs have trees, codes and reasons, so that the loops above test something."""
    assert {"door", "reporter"} <= {pack.name for pack in PACKS}
    trees = some(tree for pack in PACKS for tree in library_of(pack))
    nodes = [node for tree in trees for node in walk(tree.root)]
    some(node.code for node in nodes if isinstance(node, Check) and node.code)
    some(text for tree in trees for text in tree.utterances)
    some(tree for tree in trees if not any(param.required for param in tree.params.values()))
    conditions = [one for pack in PACKS for one in pack.conditions if isinstance(one, Condition)]
    some(reason for one in conditions if one.skip_reason for reason in skip_reasons(one))
    some(SITES)


@pytest.mark.parametrize("name", SITES)
def test_every_site_loads(name):
    site = load_site(name)
    assert site.name == name
    assert site.summary


def test_offline_compiler_is_found():
    assert "offline" in compiler_names()
    assert find_compiler("offline", {}).name == "offline"


def test_skip_reasons_have_valid_codes():
    assert code_of_reason("already open") == "ALREADY_OPEN"


def test_two_trees_with_the_same_name_are_refused(tmp_path):
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t.yaml").write_text("tree: same\nroot: {do: a}\n")
    with pytest.raises(SpecError, match=r"tree 'same' is already defined in .*a/t\.yaml"):
        Library.load([tmp_path / "a", tmp_path / "b"])
