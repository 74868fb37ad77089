"""The page in a real browser: typing, watching, stopping, reloading, Korean and narrow screens.

Any Chromium of the system is used (``apt install chromium``); without one the tests are skipped.
``BT_EXEC_SCREENSHOTS=FOLDER`` saves screenshots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bt_exec.failure import Refusal
from tests.browser import expect, keep_pictures, needs_chromium, watch
from tests.bt_exec.serve.conftest import GATE, Scripted, Seen, Served

pytestmark = [needs_chromium, pytest.mark.sampled]
TOKEN = "a-token-of-some-length"


@pytest.fixture
def visit(browser: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Return a function that opens pages. Errors, foreign requests and dialogs fail the test."""
    contexts, wrong, pages = [], [], []

    def make(served: Served, path: str = "/", **how: Any) -> Any:
        context = browser.new_context(**{"locale": "en-US", **how})
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "response",
            lambda got: wrong.append(f"{got.status} {got.url}") if got.status >= 400 else None,
        )
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        watch(page, served.url, wrong)
        page.goto(served.url + path)
        pages.append(page)
        return page

    yield make
    keep_pictures(pages, request.node.originalname)
    for context in contexts:
        context.close()
    assert wrong == []


def linked(page: Any) -> Any:
    """Wait until the page is connected."""
    expect(page.locator("#link")).to_have_attribute("data-state", "on")
    return page


def test_typed_command_is_run_and_shown(served: Served, visit):
    page = linked(visit(served))
    expect(page.locator("#mission-title")).to_have_text("Nothing is running")
    page.locator("#command").fill("both")
    page.keyboard.press("Enter")
    expect(page.locator("#command")).to_have_value("")
    expect(page.locator("#mission-title")).to_have_text("both")
    rows = page.locator("#tree li")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_have_attribute("data-state", "done")
    expect(rows.nth(1)).to_have_attribute("data-state", "running")
    expect(rows.nth(1)).to_contain_text("waiting at the gate")
    expect(rows.nth(1).locator("progress")).to_have_attribute("value", "0.5")
    expect(page.locator("#goals-title")).to_have_text("1 of 2 subgoals")
    expect(page.locator("#sees")).to_contain_text("sees: cup")
    expect(page.locator("#cameras img")).to_have_js_property("naturalWidth", 64)
    expect(page.locator("#cameras rect")).to_have_count(1)
    expect(page.locator("#cameras svg text")).to_have_text("cup 0.90")
    expect(page).to_have_title("▸ both")
    GATE.set()
    expect(page.locator("#end-head")).to_have_text("✓ done")
    expect(rows.nth(1)).to_have_attribute("data-state", "done")
    expect(page.locator("#stop")).to_be_hidden()
    expect(page.locator("#spoken")).to_contain_text("done.")
    expect(page.locator("#past li")).to_have_count(1)


def test_stop_button_stops_the_mission(served: Served, visit):
    page = linked(visit(served))
    page.locator("#command").fill("hold")
    page.locator("#send").click()
    expect(page.locator("#tree li")).to_have_attribute("data-state", "running")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#end-head")).to_have_text("■ stopped")
    expect(page.locator("#tree li")).to_have_attribute("data-state", "stopped")
    assert served.robot.still
    assert served.journal.missions(1)[0].status == "aborted"


def test_page_loaded_during_a_mission_shows_its_state(served: Served, visit):
    page = linked(visit(served))
    page.locator("#command").fill("both")
    page.keyboard.press("Enter")
    expect(page.locator("#tree li").nth(1)).to_have_attribute("data-state", "running")
    page.reload()
    expect(page.locator("#mission-title")).to_have_text("both")
    expect(page.locator("#tree li").nth(0)).to_have_attribute("data-state", "done")
    expect(page.locator("#tree li").nth(1)).to_have_attribute("data-state", "running")
    other = linked(visit(served))
    GATE.set()
    for one in (page, other):
        expect(one.locator("#end-head")).to_have_text("✓ done")


