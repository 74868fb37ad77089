"""Annotation files: COCO, YOLO, ultralytics and supervision, and invalid ones."""

import json

import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.image.perception import annotation_files
from bt_exec_skills.image.perception.annotation_files import find_annotation, read_annotation

SIZE = (100, 200)
COCO = {
    "images": [{"id": 1, "file_name": "a.png"}, {"id": 2, "file_name": "b.png"}],
    "categories": [{"id": 7, "name": "tomato"}, {"id": 9, "name": "cup"}],
    "annotations": [
        {"image_id": 1, "category_id": 7, "bbox": [10, 20, 30, 40]},
        {
            "image_id": 1,
            "category_id": 9,
            "bbox": [100, 0, 50, 50],
            "segmentation": [[100, 0, 149, 0, 100, 49]],
        },
        {"image_id": 2, "category_id": 7, "bbox": [0, 0, 5, 5]},
    ],
}


def read(tmp_path, text, ending="json"):
    file = tmp_path / f"a.{ending}"
    file.write_text(text if isinstance(text, str) else json.dumps(text))
    return read_annotation(file, tmp_path / "a.png", SIZE)


def test_coco_file_is_read(tmp_path):
    found = read(tmp_path, COCO)
    assert found.names == ("tomato", "cup")
    assert [(one.label, one.bbox, one.score) for one in found.instances] == [
        ("tomato", (10, 20, 40, 60), 1.0),
        ("cup", (100, 0, 150, 50), 1.0),
    ]
    mask = found.instances[1].mask
    assert mask is not None
    assert mask[0, 0]
    assert not mask[-1, -1]


def test_yolo_boxes_and_outlines_are_read(tmp_path):
    (tmp_path / "classes.txt").write_text("tomato\ncup\n")
    text = "0 0.25 0.5 0.1 0.2\n1 0.5 0.5 0.5 0.5 0.75\n\n1 0.1 0.1 0.3 0.1 0.3 0.5\n"
    found = read(tmp_path, text, "txt")
    assert [(one.label, one.bbox, one.score) for one in found.instances] == [
        ("tomato", (40, 40, 60, 60), 1.0),
        ("cup", (50, 25, 150, 75), 0.75),
        ("cup", (20, 10, 60, 50), 1.0),
    ]


