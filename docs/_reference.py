"""MkDocs hook: the home page, and reference pages from models, registries and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["on_files", "on_page_markdown", "pages"]

ROOT = Path(__file__).parent.parent


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages to the files of the site."""
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Point links to the README at the home page."""
    return markdown.replace("](../../README.ko.md", "](index.md").replace(
        "](../README.md", "](index.md"
    )


def pages() -> Mapping[str, str]:
    """Return the text of each generated page by its file name."""
    return {
        "index.md": _home("README.md", ""),
        "ko/index.md": _home("README.ko.md", "../"),
        "reference/commands.md": "\n".join(_command_pages()),
        "reference/language.md": "\n".join(_language()),
        "reference/codes.md": "\n".join(_codes()),
        "reference/sites.md": "\n".join(_site_file_fields()),
        "reference/api.md": "\n".join(_api_pages()),
    }


def _home(readme: str, up: str) -> str:
    """Return a README with links for the site; links to other files become plain names.

    Args:
        readme: Name of the file.
        up: Path from its page to the root of the site: empty or ``../``.
    """
    homes = {"README.md": f"{up}index.md", "README.ko.md": f"{up}ko/index.md"}

    def link(found: re.Match[str]) -> str:
        file, mark, part = found[2].partition("#")
        if file in homes:
            return f"[{found[1]}]({homes[file]})"
        inside = file.startswith("docs/") and (ROOT / file).is_file()
        return f"[{found[1]}]({up}{file.removeprefix('docs/')}{mark}{part})" if inside else found[1]

    text = (ROOT / readme).read_text(encoding="utf-8")
    text = re.sub(r'(src|srcset)="docs/', rf'\1="{up}', text)
    return re.sub(r"\[([^\]]+)\]\((?!https?:|#)([^)]+)\)", link, text)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    names = list(head)
    yield "| " + " | ".join(names) + " |"
    yield "| " + " | ".join("---" for _ in names) + " |"
    for row in rows:
        cells = (" ".join(str(cell).split()).replace("|", "\\|") for cell in row)
        yield "| " + " | ".join(cells) + " |"
    yield ""


def _command_pages() -> Iterator[str]:
    import typer

    from bt_exec.cli import app as program

    program._add_plugin_commands()
    yield "# Commands\n"
    yield from _command("bt-exec", typer.main.get_command(program.app))


def _command(path: str, command: Any) -> Iterator[str]:
    """Yield a section for a command and for each of its subcommands."""
    yield f"## `{path}`\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    options = [
        (", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts)), param.help or "")
        for param in command.params
        if param.param_type_name == "option" and not param.hidden
    ]
    arguments = [
        (f"`{param.metavar or param.name.upper()}`", getattr(param, "help", "") or "")
        for param in command.params
        if param.param_type_name == "argument"
    ]
    if arguments or options:
        yield from _table(("name", "meaning"), [*arguments, *options])
    for name, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from _command(f"{path} {name}", inner)


def _language() -> Iterator[str]:
    from bt_exec.declarations.built_in import CONDITIONS, SKILLS
    from bt_exec.site.tree_schema import FIELDS
    from bt_exec.spec.modifier_table import modifier_table

    yield "# Modifiers and built-in parts\n"
    yield "## Modifiers\n\nThe outermost stands first.\n"
    yield modifier_table()
    yield "## Fields\n"
    yield from _table(("field", "meaning"), ((f"`{name}`", FIELDS[name]) for name in FIELDS))
    yield "## Built-in skills and conditions\n"
    rows = ((f"`{part.name}`", ", ".join(part.arguments), part.summary) for part in SKILLS)
    more = ((f"`{part.name}`", ", ".join(part.arguments), part.summary) for part in CONDITIONS)
    yield from _table(("name", "arguments", "meaning"), (*rows, *more))


def _codes() -> Iterator[str]:
    from bt_exec.language.message_files import SECTIONS
    from bt_exec.language.messages import OWN_MESSAGES
    from bt_exec.pack import find_pack, pack_names
    from bt_exec.spec.yaml_source import read_file

    yield "# Failure codes\n"
    yield "The sentence is what the operator reads. Names in braces are arguments and evidence.\n"
    packs = [find_pack(name) for name in pack_names()]
    files = [("bt-exec", OWN_MESSAGES, ())]
    files += [(pack.name, pack.messages, pack.skills) for pack in packs if pack.messages]
    for name, file, skills in files:
        yield f"## {name}\n"
        data = read_file(file).data
        rows = []
        for code, said in data.items():
            if code not in SECTIONS and re.fullmatch("[A-Z][A-Z0-9_]+", code):
                raised = ", ".join(skill.name for skill in skills if code in skill.fails)
                rows.append((f"`{code}`", raised, said["en"], said["ko"]))
        yield from _table(("code", "skills", "English", "한국어"), rows)


def _site_file_fields() -> Iterator[str]:
    from bt_exec.pack import find_pack, pack_names
    from bt_exec.site.site import GuardSettings, Keep, Limits, Rates, SiteFile

    yield "# Site files\n"
    models = {"": SiteFile, "rates": Rates, "limits": Limits, "guard": GuardSettings, "keep": Keep}
    packs = {f"packs.{name}": find_pack(name).settings for name in pack_names()}
    for name, model in {**models, **packs}.items():
        yield f"## {name or 'Top level'}\n"
        yield f"{_first_line_of_docstring(model)}\n"
        schema = model.model_json_schema()
        rows = (
            (f"`{field}`", _type_text(one), str(one.get("default", "required")))
            for field, one in schema["properties"].items()
        )
        yield from _table(("field", "type", "default"), rows)


def _type_text(schema: Mapping[str, Any]) -> str:
    """Return the type of a JSON Schema in a few words."""
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_type_text(one) for one in schema["anyOf"])
    return str(schema.get("type") or schema.get("$ref", "").rpartition("/")[2] or "any")


def _api_pages() -> Iterator[str]:
    import bt_exec
    from bt_exec import testing

    yield "# Python API\n"
    for module in (bt_exec, testing):
        yield f"## `{module.__name__}`\n"
        for name in module.__all__:
            part = getattr(module, name)
            yield f"### `{name}`\n"
            yield f"```text\n{inspect.getdoc(part) or ''}\n```\n"


def _first_line_of_docstring(part: Any) -> str:
    return (inspect.getdoc(part) or "").partition("\n")[0]
