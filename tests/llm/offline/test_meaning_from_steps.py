"""The meaning of a command: acts with typed roles, polarity, condition and mood."""

from __future__ import annotations

from bt_exec.language.meaning import Meaning


def _read(compilers, request_on, site, command) -> Meaning:
    found = compilers[site].read(request_on(site, command))
    assert isinstance(found, Meaning)
    return found


def test_acts_have_typed_roles(compilers, request_on):
    meaning = _read(compilers, request_on, "door", "open the door with your left arm")
    (act,) = meaning.acts
    assert [(role.role, role.value) for role in act.roles] == [
        ("theme", "door"),
        ("instrument", "left"),
    ]
    assert (act.mood, act.positive, act.condition) == ("do", True, None)


def test_condition_has_the_roles_of_its_question(compilers, request_on):
    meaning = _read(compilers, request_on, "door", "문이 열려 있으면 닫아")
    condition = meaning.acts[0].condition
    assert condition is not None
    assert condition.holds
    assert [(role.role, role.value) for role in condition.act.roles] == [
        ("theme", "door"),
        ("state", "open"),
    ]


def test_meaning_contains_the_antecedent_of_a_pronoun(compilers, request_on):
    meaning = _read(compilers, request_on, "door", "if you can see the material, grab it")
    assert "material" in [role.value for role in meaning.acts[0].roles]


def test_message_is_a_single_text_role(compilers, request_on):
    meaning = _read(compilers, request_on, "building", "교수님께 내일 회의가 없다고 전해 줘")
    assert meaning.acts[0].values("Message") == ("내일 회의가 없다",)
