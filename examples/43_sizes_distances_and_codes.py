"""Measure sizes and distances in pixels or to scale, and read a QR code, without a network.

Prices, totals, dates and the bars of charts are asked for in the same way; they need the extra
``ocr``.
"""

import cv2
import numpy as np

from bt_exec import load_site
from bt_exec.mission.session import Session

picture = np.full((300, 600, 3), 240, np.uint8)
cv2.circle(picture, (100, 150), 40, (205, 35, 35), -1)
cv2.rectangle(picture, (220, 100), (319, 199), (35, 65, 200), -1)
code = cv2.QRCodeEncoder.create().encode("shelf 7")
code = cv2.resize(code, None, fx=5, fy=5, interpolation=cv2.INTER_NEAREST)
picture[80 : 80 + code.shape[0], 420 : 420 + code.shape[1]] = code[..., None]
cv2.imwrite("shelf.png", picture[..., ::-1])

with Session(load_site("image"), world={"image": "shelf.png"}, fast=True) as session:
    for question in (
        "How far apart are the red circle and the blue square?",
        "The blue square is 10 cm wide. How wide is the red circle?",
        "파란 정사각형의 너비가 10 cm라면 파란 정사각형의 넓이는 얼마야?",
        "QR 코드에 뭐라고 써 있어?",
        "Is there a barcode?",
    ):
        print(session.run(question).message)

# Output:
# red circle, blue square: 169.5 px apart, from centre to centre. Left out: black (25), blue (1). Confidence 0.55.
# red circle: 7.9 cm wide. Left out: black (25), blue (1). Confidence 0.55.
# 파란 정사각형: 넓이 99.9 cm². 제외: 검은색 (25), 빨간색 (1). 확신도 0.55.
# QR 코드: “shelf 7”. 확신도 0.98.
# No, none found (barcode). Confidence 0.55.
