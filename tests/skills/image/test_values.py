"""Values in pictures: prices, totals and dates; sizes and distances; codes."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec_skills.image.perception.attributes import object_height_or_side
from bt_exec_skills.image.perception.bar_chart import Bar, bar_value, bars_among
from bt_exec_skills.image.perception.barcodes import read_codes
from bt_exec_skills.image.perception.colour_segmentation import segment_colour
from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.image.perception.loanword_matching import sounds_like
from bt_exec_skills.image.perception.written_values import (
    group_into_rows,
    parse_amounts,
    written_value,
)
from bt_exec_skills.image.rules.program_from_steps import build_program
from bt_exec_skills.image.rules.program_run_check import check_program
from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_reader import read_question
from bt_exec_skills.image.skills.answer_recomputation import repeat_on_other_picture
from bt_exec_skills.image.workbench import Bench
from tests.skills.image.asking import ask, bench_of
from tests.skills.image.values import chart, page, with_ean13, with_qr

RED, BLUE, GREEN = (205, 35, 35), (35, 65, 200), (40, 150, 55)


def lines(*rows):
    """Return recognised lines: a row of texts from left to right."""
    return [
        Instance(text, (x := 10 + 200 * column, 40 * row, x + 180, 40 * row + 24), 0.99, "text")
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts if isinstance(texts, tuple) else (texts,))
    ]  # fmt: skip


RECEIPT = lines(
    "Corner Shop", "Date: 2026-11-20", ("Cherry pie", "4.50"), ("Coffee", "3.00"),
    ("Tomatoes", "2.25"), ("Subtotal", "9.75"), ("VAT 10%", "0.98"), ("TOTAL", "10.73"),
    ("Cash", "20.00"), ("Change", "9.27"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("4.50", [4.5]), ("₩12,000", [12000]), ("3.000,00 €", [3000]), ("12,000원", [12000]),
        ("$1,234.50", [1234.5]), ("2 x 3.00 6.00", [2, 3, 6]), ("VAT 10%", []), ("Table", []),
        ("2026-11-20", []), ("12:30", []), ("A4", []), ("3,5", [3.5]), ("5 USD", [5]),
    ],
)  # fmt: skip
def test_amounts_are_parsed_with_their_separators(text, amounts):
    assert parse_amounts(text) == amounts


@given(st.integers(0, 10**8), st.sampled_from(["{:,.2f}", "{:.2f}", "₩{:,.2f}", "{:,.2f} €"]))
def test_written_amount_is_parsed_to_the_same_amount(cents, form):
    assert parse_amounts(form.format(cents / 100)) == [cents / 100]


@pytest.mark.parametrize(
    ("wanted", "names", "value"),
    [
        ("price", ["cherry"], 4.5), ("price", ["coffee", "커피"], 3.0), ("price", ["tomato"], 2.25),
        ("price", ["tea"], None), ("price", ["cherr"], None), ("total", (), 10.73),
        ("date", (), "2026-11-20"),
    ],
)  # fmt: skip
def test_receipt_gives_prices_total_and_date(wanted, names, value):
    found = written_value(RECEIPT, wanted, names)
    assert found.value == value
    assert (found.sure > 0.9) == (value is not None)


@pytest.mark.parametrize(
    ("names", "value"),
    [([["cherry"], ["coffee"]], 7.5), ([["cherry"], ["tea"]], None), ([["tea"], ["cherry"]], None)],
)
def test_prices_of_several_articles_are_added(names, value):
    found = written_value(RECEIPT, "price", *names)
    assert (found.value, found.sure > 0.9) == (value, value is not None)


def test_article_count_is_confident_if_the_prices_sum_to_the_total():
    found = written_value(RECEIPT, "articles")
    assert (found.value, found.sure > 0.9) == (3, True)
    unsure = written_value(lines(("Bread", "2.00"), ("Milk", "1.50")), "articles")
    assert (unsure.value, unsure.sure) == (2, 0.5)
    assert written_value(lines("Hello"), "articles").value is None


def test_total_that_differs_from_the_sum_of_prices_is_uncertain():
    wrong = lines(("Bread", "2.00"), ("Milk", "1.50"), ("Total", "4.50"))
    found = written_value(wrong, "total")
    assert (found.value, found.adds_up, found.sure <= 0.65) == (4.5, False, True)


def test_articles_are_added_up_without_a_written_total():
    found = written_value(lines(("Bread", "2.00"), ("Milk", "1.50")), "total")
    assert (found.value, found.adds_up, found.sure <= 0.65) == (3.5, None, True)
    assert written_value(lines("Hello", "World"), "total").value is None


def test_row_that_does_not_end_with_an_amount_is_not_an_article():
    address = [*lines("GREEN MARKET", "12 Main Street"), *RECEIPT[2:8]]
    assert written_value(address, "dearest").value == "Cherry pie"
    assert written_value(address, "articles").value == 3


@pytest.mark.parametrize(
    ("wanted", "names", "value"),
    [
        ("dearer", (["coffee"], ["cherry pie"]), False),
        ("cheaper", (["coffee"], ["cherry pie"]), True),
        ("difference", (["cherry pie"], ["coffee"]), 1.5),
        ("gap", (["coffee"], ["cherry pie"]), 1.5),
        ("cheapest", (["coffee"], ["cherry pie"]), "Coffee"),
        ("price", (["coffee"], ["coffee"], ["tomato"]), 8.25),
        ("dearer", (["coffee"], ["wine"]), None),
    ],
)
def test_prices_of_articles_are_compared(wanted, names, value):
    assert written_value(RECEIPT, wanted, *names).value == value


TICKETS = lines("Ticket prices", ("Adult", "15"), ("Child", "8"), ("Lemonade", "3"))


def test_article_is_found_although_part_of_its_name_is_only_in_the_heading():
    assert written_value(TICKETS, "price", ["child ticket"]).value == 8
    assert written_value(TICKETS, "price", ["dog ticket"]).value is None


def test_cheapest_of_a_group_is_uncertain_unless_the_heading_names_it():
    assert written_value(TICKETS, "dearest", ["ticket"]).sure > 0.9
    assert written_value(TICKETS, "dearest", ["drink"]).sure <= 0.5


def test_korean_loanword_selects_the_article_with_the_same_sound():
    assert written_value(TICKETS, "price", ["레모네이드"]).value == 3
    assert written_value(TICKETS, "price", ["레모네이드"]).sure <= 0.7
    assert written_value(TICKETS, "price", ["커피"]).value is None


@pytest.mark.parametrize(
    ("korean", "english", "alike"),
    [
        ("치즈케이크", "Cheesecake", True), ("모카", "Mocha", True),
        ("초콜릿", "Hot chocolate", True), ("카페라떼", "Cafe Latte", True),
        ("햄버거", "Hamburger", True), ("커피", "Latte", False),
        ("라떼", "Total", False), ("차", "Tea", False), ("latte", "Latte", False),
    ],
)  # fmt: skip
def test_loanwords_are_compared_by_their_consonants(korean, english, alike):
    assert sounds_like(korean, english) is alike


def test_price_in_a_row_of_several_amounts_is_uncertain():
    found = written_value(lines(("Bread", "2", "4.00")), "price", ["bread"])
    assert (found.value, found.sure) == (4.0, 0.5)


@pytest.mark.parametrize(
    ("text", "day", "sure"),
    [
        ("2026. 11. 23", "2026-11-23", True), ("2026년 11월 23일", "2026-11-23", True),
        ("23.11.2026", "2026-11-23", True), ("23/11/202614:32", "2026-11-23", True),
        ("23/11/20261", None, False), ("11/23/2026", "2026-11-23", True),
        ("Nov 23, 2026", "2026-11-23", True), ("23rd November 2026", "2026-11-23", True),
        ("03/04/2026", "2026-04-03", False), ("31.02.2026", None, False), ("1234", None, False),
    ],
)  # fmt: skip
def test_dates_are_parsed_and_an_ambiguous_order_is_uncertain(text, day, sure):
    found = written_value(lines(text), "date")
    assert (found.value, found.sure > 0.9) == (day, sure)


def test_text_lines_at_the_same_height_form_one_row():
    assert [one.text for one in group_into_rows(RECEIPT)][2:4] == ["Cherry pie 4.50", "Coffee 3.00"]
    assert group_into_rows([]) == []


@pytest.fixture
def shapes():
    found = np.full((300, 500, 3), 235, np.uint8)
    cv2.circle(found, (100, 150), 40, RED, -1)
    cv2.rectangle(found, (300, 100), (399, 199), BLUE, -1)
    return found


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("How wide is the blue square?", 100, "px wide"),
        ("파란 정사각형의 높이는 얼마야?", 100, "px"),
        ("What is the area of the blue square?", 10_000, "px²"),
        ("How far apart are the red circle and the blue square?", 249.5, "px apart"),
        ("How far apart are the two shapes?", 249.5, "px apart"),
        ("두 도형 사이의 거리가 얼마야?", 249.5, "px"),
        ("The blue square is 10 cm wide. How wide is the red circle?", 8.1, "cm wide"),
        (
            "How far is the red circle from the blue square if the blue square is 10 cm wide?",
            24.95,
            "cm apart",
        ),
        ("파란 정사각형의 너비가 10 cm라면 빨간 원의 넓이는 얼마야?", 50.3, "cm²"),
    ],
)  # fmt: skip
def test_sizes_are_measured_in_pixels_or_to_scale(shapes, text, value, unit):
    answer = ask(bench_of(shapes), text)
    assert answer.value == pytest.approx(value, rel=0.03)
    assert unit in answer.text
    assert 0.8 <= answer.confidence <= 0.9


def test_measurement_can_be_repeated_on_another_picture(shapes):
    bench = bench_of(shapes)
    ask(bench, "How wide is the blue square?")
    smaller = cv2.resize(shapes, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    assert repeat_on_other_picture(bench, smaller).value == pytest.approx(50, rel=0.03)


@pytest.mark.parametrize(
    "text",
    [
        "How wide is the circle?",
        "How far apart are the red circle and the green square?",
        "How far apart are the two shapes?",
        "How wide is the red circle if the green square is 5 cm wide?",
    ],
)
def test_measurement_of_one_of_several_objects_is_uncertain(shapes, text):
    cv2.circle(shapes, (240, 240), 30, RED, -1)
    answer = ask(bench_of(shapes), text)
    assert answer.confidence <= 0.5


@pytest.mark.slow
def test_qr_and_bar_codes_are_read_and_their_absence_is_uncertain():
    picture = with_qr(page(), "https://example.org/한글 7", 60, 40)
    with_qr(picture, "second", 380, 60)
    with_ean13(picture, "4006381333931", 80, 260)
    bench = bench_of(picture)
    answer = ask(bench, "What do the QR codes say?")
    assert sorted(answer.value) == ["https://example.org/한글 7", "second"]
    assert answer.confidence > 0.8
    assert ask(bench, "바코드 읽어 줘").value == ["4006381333931"]
    assert ask(bench, "How many QR codes are there?").value == 2
    assert ask(bench, "Is there a barcode or a QR code?").value is True
    assert ask(bench, "How many codes are there?").value == 3
    none = ask(bench_of(page("Hello")), "QR 코드가 있어?")
    assert (none.value, none.confidence <= 0.6) == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        "The blue square is 10 cm wide. How wide is the red circle?",
        pytest.param("How far is the red circle from the blue square?", marks=pytest.mark.slow),
        pytest.param("What does the QR code say?", marks=pytest.mark.slow),
    ],
)
def test_generated_program_returns_the_same_value(shapes, tmp_path, text):
    with_qr(shapes, "seven", 180, 20, module=3)
    bench = Bench(tmp_path / "picture.png")
    cv2.imwrite(str(bench.file), shapes[..., ::-1])
    answer = ask(bench, text)
    checked = check_program(bench, build_program(bench, text), "en", trusted=True)
    assert (checked.agrees, checked.found) == (True, answer.value)


def marks(**changed):
    """Return the regions of three bars and a disc, and the lines of an axis from 0 to 100."""
    picture = chart((40, 75, 10), (RED, BLUE, GREEN))
    cv2.circle(picture, (560, 60), 30, RED, -1)
    ticks = {380 - 3 * tick: str(tick) for tick in range(0, 101, 20)} | changed
    said = [Instance(text, (30, row - 9, 80, row + 9), 0.99, "text") for row, text in ticks.items()]
    said += [Instance("AA", (150, 400, 200, 425), 0.99, "text")]
    return segment_colour(picture), said


def test_bar_has_the_value_of_its_upper_edge():
    regions, said = marks()
    bars = bars_among(regions)
    assert [one.label for one in bars] == ["red", "blue", "green"]
    values = [bar_value([one], regions, said).value for one in bars]
    assert values == pytest.approx([40, 75, 10], abs=1)
    assert bar_value(regions, regions, said, ["aa"]).value == pytest.approx(40, abs=1)
    assert [bar_value([one], regions, said).label for one in bars] == ["AA", "", ""]
    assert bar_value(regions, regions, said) == Bar(None, 3)
    assert bar_value(bars[:1], regions, said[:2]).value is None


def turned(one, size=(460, 640)):
    """Return an instance of a chart that was mirrored about its anti-diagonal."""
    x1, y1, x2, y2 = one.bbox
    box = size[0] - y2, size[1] - x2, size[0] - y1, size[1] - x1
    return Instance(one.label, box, one.score, one.source)


def test_horizontal_bar_has_the_value_of_its_right_end():
    said = [turned(one) for one in marks()[1]]
    upright = chart((40, 75, 10), (RED, BLUE, GREEN))
    regions = segment_colour(cv2.flip(cv2.rotate(upright, cv2.ROTATE_90_CLOCKWISE), 0))
    bars = bars_among(regions)
    assert [one.label for one in bars] == ["green", "blue", "red"]
    values = [bar_value([one], regions, said).value for one in bars]
    assert values == pytest.approx([10, 75, 40], abs=1)
    assert bar_value(regions, regions, said, ["aa"]).value == pytest.approx(40, abs=1)
    high = [object_height_or_side(one, upright=True) for one in bars]
    assert high[1] > high[2] > high[0]


def test_nonlinear_axis_gives_no_value():
    regions, _ = marks()
    said = [
        Instance(str(10**n), (30, 371 - 60 * n, 80, 389 - 60 * n), 0.99, "text") for n in range(5)
    ]
    assert bar_value(bars_among(regions)[:1], regions, said).value is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("What is the value of the blue bar?", 75), ("빨간 막대의 값은 얼마야?", 40),
        ("What is the value of CC?", 10), ("What is the value of the biggest bar?", 75),
        ("What is the value of the AA bar?", 40), ("How high is the red bar?", 40),
    ],
)  # fmt: skip
def test_values_of_a_chart_are_read(text, value):
    pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
    answer = ask(bench_of(chart((40, 75, 10), (RED, BLUE, GREEN))), text)
    assert answer.value == pytest.approx(value, abs=1)
    assert answer.confidence > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("text", ["Which bar is the tallest?", "어느 막대가 가장 높아?"])
def test_bar_is_named_by_the_text_below_it(tmp_path, text):
    pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
    bench = Bench(tmp_path / "chart.png")
    cv2.imwrite(str(bench.file), chart((40, 75, 10), (RED, BLUE, GREEN))[..., ::-1])
    answer = ask(bench, text)
    assert answer.value == "BB"
    assert "BB (75" in answer.text
    assert check_program(bench, build_program(bench, text), "en", trusted=True).found == "BB"


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0, 12])
def test_code_in_a_large_photograph_is_read(noise):
    picture = with_qr(np.full((3000, 4000, 3), 200, np.uint8), "big", 1500, 1200, module=14)
    if noise:
        rng = np.random.default_rng(1)
        picture = np.clip(picture + rng.normal(0, noise, picture.shape), 0, 255).astype(np.uint8)
    (found,) = read_codes(picture)
    assert found.label == "big"
    assert np.allclose(found.bbox, (1528, 1228, 1794, 1794 - 300), atol=60)


@pytest.mark.slow  # the cases above do not need the text recogniser
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("What is the price of the coffee?", 3.0), ("How much is the tomato?", 2.25),
        ("커피 얼마야?", 3.0), ("합계가 얼마야?", 9.75), ("What is the date?", "2026-11-20"),
    ],
)  # fmt: skip
def test_prices_and_dates_are_read_from_a_picture(text, value):
    pytest.importorskip("rapidocr", reason="the extra ocr is not installed")
    shown = page(
        "Date: 2026-11-20", ("Cherry", "4.50"), ("Coffee", "3.00"), ("Tomato", "2.25"),
        ("Total", "9.75"),
    )  # fmt: skip
    answer = ask(bench_of(shown), text)
    assert answer.value == value
    assert (answer.confidence > 0.8) == (value is not None)


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("What is the total on the receipt?", "value", "total"),
        ("영수증 합계가 얼마야?", "value", "total"), ("총 금액 알려 줘", "value", "total"),
        ("How much is the coffee on this menu?", "value", "price"),
        ("메뉴판에서 커피는 얼마야?", "value", "price"), ("What date is on it?", "value", "date"),
        ("영수증 날짜 알려 줘", "value", "date"), ("How tall is the cup?", "measure", "height"),
        ("컵의 높이가 몇 픽셀이야?", "measure", "height"),
        ("가장 큰 원의 넓이는?", "measure", "area"),
        ("컵은 접시에서 얼마나 떨어져 있어?", "measure", "distance"),
        ("컵에서 접시까지 거리가 얼마야?", "measure", "distance"),
        ("How many items were bought?", "value", "articles"),
        ("품목이 몇 개야?", "value", "articles"), ("다 합치면 얼마야?", "value", "total"),
        ("How much do the egg and the coffee cost together?", "value", "price"),
        ("물하고 커피 합치면 얼마야?", "value", "price"), ("언제 산 거야?", "value", "date"),
        ("커피 두 잔이랑 물 하나 시키면 얼마야?", "value", "price"),
        ("물 세 병하고 커피 한 잔은 얼마예요?", "value", "price"),
        ("커피 두 잔에 얼마야?", "value", "price"),
        ("커피 세 잔이면 얼마예요?", "value", "price"),
        ("How much for two coffees and an egg?", "value", "price"),
        ("Is coffee more expensive than water?", "value", "dearer"),
        ("커피랑 물 값 차이가 얼마야?", "value", "gap"),
        ("What is the price difference between coffee and water?", "value", "gap"),
        ("제일 비싼 메뉴가 뭐야?", "value", "dearest"),
    ],
)  # fmt: skip
def test_question_about_a_value_is_parsed(text, kind, what):
    found = read_question(text)
    assert found.kind == kind
    assert (found.written if kind == "value" else found.extent) == what


@pytest.mark.parametrize(
    "text",
    [
        "How far apart are the cup and the plate in cm?",
        "파란 사각형의 너비가 몇 센티야?",
        "How many cups are there if the plate is 5 cm wide?",
        "What colour is the cup if the plate is 5 cm wide?",
        "How wide is the cup if the plate is 0 cm wide?",
    ],
)
def test_unit_without_a_scale_and_scale_without_a_measure_are_refused(text):
    with pytest.raises(UnanswerableQuestion):
        read_question(text)