def test_korean_is_typed_with_an_input_method(served: Served, visit):
    """The Enter key that completes a syllable does not send the command; the next one does."""
    page = linked(visit(served, locale="ko-KR"))
    expect(page.locator("#send")).to_have_text("보내기")
    page.locator("#command").focus()
    keys = page.context.new_cdp_session(page)
    syllable = {"selectionStart": 3, "selectionEnd": 3, "text": "기다려"}
    keys.send("Input.imeSetComposition", syllable)
    enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    keys.send("Input.dispatchKeyEvent", {"type": "keyDown", **enter})
    keys.send("Input.dispatchKeyEvent", {"type": "keyUp", **enter})
    assert served.journal.missions(None) == ()
    keys.send("Input.insertText", {"text": "기다려"})
    expect(page.locator("#command")).to_have_value("기다려")
    page.keyboard.press("Enter")
    expect(page.locator("#mission-title")).to_have_text("기다려")
    expect(page.locator("#stop")).to_have_text("멈추기")
    GATE.set()
    expect(page.locator("#end-head")).to_have_text("✓ 완료")
    assert [line.language for line in served.journal.missions(None)] == ["ko"]


def test_language_can_be_chosen_and_is_kept(served: Served, visit):
    page = linked(visit(served))
    page.locator("#language").select_option("ko")
    expect(page.locator("#past-title")).to_have_text("지난 임무")
    assert page.evaluate("document.documentElement.lang") == "ko"
    page.reload()
    expect(page.locator("#past-title")).to_have_text("지난 임무")


@pytest.mark.slow
def test_page_fits_a_narrow_screen(served: Served, visit):
    size = {"width": 320, "height": 640}
    page = linked(visit(served, viewport=size, color_scheme="dark", has_touch=True))
    page.locator("#command").fill("both")
    page.locator("#send").tap()
    expect(page.locator("#tree li").nth(1)).to_have_attribute("data-state", "running")
    expect(page.locator("#cameras rect")).to_have_count(1)
    for width in (375, 320):
        page.set_viewport_size({**size, "width": width})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for name in ("#command", "#send", "#stop"):
            box = page.locator(name).bounding_box()
            assert box["x"] >= 0, name
            assert box["x"] + box["width"] <= width, name
            assert box["height"] >= 40, name
    page.locator("#stop").tap()
    expect(page.locator("#end-head")).to_have_text("■ stopped")


@pytest.mark.slow
def test_page_is_usable_with_the_keyboard(served: Served, visit):
    """The path from the first key to the reason for a failure needs no mouse."""
    page = linked(visit(served))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.type("crack")
    page.keyboard.press("Enter")
    expect(page.locator("#end-facts")).to_contain_text("SKILL_FAILED")
    expect(page.locator("#tree li").nth(0)).to_contain_text("CRACKED")
    expect(page.locator("#tree li").nth(0)).to_have_attribute("data-state", "failed")
    expect(page.locator("#past li")).to_have_count(1)
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#past') !== null"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#record")).to_be_visible()
    expect(page.locator("#record-cause")).to_contain_text("3 mm")
    expect(page.locator("#record-rows li").nth(0)).to_have_attribute("data-state", "failed")
    page.keyboard.press("Escape")
    expect(page.locator("#record")).to_be_hidden()


@pytest.mark.slow
def test_filter_shows_only_failed_missions(served: Served, visit):
    for command in ("wave", "crack"):
        served.ended(served.send(command))
    page = linked(visit(served))
    expect(page.locator("#past li")).to_have_count(2)
    page.locator("#failed").check()
    expect(page.locator("#past li")).to_have_count(1)
    expect(page.locator("#past li")).to_contain_text("crack")


def test_questions_of_the_session_are_shown(served: Served, visit):
    page = linked(visit(served))
    for button, ends in (("#yes", "✓ done"), ("#no", "↷ refused")):
        page.locator("#command").fill("sure?")
        page.keyboard.press("Enter")
        expect(page.locator("#question")).to_contain_text("Only a model understands this.")
        expect(page.locator("#question-rows li")).to_have_count(1)
        expect(page.locator("#command")).to_be_focused()
        page.locator(button).click()
        expect(page.locator("#end-head")).to_have_text(ends)
        expect(page.locator("#question")).to_be_hidden()


