"""Korean help of the command line.

The English text is the key, as with gettext. It comes from the declaration of a command or from
typer. An installed command group has its texts in ``help_ko.yaml`` next to its module.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
from collections import ChainMap
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["use_korean_help"]

_PARAGRAPHS = re.compile(r"\n\s*\n")


@cache
def _help() -> Mapping[str, str]:
    from bt_exec.spec.shipped_yaml import read_yaml

    return dict(read_yaml(Path(__file__).with_suffix(".yaml"))["help"])


@cache
def _translations_beside(module: str) -> ChainMap[str, str]:
    """Return the translations for a command; those next to its module come before bt-exec's."""
    from bt_exec.spec.shipped_yaml import read_yaml

    path = Path(getattr(sys.modules.get(module), "__file__", None) or "").with_name("help_ko.yaml")
    own = read_yaml(path) if path.is_file() else {}
    return ChainMap(own, dict(_help()))


@contextlib.contextmanager
def use_korean_help(command: Any) -> Iterator[None]:
    """Make a command of typer, and all its subcommands, print their help in Korean."""
    from rich.text import Text
    from typer import rich_utils

    _translate(command)
    frame = {name: text for name in dir(rich_utils) if (text := _help_page_text(rich_utils, name))}
    with contextlib.ExitStack() as stack:
        for name, text in frame.items():
            stack.callback(setattr, rich_utils, name, text)
            setattr(rich_utils, name, _help()[text])
        stack.callback(setattr, Text, "rstrip_end", Text.rstrip_end)
        setattr(Text, "rstrip_end", _rstrip_end)  # noqa: B010 - rich's version counts characters
        yield


def _rstrip_end(text: Any, size: int) -> None:
    """Remove the whitespace at the end of a line that is wider than `size` cells."""
    if text.cell_len > size:
        text.rstrip()


def _help_page_text(module: Any, name: str) -> str:
    """Return the constant `name` of a typer module if it is a text with a translation, else ""."""
    text = getattr(module, name)
    return text if name.isupper() and isinstance(text, str) and text in _help() else ""


def _translate(command: Any, parent: Any = None) -> None:
    base = command.context_class
    context = base(command, parent=parent, **command.context_settings)
    help_option = command.get_help_option(context)
    formatter = _korean_formatter(base.formatter_class)
    texts = _translations_beside(_module_of_command(command))
    command.context_class = type("Context", (base,), {"formatter_class": formatter})
    for each in (command, *command.params, *filter(None, [help_option])):
        for name in ("help", "short_help", "epilog", "options_metavar", "subcommand_metavar"):
            if isinstance(text := getattr(each, name, None), str):
                setattr(each, name, _text(text, texts))
        if isinstance(panel := getattr(each, "rich_help_panel", None), str):
            each.rich_help_panel = _text(panel, texts)
    for inner in getattr(command, "commands", {}).values():
        _translate(inner, context)


def _korean_formatter(base: Any) -> type:
    """Return a formatter of typer that prints the usage heading in Korean."""

    def write_usage(self: Any, prog: str, args: str = "", prefix: str | None = None) -> None:
        base.write_usage(self, prog, args, prefix or _help()["Usage: "])

    return type("Formatter", (base,), {"write_usage": write_usage})


def _module_of_command(command: Any) -> str:
    """Return the module of a command or, for a group without a function, of its first command."""
    inner = [command, *getattr(command, "commands", {}).values()]
    functions = (each.callback for each in inner if each.callback is not None)
    return next((str(inspect.unwrap(function).__module__) for function in functions), "")


def _text(text: str, texts: Mapping[str, str]) -> str:
    paragraphs = (" ".join(each.split()) for each in _PARAGRAPHS.split(text))
    return "\n\n".join(texts.get(each, each) for each in paragraphs)
