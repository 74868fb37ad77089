"""The tools as functions: API for programs about a picture.

The skills of the pack call these functions, and generated programs import them from here.
"""

from __future__ import annotations

from bt_exec_skills.image.perception.annotation_files import find_annotation, read_annotation
from bt_exec_skills.image.perception.attributes import (
    AttributeName,
    count_by,
    least_frequent,
    most_frequent,
    name_colour,
    name_shape,
    name_thing,
    verify_attribute,
)
from bt_exec_skills.image.perception.bar_chart import bar_value, bars_among
from bt_exec_skills.image.perception.barcodes import read_codes
from bt_exec_skills.image.perception.colour_segmentation import segment_colour, separate_touching
from bt_exec_skills.image.perception.colours import ColourName
from bt_exec_skills.image.perception.graded_attributes import compare_with_others, sorted_places
from bt_exec_skills.image.perception.instance_decisions import (
    all_hold,
    decide_place,
    decide_relation,
    has_accepted_instance,
    instances_of_kind,
    is_count_within,
    is_true_of_all,
    start_decisions,
    verify_all,
)
from bt_exec_skills.image.perception.instances import (
    Counted,
    Crop,
    Decision,
    Instance,
    count,
    crop,
)
from bt_exec_skills.image.perception.measurements import measure_objects
from bt_exec_skills.image.perception.object_detection import detect
from bt_exec_skills.image.perception.overlay import overlay, save_image
from bt_exec_skills.image.perception.picture_comparison import Aspect, alike, all_alike, differences
from bt_exec_skills.image.perception.picture_loading import encode_for_model, load_picture
from bt_exec_skills.image.perception.relations import Measured, RelationName, measure_pair, place_in
from bt_exec_skills.image.perception.text_recognition import read_text
from bt_exec_skills.image.perception.written_values import written_value

__all__ = [
    "Aspect",
    "AttributeName",
    "ColourName",
    "Counted",
    "Crop",
    "Decision",
    "Instance",
    "Measured",
    "RelationName",
    "alike",
    "all_alike",
    "all_hold",
    "bar_value",
    "bars_among",
    "compare_with_others",
    "count",
    "count_by",
    "crop",
    "decide_place",
    "decide_relation",
    "detect",
    "differences",
    "encode_for_model",
    "find_annotation",
    "has_accepted_instance",
    "instances_of_kind",
    "is_count_within",
    "is_true_of_all",
    "least_frequent",
    "load_picture",
    "measure_objects",
    "measure_pair",
    "most_frequent",
    "name_colour",
    "name_shape",
    "name_thing",
    "overlay",
    "place_in",
    "read_annotation",
    "read_codes",
    "read_text",
    "save_image",
    "segment_colour",
    "separate_touching",
    "sorted_places",
    "start_decisions",
    "verify_all",
    "verify_attribute",
    "written_value",
]