def test_keys_typed_into_a_field_do_not_confirm_a_plan(served: Served, visit):
    page = linked(visit(served))
    page.locator("#command").focus()
    served.send("sure?")
    expect(page.locator("#question")).to_be_visible()
    page.keyboard.type("wave a hand")
    page.keyboard.press("Space")
    expect(page.locator("#command")).to_have_value("wave a hand ")
    expect(page.locator("#yes")).to_be_enabled()
    page.keyboard.type("  ")
    assert served.service.questions.pending is not None
    page.locator("#no").click()
    expect(page.locator("#end-head")).to_have_text("↷ refused")


def test_plan_cannot_be_confirmed_directly_after_it_has_appeared(served: Served, visit):
    page = linked(visit(served))
    page.evaluate(
        "window.seen = []; new MutationObserver(() => window.seen.push("
        "document.getElementById('yes').disabled))"
        ".observe(document.getElementById('yes'), {attributes: true})"
    )
    served.send("sure?")
    expect(page.locator("#question")).to_be_visible()
    expect(page.locator("#yes")).to_be_enabled()
    assert page.evaluate("window.seen") == [True, False]
    page.locator("#yes").click()
    expect(page.locator("#end-head")).to_have_text("✓ done")


def test_plan_of_one_robot_is_not_confirmed_for_another(serve_sites, visit):
    """The other site is unreachable for a while, so that its state is not shown yet."""
    both = serve_sites({"left": "", "right": ""})
    page = linked(visit(both["left"]))
    both["left"].send("sure?")
    expect(page.locator("#question")).to_be_visible()
    expect(page.locator("#yes")).to_be_enabled()
    page.route("**/live", lambda route: None)
    page.locator("#sites button").nth(1).click()
    expect(page.locator("#site")).to_have_text("right")
    expect(page.locator("#question")).to_be_hidden()
    expect(page.locator("#stop")).to_be_hidden()


def test_repeated_clicks_on_stop_never_send_a_command(served: Served, visit):
    """The other buttons keep their places while Stop appears, changes its words and disappears."""
    page = linked(visit(served))
    place = page.locator("#send").bounding_box()
    served.send("hold")
    expect(page.locator("#stop")).to_be_visible()
    assert page.locator("#send").bounding_box() == place
    box = page.locator("#stop").bounding_box()
    page.locator("#command").fill("wave")
    page.mouse.click(box["x"] + 4, box["y"] + 20)
    expect(page.locator("#end-head")).to_have_text("■ stopped")
    for place_x in (4, box["width"] - 4):
        page.mouse.click(box["x"] + place_x, box["y"] + 20)
    assert page.locator("#send").bounding_box() == place
    assert len(served.journal.missions(None)) == 1


def test_click_on_another_button_does_not_resume_a_held_queue(served: Served, visit):
    page = linked(visit(served))
    page.evaluate(
        "window.seen = []; new MutationObserver(() => window.seen.push("
        "document.getElementById('go-on').disabled))"
        ".observe(document.getElementById('go-on'), {attributes: true})"
    )
    served.send("hold")
    served.send("wave")
    page.get_by_role("button", name="Hold the queue").click()
    expect(page.locator("#held")).to_be_visible()
    expect(page.locator("#go-on")).to_be_enabled()
    assert page.evaluate("window.seen") == [True, False]


def test_stop_button_holds_the_queue(served: Served, visit):
    page = linked(visit(served))
    first, second = served.send("hold"), served.send("wave")
    expect(page.locator("#waiting-list li")).to_have_count(1)
    page.locator("#stop").click()
    expect(page.locator("#held")).to_be_visible()
    assert served.ended(first).status == "aborted"
    assert not served.journal.mission_summary(second).begun
    page.get_by_role("button", name="Go on").click()
    assert served.ended(second).status == "satisfied"
    expect(page.locator("#held")).to_be_hidden()


def test_refusal_offers_suggestions(served: Served, visit):
    page = linked(visit(served))
    page.locator("#command").fill("fly")
    page.keyboard.press("Enter")
    expect(page.locator("#end-head")).to_have_text("↷ refused")
    page.get_by_role("button", name="wave").click()
    expect(page.locator("#command")).to_have_value("wave")
    expect(page.locator("#command")).to_be_focused()