ROW = {"x_min": 1.4, "y_min": 2, "x_max": 31, "y_max": 42, "class_id": 3, "tracker_id": "",
       "confidence": 0.5, "class_name": "egg"}  # fmt: skip


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_supervision_results_are_read(tmp_path, ending):
    rows = [ROW, {**ROW, "confidence": "", "class_name": "cup"}]
    lines = [",".join(ROW), *(",".join(map(str, row.values())) for row in rows)]
    found = read(tmp_path, rows if ending == "json" else "\n".join(lines), ending)
    assert found.names == ("egg", "cup")
    assert [(one.bbox, one.score) for one in found.instances] == [
        ((1, 2, 31, 42), 0.5), ((1, 2, 31, 42), 1.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "row", [{"class_name": None}, {"x_max": "wide"}, {"x_min": "nan"}, {"confidence": 7}]
)
@pytest.mark.parametrize("ending", ["json", "csv"])
def test_invalid_supervision_rows_are_refused(tmp_path, row, ending):
    bad = {key: value for key, value in {**ROW, **row}.items() if value is not None}
    text = f"{','.join(bad)}\n{','.join(map(str, bad.values()))}\n"
    with pytest.raises(UsageError, match="malformed"):
        read(tmp_path, [bad] if ending == "json" else text, ending)


@pytest.mark.parametrize("text", ["x_min,y\n\0,1\n", "x_min\n" + "1" * 200_000, "x_min\n1,2,3\n"])
def test_csv_file_in_an_unknown_format_is_refused(tmp_path, text):
    with pytest.raises(UsageError, match="malformed"):
        read(tmp_path, text, "csv")


def test_ultralytics_results_are_read(tmp_path):
    box = {"x1": 1.4, "y1": 2, "x2": 31, "y2": 42}
    found = read(tmp_path, [{"name": "egg", "class": 3, "confidence": 0.5, "box": box}])
    assert [(one.label, one.bbox, one.score) for one in found.instances] == [
        ("egg", (1, 2, 31, 42), 0.5)
    ]


def test_boxes_outside_the_picture_are_clipped_or_dropped(tmp_path):
    coco = {**COCO, "annotations": [
        {"image_id": 1, "category_id": 7, "bbox": [-10, -10, 30, 30]},
        {"image_id": 1, "category_id": 7, "bbox": [500, 0, 30, 30]},
    ]}  # fmt: skip
    assert [one.bbox for one in read(tmp_path, coco).instances] == [(0, 0, 20, 20)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("{}", "COCO has 'categories' and 'annotations'"),
        ("3", "COCO has 'categories'"),
        ('[{"name": "a"}]', "malformed: KeyError: 'box'"),
        ({**COCO, "images": [{"id": 3, "file_name": "z.png"}]}, "does not contain a.png.*z.png"),
        ({**COCO, "categories": []}, "malformed: KeyError"),
        ({**COCO, "annotations": [{"image_id": 1, "category_id": 7, "bbox": [1, 2]}]}, "malformed"),
        (
            '{"categories": [{"id": 1, "name": "a"}], "annotations": '
            '[{"category_id": 1, "bbox": [NaN, 0, 1, 1]}]}',
            "not a position in a picture",
        ),
    ],
)
def test_invalid_file_is_reported_in_one_line(tmp_path, text, says):
    with pytest.raises(UsageError, match=says):
        read(tmp_path, text)


@pytest.mark.parametrize("line", ["x 1 1 1 1", "0 1 1", "5 0.1 0.1 0.1 0.1", "0 nan 0.1 0.1 0.1"])
def test_invalid_line_is_reported_with_its_number(tmp_path, line):
    (tmp_path / "classes.txt").write_text("tomato\n")
    with pytest.raises(UsageError, match=r"a\.txt:2: .*expected: class x y width height"):
        read(tmp_path, f"0 0.5 0.5 0.1 0.1\n{line}\n", "txt")


def test_yolo_file_without_class_names_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"put their names, one per line, into .*classes\.txt"):
        read(tmp_path, "0 0.5 0.5 0.1 0.1", "txt")


def test_annotation_beside_the_picture_is_found(tmp_path):
    assert find_annotation(tmp_path / "a.png") is None
    (tmp_path / "a.txt").write_text("")
    assert find_annotation(tmp_path / "a.png") == tmp_path / "a.txt"


def test_outlines_with_too_many_pixels_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(annotation_files, "_MOST_OUTLINED", 1_000_000)
    outline = [[0, 0, 199, 0, 199, 99, 0, 99]]
    one = {"image_id": 1, "category_id": 7, "bbox": [0, 0, 200, 100], "segmentation": outline}
    made = []
    monkeypatch.setattr(annotation_files.cv2, "fillPoly", lambda *_: made.append(1) or _[0].fill(1))
    with pytest.raises(UsageError, match="outlines more than 1 megapixels in all"):
        read(tmp_path, {**COCO, "annotations": [one] * 1000})
    assert len(made) == 51


def test_file_of_class_names_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "classes.txt").write_bytes(b"\xa2\xff\x00")
    with pytest.raises(UsageError, match=r"classes\.txt is not a text"):
        read(tmp_path, "0 0.25 0.5 0.1 0.2\n", "txt")


@pytest.mark.parametrize("name", [".", "..", "/", "~nobody-of-that-name/a.png", "가" * 120])
def test_unreadable_picture_has_no_annotation(name):
    assert find_annotation(name) is None


def test_picture_is_not_its_own_annotation(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\x89PNG")
    assert find_annotation(tmp_path / "a.txt") is None
