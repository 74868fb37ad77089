"""Settings of the pack in a site file, and the picture of a mission."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from bt_exec.rig import PackSettings, WorldSettings

__all__ = ["ImageSettings", "PictureStart"]


class ImageSettings(PackSettings):
    """Settings of the pack ``image``.

    Attributes:
        robot: ``none``, because the pack has no robot.
        detector: ``learned`` (the shipped network for tabletop objects), ``none``, a weights file
            (``.onnx`` or ``.pt``, see `bt_exec_skills.vision.network_inference`), or a detector
            with text prompts, as in ``{name: remote, url: …}``: its name in the entry-point group
            ``bt_exec_skills.prompted_detectors`` and its settings.
        least_score: Minimum score of a detection, 0..1.
        vqa: Vision model for questions that tools cannot answer, as in ``{name: claude, model:
            …}``: its name in the group ``bt_exec.visual_qa`` or ``bt_exec_skills.picture_models``
            and its settings. By default, there is none.
        judge: Second vision model that judges answers, in the form of `vqa`, from the group
            ``bt_exec.visual_qa``. By default, there is none.
        writer: Language model that writes the program of an answer on request (``--program-by
            model``), in the form of `vqa`, from the group ``bt_exec.writers``.
        reader: Weights of a text recogniser (``.onnx`` with its alphabet) for scripts that rapidocr
            does not support, such as Hangul.
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
