"""Display phrases of the parts of packs, and sentences without ids, for every installed site."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from bt_exec.language.korean_errors import korean_error
from bt_exec.language.korean_particles import with_particles
from bt_exec.language.messages import LANGUAGES
from bt_exec.site.site import load_site
from bt_exec.testing.tree_run import scripted_site

SITES = ("door", "building", "tabletop", "image")


@pytest.fixture(scope="module", params=SITES)
def site(request):
    return load_site(request.param)


def _parts(site):
    parts = {**site.catalogue.skills, **site.catalogue.conditions}
    yield from ((name, set(part.arguments)) for name, part in parts.items())
    yield from ((f"tree {tree.tree}", set(tree.params)) for tree in site.library)


def test_every_skill_condition_and_tree_has_a_phrase_in_both_languages(site):
    assert [name for name, _ in _parts(site) if not site.messages.has_phrase(name)] == []


def test_world_settings_are_described_in_korean(site):
    for pack in site.catalogue.packs:
        for name, field in pack.world.model_fields.items():
            said = korean_error(f"{name}: {field.description}")
            assert re.search("[가-힣]", said), (pack.name, name)


def test_sentences_use_the_same_facts_in_both_languages(site):
    for table in (site.messages._sentences, site.messages._phrases):
        for key, said in table.items():
            fields = [
                {field for _, field, _, _ in Formatter().parse(said[language]) if field}
                for language in LANGUAGES
            ]
            assert fields[0] == fields[1], key


def test_phrase_uses_existing_arguments(site):
    for name, known in _parts(site):
        own, key = site.messages._messages_with_phrase(name)
        for template in own._phrases[key].values():
            fields = {field for _, field, _, _ in Formatter().parse(template) if field}
            assert fields <= known, (name, template)


def test_phrase_of_a_result_uses_existing_fields(site):
    for name, skill in site.catalogue.skills.items():
        own, key = site.messages._messages_with_phrase(f"found {name}")
        for template in own._phrases.get(key, {}).values():
            fields = {field for _, field, _, _ in Formatter().parse(template) if field}
            assert fields <= {*skill.arguments, *skill.results}, (name, template)


def test_sentences_contain_no_ids_of_the_site(site):
    """Every sentence is filled with ids of the site, and must not show them."""
    messages = site.messages
    ids = ["professor_office", "corridor_center", "break_room", "restroom_front"]
    for language in LANGUAGES:
        for name in ids if site.name == "building" else ():
            own = messages.of_pack("reporter")
            for code in sorted(own.codes()):
                fields = dict.fromkeys(
                    ("target", "who", "value", "place", "person", "recipient"), name
                )
                said = own.say(code, language, **fields, known=list(ids))
                assert not any(one in said for one in ids), (code, said)
            for part, known in _parts(site):
                said = messages.phrase(part, language, dict.fromkeys(known, name))
                assert name not in said, said


def test_sentences_contain_no_codes_or_part_names(site):
    names = {name.split()[-1] for name, _ in _parts(site) if "_" in name}
    for table in (site.messages._sentences, site.messages._phrases):
        for key, sentences in table.items():
            for said in sentences.values():
                bare = re.sub(r"\{\w+\}", "", said)
                assert not re.search(r"\b[A-Z]{2,}_[A-Z_]+\b", bare), (key, said)
                assert not any(name in bare for name in names), (key, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("라운지(으)로", "라운지로"),
        ("연구실(으)로", "연구실로"),
        ("화장실 앞(으)로", "화장실 앞으로"),
        ("서류을(를)", "서류를"),
        ("우편물을(를)", "우편물을"),
        ("“예”이(라)는", "“예”라는"),
        ("3은(는)", "3은"),
        ("2과(와)", "2와"),
        ("PCB을(를)", "PCB를"),
        ("1(으)로", "1로"),
        ("pen을(를)", "pen을"),
        ("없음", "없음"),
    ],
)
def test_korean_particles_agree_with_the_preceding_sound(text, said):
    assert with_particles(text) == said


def test_part_without_a_phrase_is_described_by_its_name_and_arguments():
    messages = scripted_site([]).messages
    assert messages.phrase("take_cup", "en", {"arm": "left", "speed": 3}) == "take cup left → 3"
    assert not messages.has_phrase("take_cup")
