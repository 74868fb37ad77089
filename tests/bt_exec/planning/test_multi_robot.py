"""Commands to several robots of one pack: one plan with a part for each robot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bt_exec.failure import Refusal
from bt_exec.language.meaning import Act, Context, Meaning, Turn, Unclear
from bt_exec.observation import Situation
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Plan, Reply
from bt_exec.planning.multi_robot import RobotsCompiler
from bt_exec.planning.plan_preparation import prepare_answer
from bt_exec.planning.robot_views import request_for_robot, site_views
from bt_exec.rig import PackSettings
from bt_exec.site.compile_command import first_request
from bt_exec.site.own_parts import load_library
from bt_exec.site.site import Site, catalogue_messages
from bt_exec.spec.model import Do, Mission, MissionSpec, Parallel, Sequence, Tree, walk
from tests.bt_exec.carts import carts


class ByUtterance:
    """Compiler that only knows the utterances of trees."""

    name = "by_utterance"
    reads_alone = True

    def compile(self, request):
        said = request.command.rstrip(".!").casefold()
        if said == "thanks":
            return Reply("COURTESY", "Welcome.")
        meaning = self.read(request)
        if isinstance(meaning, Unclear):
            return Refusal("NOT_UNDERSTOOD", "?", did_you_mean=("Go home.",))
        tree = meaning.acts[0].predicate
        mission = Mission(command=request.command, compiler=self.name, subgoals=(said,))
        return Plan(MissionSpec(mission=mission, root=Tree(tree=tree)), meaning=meaning)

    def read(self, request):
        said = request.command.rstrip(".!").casefold()
        for tree in request.library:
            if said in {text.rstrip(".").casefold() for text in tree.utterances}:
                return Meaning(request.language, (Act(tree.tree),))
        return Unclear("NOT_UNDERSTOOD")


@pytest.fixture
def seen():
    return {}


@pytest.fixture
def request_for(tmp_path, seen):
    """Return the request of a command to a site with two carts."""
    pack = carts(tmp_path, seen)
    catalogue = Catalogue([pack.instance("cart_a"), pack.instance("cart_b")])
    library = load_library(catalogue, ())
    settings = {
        "cart_a": PackSettings(pack="cart", called={"en": ("cart A",), "ko": ("카트 A",)}),
        "cart_b": PackSettings(pack="cart"),
    }
    site = Site(
        "s",
        "",
        tmp_path,
        settings,
        None,
        None,
        None,
        catalogue,
        library,
        catalogue_messages(catalogue, settings),
    )
    facts = {"cart_a/at": "shelf", "cart_b/at": "dock"}
    situation = Situation(("box",), facts, labels_by={"cart_a": ("box",), "cart_b": ()})
    return lambda text, context=(): first_request(site, text, situation, context)


compiler = RobotsCompiler(ByUtterance())


def steps(plan):
    return [node.do for node in walk(plan.root) if isinstance(node, Do)]


def test_part_for_each_robot_uses_the_names_of_that_robot(request_for):
    request = request_for("Cart A, go home, and cart b, fetch the box.")
    answer = compiler.compile(request)
    assert isinstance(answer.spec.root, Parallel)
    assert [node.tree for node in answer.spec.root.parallel] == ["cart_a.go_home", "cart_b.fetch"]
    assert answer.spec.mission.command == request.command
    assert answer.spec.mission.subgoals == ("go home", "fetch the box")
    plan = prepare_answer(answer, request).spec
    assert steps(plan) == ["cart_a.go", "cart_b.go", "cart_b.load", "cart_b.go"]


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("cart A, go home", [Tree]),
        ("카트 A, 집에 가", [Tree]),
        ("cart A, go home. Then cart b, go home.", [Sequence, Tree, Tree]),
        ("cart A, go home. Cart b, go home.", [Parallel, Tree, Tree]),
        ("cart A, go home. Cart A, fetch the box.", [Sequence, Tree, Tree]),
        ("everyone, go home", [Parallel, Tree, Tree]),
    ],
)
def test_parts_are_in_the_order_of_the_command(request_for, command, kinds):
    answer = compiler.compile(request_for(command))
    assert [type(node) for node in walk(answer.spec.root)] == kinds


def test_command_without_a_name_asks_which_robot(request_for):
    refusal = compiler.compile(request_for("Go home."))
    assert refusal.code == "WHICH_ROBOT"
    assert refusal.message == "Which robot: cart A / cart b?"
    assert refusal.did_you_mean == ("cart A, Go home.", "cart b, Go home.")
    assert all(isinstance(compiler.compile(request_for(one)), Plan) for one in refusal.did_you_mean)
    assert (
        compiler.compile(request_for("집에 가.")).message == "카트 A / cart b 중 어느 로봇입니까?"
    )


def test_robot_name_alone_answers_the_question_which_robot(request_for):
    context = Context((Turn("Go home.", "refused", "WHICH_ROBOT"),))
    assert compiler.compile(request_for("cart b", context)).spec.root.tree == "cart_b.go_home"
    assert isinstance(compiler.compile(request_for("cart b")), Refusal)


def test_command_with_a_part_that_is_not_understood_is_refused(request_for):
    refusal = compiler.compile(request_for("cart A, go home, and cart b, dance"))
    assert refusal.code == "NOT_UNDERSTOOD"
    assert refusal.did_you_mean == ("cart b, Go home.",)


def test_reply_to_one_robot_cannot_be_combined_with_a_command(request_for):
    assert isinstance(compiler.compile(request_for("thanks")), Reply)
    assert isinstance(compiler.compile(request_for("cart A, thanks")), Reply)
    refusal = compiler.compile(request_for("cart A, thanks. Cart b, go home."))
    assert refusal.code == "ONE_BY_ONE"


def test_each_act_is_assigned_its_agent(request_for):
    meaning = compiler.read(request_for("cart A, go home. Cart b, fetch the box."))
    assert [(act.agent, act.predicate) for act in meaning.acts] == [
        ("cart_a", "go_home"),
        ("cart_b", "fetch"),
    ]
    assert isinstance(compiler.read(request_for("go home")), Meaning)
    assert isinstance(compiler.read(request_for("dance")), Unclear)


def test_rules_of_a_pack_get_only_the_part_of_their_robot(request_for, seen):
    request = request_for("Cart A, go home, and cart b, fetch the box.")
    seen.clear()
    prepare_answer(compiler.compile(request), request)
    assert seen["checker"] == [(["go"], {"at": "shelf"}), (["go", "load", "go"], {"at": "dock"})]
    assert [[act.agent for act in meaning.acts] for meaning in seen["pass"]] == [
        ["cart_a"],
        ["cart_b"],
    ]


def test_robot_that_is_not_addressed_is_not_used(request_for, seen):
    request = request_for("Cart A, go home.")
    seen.clear()
    plan = prepare_answer(compiler.compile(request), request).spec
    assert steps(plan) == ["cart_a.go"]
    assert len(seen["checker"]) == len(seen["pass"]) == 1


def test_view_of_a_robot_is_a_site_with_only_this_robot(request_for):
    context = Context((Turn("cart A, go home. Cart b, fetch the box."), Turn("go home")))
    view = request_for_robot(request_for("x", context), "cart_b", "y")
    assert view.command == "y"
    assert set(view.library.names()) == {"fetch", "go_home", "wait_here", "pause"}
    assert view.catalogue.skill("load").needs == {"at": "shelf", "load": "empty"}
    assert (view.situation.facts, view.situation.labels) == ({"at": "dock"}, ())
    assert [turn.command for turn in view.context.turns] == ["fetch the box."]


def test_views_cover_every_pack_once(request_for, tmp_path):
    found = list(site_views(request_for("x")))
    assert [sorted(view.library.names()) for view in found] == [
        ["pause"],
        ["fetch", "go_home", "pause", "wait_here"],
    ]
    single = replace(request_for("x"), catalogue=Catalogue([carts(tmp_path)]))
    assert list(site_views(single)) == [single]
