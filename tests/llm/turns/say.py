"""Well-formed turns of a model, and test pictures."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import cv2
import numpy as np

RED, BLUE = (200, 30, 30), (30, 60, 200)
LOG = {
    "en": "the target is segmented, cropped and verified",
    "ko": "target 집합을 찾아 crop 하고 확인한다",
}
RECORD = {
    "language": "en",
    "intent_summary": "count the cheerful red things",
    "task_type": "counting",
    "target_definition": {
        "primary_object": "thing", "required_attributes": ["red"], "exclusions": [],
        "edge_cases": ["things that touch"],
    },
    "subtasks": [{"name": "find", "goal": "boxes", "suggested_method": "segment_colour"}],
    "tool_requirements": {
        "needs_localization": True, "needs_instance_separation": True,
        "needs_attribute_reasoning": True, "preferred_outputs": ["count"],
    },
    "verification_checks": ["each crop is red"],
    "questions_if_ambiguous": [],
}  # fmt: skip
SEGMENT = ("segment_colour", {"into": "target"})
SEPARATE = ("separate_touching", {"of": "target"})
ANNOTATION = ("read_annotation", {"into": "target"})
CROP = ("crop", {"of": "target"})
VERIFY = ("verify_attribute", {"of": "target", "attributes": ["red"]})
COUNT = ("count", {"of": "target"})
ASK = ("ask_vqa", {"question": "How many cheerful things are there?"})
ASK_CROPS = ("ask_vqa", {"question": "Is it cheerful?", "of": "target"})


def lines(number: int, language: str = "en") -> str:
    return "\n".join(f"Step {n}: {LOG[language]}" for n in range(1, number + 1))


def tagged(data, log: str | int = 3, language: str = "en") -> str:
    """Return an answer in two tags; text is inserted unchanged."""
    log = lines(log, language) if isinstance(log, int) else log
    body = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"<analysis_log>\n{log}\n</analysis_log>\n<plan_json>\n{body}\n</plan_json>"


def analysis(language: str = "en", **changes) -> str:
    return tagged({**copy.deepcopy(RECORD), "language": language, **changes}, 6, language)


def calls_data(*calls, language: str = "en", **changes) -> dict:
    return {
        "language": language,
        "mode": "tool_calls",
        "selected_tools": [*dict.fromkeys(name for name, _ in calls)],
        "tool_calls": [
            {"id": number, "tool": name, "parameters": given, "expected_result": "boxes"}
            for number, (name, given) in enumerate(calls, 1)
        ],
        "open_questions": [],
        **changes,
    }


def calls(*some, language: str = "en", **changes) -> str:
    return tagged(calls_data(*some, language=language, **changes), language=language)


def final_data(text: str, *questions: str, language: str = "en", **changes) -> dict:
    return {
        "language": language,
        "mode": "final",
        "final_answer": text,
        "open_questions": [*questions],
        **changes,
    }


def final(text: str, *questions: str, language: str = "en") -> str:
    return tagged(final_data(text, *questions, language=language), language=language)


def whole(answer: str, confidence: float = 0.9, certain: bool = True) -> str:
    return json.dumps({"answer": answer, "certain": certain, "confidence": confidence})


def each(*holds: str, confidence: float = 0.9) -> str:
    told = [
        {"number": n, "holds": one, "seen": one, "confidence": confidence}
        for n, one in enumerate(holds, 1)
    ]
    return json.dumps({"crops": told})


def verdict(said: str, answer: str = "", why: str = "I looked") -> str:
    return json.dumps({"verdict": said, "answer": answer, "why": why})


def draw(folder: Path, sign: str = "") -> Path:
    """Write a picture of three red discs, two of which touch, and a blue one, and maybe a sign."""
    picture = np.full((360, 480, 3), 235, np.uint8)
    discs = [(80, 80, 35, RED), (147, 95, 35, RED), (300, 80, 20, RED), (400, 250, 45, BLUE)]
    for x, y, r, colour in discs:
        cv2.circle(picture, (x, y), r, colour, -1, cv2.LINE_AA)
    if sign:
        cv2.putText(picture, sign, (10, 340), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (120, 120, 120))
    file = folder / "picture.png"
    cv2.imwrite(str(file), picture[..., ::-1])
    return file


def annotate(picture: Path, label: str = "face") -> Path:
    """Write the boxes of the four discs beside a picture."""
    boxes = [(45, 45, 70, 70), (112, 60, 70, 70), (280, 60, 40, 40), (355, 205, 90, 90)]
    coco = {
        "images": [{"id": 1, "file_name": picture.name}],
        "categories": [{"id": 1, "name": label}],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": box} for box in boxes],
    }
    file = picture.with_suffix(".json")
    file.write_text(json.dumps(coco))
    return file
