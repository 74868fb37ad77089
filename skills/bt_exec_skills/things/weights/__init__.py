"""The network that ships for things on tables; `MODEL_CARD.md` says what it knows."""

from pathlib import Path

__all__ = ["SHIPPED"]

SHIPPED = Path(__file__).with_name("table.onnx")
"""The weights."""
