"""Twenty pictures drawn with Pillow, with other shapes, fonts and layouts than other tests."""

from __future__ import annotations

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from tests.skills.image.values import with_ean13, with_qr

RED, GREEN, BLUE, YELLOW = "#c62828", "#2e7d32", "#1e40af", "#f5d020"
PURPLE, ORANGE, BLACK, BROWN = "#7b1fa2", "#ef7c00", "#141414", "#6d4020"


class Sheet:
    """Picture to draw on."""

    def __init__(self, size=(640, 480), ground="#f2efe9"):
        self.image = Image.new("RGB", size, ground)
        self.draw = ImageDraw.Draw(self.image)

    def disc(self, x, y, r, colour):
        self.draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)

    def ring(self, x, y, r, colour):
        self.draw.ellipse((x - r, y - r, x + r, y + r), outline=colour, width=8)

    def block(self, x, y, w, h, colour):
        self.draw.rectangle((x, y, x + w - 1, y + h - 1), fill=colour)

    def wedge(self, x, y, r, colour):
        self.draw.regular_polygon((x, y, r), 3, fill=colour)

    def text(self, x, y, said, size=28, colour="#202020"):
        self.draw.text((x, y), said, fill=colour, font=ImageFont.load_default(size))

    def rows(self, *rows, x=50, right=430, top=40, step=46):
        for number, row in enumerate(rows):
            parts = row if isinstance(row, tuple) else (row,)
            for said, place in zip(parts, (x, right), strict=False):
                self.text(place, top + step * number, said)

    def pixels(self):
        return np.array(self.image)


def buttons():
    sheet = Sheet()
    for number, colour in enumerate((RED, RED, BLUE, GREEN, RED, YELLOW)):
        sheet.disc(90 + 110 * (number % 5), 120 + 200 * (number // 5), 32 + 6 * number, colour)
    return sheet.pixels()


def flags():
    sheet = Sheet(ground="#ffffff")
    for number, colour in enumerate((BLUE, ORANGE, BLUE, PURPLE)):
        sheet.block(40 + 150 * number, 160, 120, 70, colour)
    return sheet.pixels()


def signs():
    sheet = Sheet(ground="#cfd8dc")
    sheet.wedge(120, 140, 60, RED)
    sheet.wedge(320, 140, 60, YELLOW)
    sheet.wedge(520, 330, 70, RED)
    sheet.disc(150, 350, 55, BLUE)
    return sheet.pixels()


def dark_board():
    sheet = Sheet(ground="#1b1b1f")
    for x, y, colour in ((100, 100, "#e53935"), (300, 220, "#fdd835"), (500, 360, "#43a047")):
        sheet.block(x - 40, y - 40, 80, 80, colour)
    sheet.disc(520, 100, 45, "#fdd835")
    return sheet.pixels()


def rings():
    sheet = Sheet(ground="#fafafa")
    sheet.ring(120, 150, 60, GREEN)
    sheet.ring(320, 150, 60, GREEN)
    sheet.disc(520, 150, 60, GREEN)
    sheet.ring(320, 350, 60, PURPLE)
    return sheet.pixels()


def many_dots():
    sheet = Sheet((800, 600))
    for row in range(5):
        for column in range(6):
            sheet.disc(90 + 120 * column, 80 + 110 * row, 24, BLUE if (row + column) % 3 else RED)
    return sheet.pixels()


def one_big():
    sheet = Sheet()
    sheet.disc(320, 220, 120, PURPLE)
    sheet.disc(560, 420, 28, PURPLE)
    sheet.block(40, 380, 60, 60, BROWN)
    return sheet.pixels()


def blurred():
    sheet = Sheet()
    for x, colour in ((120, RED), (320, GREEN), (520, BLUE)):
        sheet.disc(x, 240, 60, colour)
    sheet.image = sheet.image.filter(ImageFilter.GaussianBlur(4))
    return sheet.pixels()


def evening():
    sheet = Sheet()
    sheet.disc(150, 200, 55, ORANGE)
    sheet.disc(450, 200, 55, YELLOW)
    return (sheet.pixels() * np.array([1.0, 0.7, 0.45])).astype(np.uint8)


def torn_jpeg():
    sheet = Sheet()
    for x in (110, 250, 390, 530):
        sheet.wedge(x, 240, 50, GREEN)
    _, data = cv2.imencode(".jpg", sheet.pixels()[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 12])
    return np.ascontiguousarray(cv2.imdecode(data, 1)[..., ::-1])


def overlapping():
    sheet = Sheet()
    sheet.disc(200, 240, 70, RED)
    sheet.disc(300, 240, 70, RED)
    sheet.disc(500, 240, 50, BLUE)
    return sheet.pixels()


def ruler():
    sheet = Sheet(ground="#ffffff")
    sheet.block(40, 60, 200, 40, BLACK)
    sheet.block(100, 200, 100, 100, RED)
    sheet.disc(450, 250, 75, GREEN)
    return sheet.pixels()


def cafe():
    sheet = Sheet(ground="#ffffff")
    sheet.rows(
        "CAFE LUNA", ("Espresso", "2.80"), ("Latte", "4.20"), ("Bagel", "3.50"), ("Muffin", "3.10")
    )
    return sheet.pixels()


def receipt():
    sheet = Sheet((640, 560), "#fdfdf8")
    sheet.rows(
        "GREEN GROCER", "2026-03-14", ("Apples", "3.20"), ("Bread", "2.75"), ("Cheese", "6.40"),
        ("Subtotal", "12.35"), ("Tax", "1.24"), ("TOTAL", "13.59"), ("Cash", "20.00"),
        ("Change", "6.41"),
    )  # fmt: skip
    return sheet.pixels()


def wrong_bill():
    sheet = Sheet(ground="#ffffff")
    sheet.rows(
        "Bill of 03.11.2025",
        ("Soup", "5.00"),
        ("Fish", "14.00"),
        ("Water", "2.00"),
        ("Total", "23.00"),
    )
    return sheet.pixels()


def won_prices():
    sheet = Sheet(ground="#ffffff")
    sheet.rows(("Tea", "3,500"), ("Cake", "6,000"), ("Juice", "4,500"), ("Total", "14,000"))
    return sheet.pixels()


def ticket():
    sheet = Sheet(ground="#eeeeee")
    sheet.text(50, 40, "ADMIT ONE", 44)
    sheet.text(50, 110, "June 5, 2026", 32)
    return with_qr(sheet.pixels(), "SEAT-14C", 380, 200, module=6)


def parcel():
    sheet = Sheet(ground="#ffffff")
    sheet.text(60, 60, "FRAGILE", 52, RED)
    return with_ean13(sheet.pixels(), "9783161484100", 80, 220, height=110)


def exit_sign():
    sheet = Sheet(ground="#b0bec5")
    sheet.block(180, 150, 280, 130, GREEN)
    sheet.text(240, 178, "EXIT", 64, "#ffffff")
    return sheet.pixels()


def empty():
    rng = np.random.default_rng(3)
    return np.clip(rng.normal(205, 4, (480, 640, 3)), 0, 255).astype(np.uint8)


SCENES = {
    one.__name__: one
    for one in (
        buttons, flags, signs, dark_board, rings, many_dots, one_big, blurred, evening, torn_jpeg,
        overlapping, ruler, cafe, receipt, wrong_bill, won_prices, ticket, parcel, exit_sign, empty,
    )
}  # fmt: skip
