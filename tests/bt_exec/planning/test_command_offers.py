"""Offers of corrected commands, over a compiler that follows a few fixed texts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bt_exec.failure import Failure, Refusal
from bt_exec.language.meaning import Meaning, Unclear
from bt_exec.pack import Catalogue
from bt_exec.planning.command_offers import CommandOffers
from bt_exec.planning.compiler import Plan, Reply, Request
from bt_exec.site.site import catalogue_messages
from bt_exec.spec.library import Library
from bt_exec.spec.model import Mission, MissionSpec, Tree

REFUSED = Refusal("UNKNOWN_WORD", "I do not know “opne”.", missing=("opne",))
ASKS = Refusal("WHICH_ONE", "Which one?", question="Which one?")
SHUT = Refusal("NOT_POSSIBLE", "The roof does not open.")


def plan(command: str) -> Plan:
    mission = Mission(command=command, compiler="fixed")
    return Plan(MissionSpec(mission=mission, root=Tree(tree="open")))


class Fixed:
    """Compiler with fixed answers, corrections and shortened commands."""

    name = "fixed"
    reads_alone = True

    def __init__(self, answers, intended, shortened=()):
        self.answers = answers
        self.intended = intended
        self.shortened = shortened
        self.asked: list[str] = []

    def compile(self, request):
        self.asked.append(request.command)
        return self.answers.get(request.command, REFUSED)

    def read(self, request):
        known = request.command in self.answers
        return Meaning(request.language, ()) if known else Unclear("UNKNOWN_WORD")

    def intended_texts(self, request):
        assert request.command == "opne it"
        yield from self.intended

    def shortened_texts(self, request):
        assert request.command == "opne it"
        yield from self.shortened


@pytest.fixture
def request_of():
    catalogue = Catalogue([])
    messages = catalogue_messages(catalogue)

    def request_of(command, language="en"):
        return Request(command, language, catalogue, Library([]), messages)

    return request_of


@pytest.mark.parametrize("followed", [plan("open it"), Reply("COURTESY", "Hello."), ASKS])
def test_nearest_correction_that_is_understood_is_offered(followed, request_of):
    fixed = Fixed({"oven it": SHUT, "open it": followed}, ["oven it", "open it", "one it"])
    answer = CommandOffers(fixed).compile(request_of("opne it"))
    assert (answer.code, answer.missing) == (REFUSED.code, REFUSED.missing)
    assert answer.did_you_mean == ("open it",)
    assert answer.message == answer.question == "Did you mean “open it”?"
    assert fixed.asked == ["opne it", "oven it", "open it"]


def test_offer_is_in_the_language_of_the_command(request_of):
    fixed = Fixed({"open it": plan("open it")}, ["open it"])
    answer = CommandOffers(fixed).compile(request_of("opne it", "ko"))
    assert answer.question == "“open it”라고 말씀하신 건가요?"


@pytest.mark.parametrize("intended", [[], ["oven it"]])
def test_refusal_stays_if_no_correction_is_understood(intended, request_of):
    answer = CommandOffers(Fixed({"oven it": SHUT}, intended)).compile(request_of("opne it"))
    assert answer is REFUSED


def test_shortened_command_is_offered_if_no_correction_is_understood(request_of):
    fixed = Fixed({"oven it": SHUT, "it": plan("it")}, ["oven it"], ["one it", "it"])
    answer = CommandOffers(fixed).compile(request_of("opne it"))
    assert (answer.code, answer.did_you_mean) == (REFUSED.code, ("it",))
    assert answer.message == answer.question
    assert answer.question == "I did not understand every word. Did you mean “it”?"
    korean = CommandOffers(fixed).compile(request_of("opne it", "ko"))
    assert korean.question == "다 알아듣지 못했습니다. “it”라고 말씀하신 건가요?"


@pytest.mark.parametrize("followed", [Reply("COURTESY", "Hello."), ASKS])
def test_shortened_command_is_offered_only_if_it_gives_a_plan(followed, request_of):
    fixed = Fixed({"it": followed}, [], ["it"])
    assert CommandOffers(fixed).compile(request_of("opne it")) is REFUSED


def test_refusal_with_a_question_is_not_replaced_by_a_shortened_command(request_of):
    fixed = Fixed({"opne it": ASKS, "it": plan("it")}, [], ["it"])
    assert CommandOffers(fixed).compile(request_of("opne it")) is ASKS


def test_only_a_few_shortened_commands_are_compiled(request_of):
    fixed = Fixed({"z": plan("z")}, [], ["w", "x", "y", "z"])
    assert CommandOffers(fixed).compile(request_of("opne it")) is REFUSED
    assert fixed.asked == ["opne it", "w", "x", "y"]


def test_refusal_that_already_offers_commands_is_kept(request_of):
    choice = Refusal("CHOICE", "This or that?", did_you_mean=("this", "that"))
    fixed = Fixed({"opne it": choice, "open it": plan("open it")}, ["open it"])
    assert CommandOffers(fixed).compile(request_of("opne it")) is choice


@pytest.mark.parametrize("answer", [plan("opne it"), Reply("COURTESY", "Hello.")])
def test_understood_command_is_not_corrected(answer, request_of):
    fixed = Fixed({"opne it": answer, "open it": plan("open it")}, ["open it"])
    assert CommandOffers(fixed).compile(request_of("opne it")) is answer
    assert fixed.asked == ["opne it"]


def test_failed_mission_is_not_planned_again_for_another_command(request_of):
    fixed = Fixed({"open it": plan("open it")}, ["open it"])
    request = replace(request_of("opne it"), failure=Failure("FELL", "", "root"))
    assert CommandOffers(fixed).compile(request) is REFUSED


def test_reading_and_properties_are_delegated_to_the_inner_compiler(request_of):
    offers = CommandOffers(Fixed({}, ["open it"]))
    assert offers.read(request_of("opne it")) == Unclear("UNKNOWN_WORD")
    assert (offers.name, offers.reads_alone, offers.needs_observation) == ("fixed", True, False)
