"""Parts of a world as MJCF text: numbers, colours, boxes. Equal values give equal texts."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["box", "numbers", "rgba"]


def numbers(*values: float, digits: int = 9) -> str:
    """Return numbers in MJCF format, with this number of significant digits."""
    return " ".join(f"{value:.{digits}g}" for value in values)


def rgba(colour: Iterable[float], opacity: float = 1.0) -> str:
    """Return a colour in MJCF format; red, green and blue are from 0 to 1."""
    return numbers(*colour, opacity)


def box(
    name: str, middle: Iterable[float], half: Iterable[float], look: str, *, digits: int = 9
) -> str:
    """Return a box.

    Args:
        name: Name of its geom.
        middle: Its centre, in the frame of its body [m], shape (3,).
        half: Half of its lengths along the axes [m], shape (3,).
        look: Further attributes as text: class, colour, mass.
        digits: Significant digits of the numbers.
    """
    at, size = numbers(*middle, digits=digits), numbers(*half, digits=digits)
    return f'<geom name="{name}" type="box" size="{size}" pos="{at}" {look}/>'
