"""Dependencies: every imported package is declared in pyproject.toml."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWN = {"bt_exec", "bt_exec_skills", "bt_exec_llm", "bt_exec_labeler"}
BROUGHT = {
    "anyio": "starlette requires it",
    "starlette": "fastapi requires it, in the same extra",
    "pydantic-core": "pydantic requires the one version that fits",
    "pytest": "the kit's plugin is imported by pytest itself",
    "torch": "ultralytics requires it, in the same extra",
}


def mentioned(text: str) -> set[str]:
    """Return the names in lines that look like imports: at least all imported ones."""
    names = re.findall(r"^[ \t]*from[ \t]+(\w+)", text, re.MULTILINE)
    for several in re.findall(r"^[ \t]*import[ \t]+(.+)", text, re.MULTILINE):
        names += [
            one.strip().partition(".")[0].split()[0] for one in several.split(",") if one.strip()
        ]
    return set(names)


def imported() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in (
        "bt_exec",
        "skills/bt_exec_skills",
        "llm/bt_exec_llm",
        "labeler/bt_exec_labeler",
    ):
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if not mentioned(text) - OWN - found.keys() - sys.stdlib_module_names:
                continue  # most files import only known packages and need not be parsed
            for node in ast.walk(ast.parse(text)):
                names = [part.name for part in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names = [node.module]
                for name in names:
                    found.setdefault(name.partition(".")[0], file)
    return {name: file for name, file in found.items() if name not in sys.stdlib_module_names}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_import_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].items()
    listed = [
        *project["dependencies"],
        *(n for extra, own in extras if extra != "dev" for n in own),
    ]
    declared = {plain(re.split(r"[\s<>=!~;\[]", text)[0]) for text in listed} | BROUGHT.keys()
    brings = packages_distributions()
    missing = {
        name: str(file.relative_to(ROOT))
        for name, file in imported().items()
        if name not in OWN and not declared & {plain(d) for d in brings.get(name, [name])}
    }
    assert missing == {}