@pytest.mark.slow
def test_queued_commands_are_shown_and_can_be_withdrawn(served: Served, visit):
    page = linked(visit(served))
    for command in ("hold", "wave"):
        page.locator("#command").fill(command)
        page.keyboard.press("Enter")
        expect(page.locator("#command")).to_have_value("")
    expect(page.locator("#waiting-list li")).to_have_count(1)
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator("#waiting")).to_be_hidden()
    served.until(lambda: served.journal.missions(1)[0].status == "aborted")


@pytest.mark.slow
def test_full_queue_is_reported_in_a_sentence(serve, visit):
    served = serve(queue=0)
    served.send("hold")
    served.until(lambda: served.service.running_mission is not None)
    page = linked(visit(served))
    page.locator("#command").fill("wave")
    page.evaluate("""() => { window.fetch = ((old) => async (path, how) => how?.method === "POST"
        ? new Response(JSON.stringify({error: {message: "told in a sentence"}}), {status: 409})
        : old(path, how))(window.fetch); }""")  # the browser logs an error for every 409
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_have_text("told in a sentence")
    expect(page.locator("#command")).to_have_value("wave")


def test_external_text_is_never_rendered_as_markup(served: Served, visit):
    page = linked(visit(served))
    evil = "<img src=x onerror=alert(1)>"
    page.locator("#command").fill(evil)
    page.keyboard.press("Enter")
    expect(page.locator("#end-head")).to_have_text("✓ done")
    expect(page.locator("#mission-title")).to_have_text(evil)
    expect(page.locator("#tree li")).to_contain_text("<b>bold</b>")
    assert page.locator("main img, main b, #past img").count() == 0


def test_user_logs_in_on_the_page(serve, visit):
    served = serve(token=TOKEN)
    page = linked(visit(served, f"/#token={TOKEN}"))
    assert TOKEN not in page.url
    page.locator("#command").fill("wave")
    page.keyboard.press("Enter")
    expect(page.locator("#end-head")).to_have_text("✓ done")
    expect(page.locator("#cameras rect")).to_have_count(1)
    page.reload()
    linked(page)
    assert TOKEN not in page.evaluate("document.cookie + JSON.stringify({...localStorage})")


@pytest.mark.slow
def test_map_shows_the_objects_in_the_language_of_the_user(served: Served, visit):
    page = linked(visit(served))
    expect(page.locator("#map-svg .area")).to_have_count(1)
    expect(page.locator("#map-svg .object, #map-svg .holder")).to_have_count(1)
    expect(page.locator("#map-svg .robot")).to_have_count(1)
    expect(page.locator("#map-svg > title")).to_contain_text("Map: kitchen, 1 objects")
    page.locator("#language").select_option("ko")
    expect(page.locator("#map-svg > title")).to_contain_text("지도: kitchen, 물건 1개")


@pytest.mark.slow
def test_suggestion_fills_the_command(served: Served, visit, monkeypatch):
    from bt_exec.serve import map_queue_and_speech_routes

    monkeypatch.setattr(
        map_queue_and_speech_routes, "suggested_commands", lambda *_: ("wave", "hold")
    )
    page = linked(visit(served))
    page.locator("#suggest").get_by_role("button", name="wave").click()
    expect(page.locator("#command")).to_have_value("wave")
    page.keyboard.press("Enter")
    expect(page.locator("#end-head")).to_have_text("✓ done")


@pytest.mark.slow
def test_past_mission_has_a_link_a_scrubber_and_files(served: Served, visit):
    name = served.send("crack")
    served.ended(name)
    page = linked(visit(served, f"/#/missions/{name}"))
    expect(page.locator("#record")).to_be_visible()
    expect(page.locator("#record-svg .robot")).to_have_count(1)
    failed = page.locator("#record-rows [data-state=failed]")
    expect(failed.first).to_be_visible()
    page.locator("#scrub").fill("0")
    expect(failed).to_have_count(0)
    with page.expect_download() as saved:
        page.locator("#export-jsonl").click()
    assert saved.value.suggested_filename == f"{name}.jsonl"
    page.get_by_role("button", name="Run again").click()
    served.until(lambda: len(served.journal.missions(None)) == 2)
    expect(page.locator("#record")).to_be_hidden()
    expect(page).to_have_url(f"{served.url}/")


