"""Pictures with known values: receipts, price lists, codes, shapes of a given size."""

import cv2
import numpy as np

LEFT = {
    "0": "0001101", "1": "0011001", "2": "0010011", "3": "0111101", "4": "0100011",
    "5": "0110001", "6": "0101111", "7": "0111011", "8": "0110111", "9": "0001011",
}  # fmt: skip
PARITY = (
    "LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL",
    "LGGLGL",
)  # fmt: skip


def page(*lines, size=(420, 620), height=44):
    """Return a white page; a tuple is a row with its second text at the right."""
    found = np.full((*size, 3), 250, np.uint8)
    for number, line in enumerate(lines):
        texts = line if isinstance(line, tuple) else (line,)
        for text, x in zip(texts, (40, 420), strict=False):
            place = (x, 60 + height * number)
            cv2.putText(
                found, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.9, (20, 20, 20), 2, cv2.LINE_AA
            )
    return found


def chart(values, colours, ground=250):
    """Return a bar chart: names in order A, B, …, an axis from 0 to 100."""
    found = np.full((460, 640, 3), ground, np.uint8)
    for tick in range(0, 101, 20):
        row, said = 380 - 3 * tick, str(tick)
        cv2.putText(
            found, said, (30, row + 9), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (20, 20, 20), 2, cv2.LINE_AA
        )
        cv2.line(found, (100, row), (108, row), (20, 20, 20), 1)
    for number, (value, colour) in enumerate(zip(values, colours, strict=True)):
        x = 140 + 120 * number
        cv2.rectangle(found, (x, 380 - 3 * value), (x + 70, 380), colour, -1)
        cv2.putText(
            found,
            chr(65 + number) * 2,
            (x + 14, 425),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.9,
            (20, 20, 20),
            2,
            cv2.LINE_AA,
        )
    return found


def with_qr(picture, text, x, y, module=5):
    """Draw a QR code into a picture."""
    code = cv2.QRCodeEncoder.create().encode(text)
    code = cv2.resize(code, None, fx=module, fy=module, interpolation=cv2.INTER_NEAREST)
    picture[y : y + code.shape[0], x : x + code.shape[1]] = code[..., None]
    return picture


def with_ean13(picture, digits, x, y, module=2, height=90):
    """Draw a 13-digit barcode into a picture."""
    right = {digit: bits.translate({48: 49, 49: 48}) for digit, bits in LEFT.items()}
    sides = zip(PARITY[int(digits[0])], digits[1:7], strict=True)
    left = "".join(LEFT[one] if side == "L" else right[one][::-1] for side, one in sides)
    bits = f"101{left}01010{''.join(right[one] for one in digits[7:])}101"
    bars = np.repeat([[0 if bit == "1" else 255 for bit in bits]], module, axis=1)
    picture[y : y + height, x : x + bars.shape[1]] = bars[..., None].astype(np.uint8)
    return picture
