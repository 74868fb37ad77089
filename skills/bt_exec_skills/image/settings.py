"""Settings of the pack in a site file, and the picture of a mission."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from bt_exec.rig import PackSettings, WorldSettings

__all__ = ["ImageSettings", "PictureStart"]


class ImageSettings(PackSettings):
    """Settings of the pack ``image``.

    Attributes:
        robot: ``none``: there is no robot.
        detector: ``learned``, the shipped network for tabletop objects; ``none``; a file of other
            weights, ``.onnx`` or ``.pt``, as `bt_exec_skills.vision.network_inference` reads them;
            or a detector with text prompts: ``{name: remote, url: …}``, the name of one in the
            group ``bt_exec_skills.prompted_detectors`` and its settings.
        least_score: Minimum score of a detection, 0..1.
        vqa: Vision model for questions that no tool answers: ``{name: claude, model: …}``, the
            name of one in the group ``bt_exec.visual_qa`` or ``bt_exec_skills.picture_models`` and
            its settings; by default none.
        judge: Second model that judges answers, in the same form; by default none.
        writer: Model that writes the program of an answer on request (``--program-by model``), in
            the same form: the name of one in ``bt_exec.writers``.
        reader: Weights of a text recogniser (``.onnx``, with its letters) for scripts that
            rapidocr does not know, such as Hangul.
    """

    detector: str | dict[str, Any] = "learned"
    vqa: dict[str, Any] | None = None
    judge: dict[str, Any] | None = None
    writer: dict[str, Any] | None = None
    least_score: float = Field(0.35, ge=0.05, lt=1.0)
    reader: str | None = None


class PictureStart(WorldSettings):
    """Picture of a mission, and its input and output files."""

    image: str = Field("", description="the picture: a PNG, JPEG, WebP, TIFF or BMP file")
    second: str = Field("", description="another picture, to be compared with the first")
    annotation: str = Field(
        "",
        description="file of boxes: COCO, YOLO text, or results of ultralytics or supervision; by "
        "default the file beside the picture with its name and .json or .txt",
    )
    out: str = Field("", description="output file of the annotated picture: .png or .jpg")
    program: str = Field(
        "", description="output file of a program that gives this answer: a .py file"
    )
    program_by: Literal["templates", "model"] = Field(
        "templates",
        description="author of the program: built-in templates, or the site's model `writer`",
    )
