"""Loading of picture files: conversion, and refusal before decoding."""

import base64
import os
import struct
import zlib

import cv2
import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.image.perception.file_header import parse_header
from bt_exec_skills.image.perception.picture_loading import encode_for_model, load_picture

RED = (210, 30, 20)


def half_red(height=40, width=60):
    """Picture, RGB, whose left half is red and whose right half is white."""
    picture = np.full((height, width, 3), 255, np.uint8)
    picture[:, : width // 2] = RED
    return picture


def write(path, pixels, *settings):
    assert cv2.imwrite(str(path), pixels, list(settings))
    return path


@pytest.mark.parametrize("ending", ["png", "bmp", "tiff", "webp", "jpg"])
def test_every_file_format_is_decoded_to_the_same_picture(tmp_path, ending):
    lossless = [cv2.IMWRITE_WEBP_QUALITY, 101] if ending == "webp" else []
    file = write(tmp_path / f"p.{ending}", half_red()[..., ::-1], *lossless)
    assert parse_header(file.read_bytes())[1:] == (60, 40, True)
    found = load_picture(file)
    assert found.shape == (40, 60, 3)
    assert np.abs(found.astype(int) - half_red()).mean() < 3


def test_grey_transparent_and_16_bit_pictures_are_converted(tmp_path):
    grey = write(tmp_path / "g.png", np.full((20, 30), 77, np.uint8))
    assert (load_picture(grey) == 77).all()
    deep = write(tmp_path / "d.png", np.full((20, 30, 3), 257 * 99, np.uint16))
    assert (load_picture(deep) == 99).all()
    clear = np.dstack([half_red()[..., ::-1], np.zeros((40, 60), np.uint8)])
    clear[:, :10, 3] = 255
    shown = load_picture(write(tmp_path / "a.png", clear))
    assert tuple(shown[0, 0]) == RED  # opaque
    assert tuple(shown[0, 20]) == (255, 255, 255)  # red, but transparent: becomes white


def with_exif(jpeg: bytes, orientation: int) -> bytes:
    entry = struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
    tiff = b"MM\0*" + struct.pack(">IH", 8, 1) + entry + struct.pack(">I", 0)
    part = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(part) + 2) + part + jpeg[2:]


def test_rotated_photo_becomes_upright(tmp_path):
    file = write(tmp_path / "p.jpg", half_red()[..., ::-1])
    file.write_bytes(with_exif(file.read_bytes(), 6))  # rotated by a quarter turn to the right
    found = load_picture(file)
    assert found.shape == (60, 40, 3)
    assert found[5, 20, 1] < 90 < 200 < found[55, 20, 1]  # red is at the top now


def png_head(width: int, height: int) -> bytes:
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n\0\0\0\r" + body + struct.pack(">I", zlib.crc32(body))


def test_decompression_bomb_is_refused_by_its_header(tmp_path, monkeypatch):
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    bomb = tmp_path / "bomb.png"
    bomb.write_bytes(png_head(60_000, 60_000) + b"\0\0\0\0IEND\xaeB`\x82")
    with pytest.raises(UsageError, match="60000 x 60000 px, more than 64 megapixels"):
        load_picture(bomb)


@pytest.mark.parametrize("ending", ["png", "jpg", "webp"])
def test_truncated_file_is_refused(tmp_path, ending):
    noise = np.random.default_rng(0).integers(0, 255, (60, 60, 3), np.uint8)
    file = write(tmp_path / f"p.{ending}", noise)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(UsageError, match="broken"):
        load_picture(file)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is not a readable picture; allowed: PNG, JPEG, WebP, TIFF, BMP"),
        (b"hello", "is not a readable picture"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 40, "HEIC or AVIF.*save it as JPEG or PNG"),
        (png_head(10, 10)[:20], "broken"),
        (b"\xff\xd8\xff\xe0", "broken"),
        (b"II*\0\xff\xff\xff\x7f", "broken"),
    ],
)
def test_file_that_is_not_a_picture_is_refused(tmp_path, data, says):
    file = tmp_path / "p.png"
    file.write_bytes(data)
    with pytest.raises(UsageError, match=says):
        load_picture(file)


def test_paths_that_are_not_files_are_refused(tmp_path):
    with pytest.raises(UsageError, match="does not exist"):
        load_picture(tmp_path / "no.png")
    with pytest.raises(UsageError, match="is a folder; name one picture"):
        load_picture(tmp_path)


def test_damaged_header_raises_no_exception():
    rng = np.random.default_rng(1)
    starts = [png_head(5, 5), b"\xff\xd8\xff", b"RIFF1234WEBPVP8 ", b"II*\0", b"MM\0*", b"BM"]
    for start in starts:
        for size in range(0, 60, 3):
            parse_header(start + rng.integers(0, 255, size, np.uint8).tobytes())


def test_pictures_for_models_are_scaled_down():
    data = base64.b64decode(encode_for_model(np.zeros((1500, 3000, 3), np.uint8)))
    assert parse_header(data)[:3] == ("jpeg", 1024, 512)


@pytest.mark.parametrize("ending", ["png", "jpg"])
def test_data_after_the_end_of_a_picture_is_ignored(tmp_path, ending):
    file = write(tmp_path / f"p.{ending}", half_red()[..., ::-1])
    whole = file.read_bytes()
    file.write_bytes(whole + bytes(9000))  # a motion photo has its video there
    assert load_picture(file).shape == (40, 60, 3)
    file.write_bytes(whole[:-12])
    with pytest.raises(UsageError, match="incomplete"):
        load_picture(file)


def test_pipe_is_not_reported_as_missing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is not a file but a pipe or a device; pipe it to -"):
        load_picture(tmp_path / "pipe")