@pytest.mark.slow
def test_tree_is_folded_and_explained_with_the_keyboard(served: Served, visit):
    served.ended(served.send("crack"))
    page = linked(visit(served))
    row = page.locator("#tree li[data-state=failed]").first
    expect(row).to_have_attribute("aria-level", "2")
    row.focus()
    page.keyboard.press("Enter")
    expect(row.locator(".details")).to_contain_text("the shell is 3 mm thick")
    page.keyboard.press("Enter")
    expect(row.locator(".details")).to_have_count(0)
    page.evaluate("""async () => {
        const { TreeView } = await import("/tree.js");
        const say = { state: (s) => s, language: () => "en" };
        const tree = new TreeView(document.getElementById("end-problems"), say);
        tree.draw([{ kind: "node", depth: 0, path: "a", label: "a", state: "done" },
                   { kind: "node", depth: 1, path: "a/b", label: "b", state: "done" }]);
    }""")
    rows = page.locator("#end-problems li")
    expect(rows).to_have_count(2)
    rows.nth(0).focus()
    page.keyboard.press("ArrowLeft")
    expect(rows).to_have_count(1)
    expect(rows.nth(0)).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("ArrowRight")
    expect(rows).to_have_count(2)


@pytest.mark.slow
def test_queue_is_held_and_reordered(served: Served, visit):
    page = linked(visit(served))
    for command in ("hold", "wave", "crack"):
        served.send(command)
    expect(page.locator("#waiting-list li")).to_have_count(2)
    page.get_by_role("button", name="Earlier: crack").click()
    expect(page.locator("#waiting-list li").nth(0)).to_contain_text("crack")
    page.get_by_role("button", name="Hold the queue").click()
    expect(page.locator("#held")).to_be_visible()
    GATE.set()
    expect(page.locator("#end-head")).to_have_text("✓ done")
    expect(page.locator("#waiting-list li")).to_have_count(2)


def test_mission_is_stopped_while_an_older_one_is_shown(served: Served, visit):
    page = linked(visit(served))
    served.send("wave")
    expect(page.locator("#end-head")).to_have_text("✓ done")
    page.locator("#past li button").first.click()
    expect(page.locator("#record")).to_be_visible()
    expect(page.locator("#record-stop")).to_be_hidden()
    served.send("both")
    page.locator("#record-stop").click()
    expect(page.locator("#end-head")).to_have_text("■ stopped")


@pytest.mark.slow
def test_stop_button_stays_visible_while_scrolling(served: Served, visit):
    page = linked(visit(served, viewport={"width": 360, "height": 500}))
    served.send("both")
    expect(page.locator("#stop")).to_be_visible()
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect(page.locator("#stop")).to_be_in_viewport()


def test_question_is_answered_with_a_button(served: Served, visit, monkeypatch):
    asked = Refusal("WHICH_ONE", "Which one?", ("wave",), question="Which one?")
    compiles = Scripted.compile
    monkeypatch.setattr(
        Scripted, "compile", lambda self, r: asked if r.command == "it" else compiles(self, r)
    )
    page = linked(visit(served))
    page.locator("#command").fill("it")
    page.keyboard.press("Enter")
    page.locator("#end-nearest").get_by_role("button", name="wave").click()
    expect(page.locator("#end-head")).to_have_text("✓ done")
    expect(page.locator("#mission-title")).to_have_text("wave")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_page_has_no_accessibility_violations(served: Served, visit, scheme: str, width: int):
    """The rules of axe-core are checked in every state of the page."""
    module = pytest.importorskip("axe_playwright_python.sync_playwright")
    size = {"width": width, "height": 800}
    page = linked(visit(served, viewport=size, color_scheme=scheme, reduced_motion="reduce"))
    found: dict[str, list[str]] = {}

    def check(state: str) -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        results = module.Axe().run(page).response
        assert len(results["passes"]) > 20
        if results["violations"]:
            found[state] = [
                f"{one['id']}: {one['nodes'][0]['target']}" for one in results["violations"]
            ]

    check("idle")
    served.send("sure?")
    expect(page.locator("#yes")).to_be_enabled()
    check("question")
    page.locator("#no").click()
    expect(page.locator("#end-head")).to_have_text("↷ refused")
    served.send("both")
    served.send("wave")
    expect(page.locator("#waiting-list li")).to_have_count(1)
    expect(page.locator("#map-svg .robot")).to_have_count(1)
    check("running")
    GATE.set()
    served.ended(served.send("crack"))
    expect(page.locator("#end-facts")).to_contain_text("SKILL_FAILED")
    page.locator("#past button").first.click()
    expect(page.locator("#record-map")).to_be_visible()
    check("record")
    assert found == {}


@pytest.mark.slow
def test_past_mission_is_shown_with_its_pictures(serve, visit):
    served = serve(frames=True)
    name = served.send("wave")
    served.ended(name)
    page = linked(visit(served, f"/#/missions/{name}"))
    expect(page.locator("#record-picture")).to_have_js_property("naturalWidth", 64)


@pytest.mark.slow
def test_uncertain_detection_is_drawn_differently(served: Served, visit, monkeypatch):
    record = Seen.record
    boxes = {"cup#1": [30, 20, 50, 40], "object_red_cup_0": [1, 30, 20, 46]}
    monkeypatch.setattr(
        Seen, "record", lambda self: {**record(self), "detections": [], "boxes": boxes}
    )
    page = linked(visit(served))
    served.ended(served.send("wave"))
    expect(page.locator("#cameras rect.unsure")).to_have_count(1)
    expect(page.locator("#cameras svg text").first).to_have_text("cup?")
    expect(page.locator("#cameras svg text").nth(1)).to_have_text("object_red_cup_0")


def test_second_robot_is_selected_and_stopped_separately(serve_sites, visit):
    both = serve_sites({"left": "", "right": ""})
    page = linked(visit(both["left"]))
    tabs = page.locator("#sites button")
    expect(tabs).to_have_count(2)
    page.locator("#command").fill("hold")
    page.keyboard.press("Enter")
    expect(page.locator("#stop")).to_be_visible()
    tabs.nth(1).click()
    expect(page.locator("#site")).to_have_text("right")
    expect(page.locator("#stop")).to_be_hidden()
    expect(tabs.nth(0)).to_contain_text("running")
    page.locator("#command").fill("hold")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#end-head")).to_have_text("■ stopped")
    assert both["left"].service.running_mission is not None
    assert "site=right" in page.url
    page.reload()
    expect(page.locator("#site")).to_have_text("right")


@pytest.mark.slow
def test_only_changed_rows_of_a_large_tree_are_redrawn(served: Served, visit):
    page = linked(visit(served))
    drawn = page.evaluate("""async () => {
        const { TreeView } = await import("/tree.js");
        const list = document.createElement("ol");
        document.body.append(list);
        const tree = new TreeView(list, { state: (s) => s, language: () => "en" });
        const rows = Array.from({ length: 200 }, (_, n) => (
            { kind: "node", depth: n % 4, path: `${n}`, label: `step ${n}`, state: "waiting" }));
        tree.draw(rows);
        const before = [...list.children];
        rows[100] = { ...rows[100], state: "running" };
        tree.draw(rows);
        return [before.length, [...list.children].filter((item) => !before.includes(item)).length];
    }""")
    assert drawn == [200, 1]


@pytest.mark.slow
def test_speech_fills_the_command_without_sending_it(served: Served, visit):
    page = visit(served)
    page.add_init_script("""window.SpeechRecognition = class {
        start() { this.onresult({ results: [[{ transcript: "wave" }]] }); this.onend(); } };""")
    page.reload()
    linked(page)
    page.get_by_role("button", name="Speak").click()
    expect(page.locator("#command")).to_have_value("wave")
    assert served.journal.missions(None) == ()


@pytest.mark.slow
def test_outcome_is_read_aloud_when_enabled(served: Served, visit):
    page = visit(served)
    page.add_init_script("""window.said = []; Object.defineProperty(window, "speechSynthesis",
        { value: { speak: (one) => window.said.push(one.text), cancel: () => {} } });""")
    page.reload()
    linked(page)
    served.ended(served.send("wave"))
    expect(page.locator("#end-head")).to_have_text("✓ done")
    assert page.evaluate("window.said") == []
    page.locator("#aloud").check()
    served.ended(served.send("crack"))
    expect(page.locator("#end-head")).to_have_text("■ blocked")
    page.wait_for_function("window.said.length === 1")
    assert "3 mm" in page.evaluate("window.said")[0]
