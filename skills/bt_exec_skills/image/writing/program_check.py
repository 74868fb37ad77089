"""Check of the form of a generated program: one code block with ``run`` and a ``__main__`` block.

Codes: ``NO_CODE``, ``TWO_BLOCKS``, ``BLOCK_NOT_CLOSED``, ``TOO_LONG``, ``NOT_PYTHON``, ``NO_RUN``,
``WRONG_PARAMETERS``, ``NO_MAIN``, ``UNKNOWN_IMPORT``, ``UNKNOWN_TOOL``, ``FORBIDDEN_NAME``,
``PRINTS``, ``READS_NO_PICTURE``, ``CONSTANT_ANSWER``. This is a check of form; malicious programs
are contained by the sandbox. Parsing takes time linear in the length of the text.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from bt_exec.failure import Problem, nearest_names
from bt_exec_skills.image import tools

__all__ = ["LONGEST", "MODULES", "check_code", "read_code"]

LONGEST = 20_000
"""Maximum length of a program [characters]."""
TOOLS = "bt_exec_skills.image.tools"
MODULES = frozenset(
    {
        "__future__", "argparse", "collections", "cv2", "dataclasses", "enum", "functools",
        "itertools", "json", "logging", "math", "numbers", "numpy", "operator", "pathlib", "re",
        "statistics", "string", "sys", "traceback", "typing", TOOLS,
    }
)  # fmt: skip
"""Modules that a program may import."""
_FORBIDDEN = frozenset(
    {
        "__builtins__", "__import__", "breakpoint", "compile", "delattr", "eval", "exec", "getattr",
        "globals", "input", "locals", "open", "setattr", "vars",
    }
)  # fmt: skip
_OF_SYS = frozenset({"argv", "exit", "stderr", "stdout", "maxsize", "float_info", "version_info"})
_FENCE = "```"


def read_code(text: str) -> tuple[str | None, list[Problem]]:
    """Return the code block in a model's answer, or None and the fault.

    Text around the block is dropped. Without a fence, the whole answer is the program.
    """
    if len(text) > LONGEST:
        message = f"the answer is longer than {LONGEST} characters; write less"
        return None, [Problem("TOO_LONG", message, found=str(len(text)))]
    blocks: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if line.lstrip().startswith(_FENCE):
            inside = not inside
            if inside:
                blocks.append([])
        elif inside:
            blocks[-1].append(line)
    if inside:
        return None, [Problem("BLOCK_NOT_CLOSED", "the block of code has no end: ```")]
    if len(blocks) > 1:
        message = "the answer holds one block of code: the whole file"
        return None, [Problem("TWO_BLOCKS", message, found=str(len(blocks)))]
    code = "\n".join(blocks[0]) if blocks else text
    if not code.strip() or (not blocks and "def " not in code):
        message = "there is no program; write one block of Python between ```python and ```"
        return None, [Problem("NO_CODE", message, found=" ".join(text.split())[:60])]
    return code.strip() + "\n", []


def check_code(code: str) -> list[Problem]:
    """Return all faults of the form of a program, without running it."""
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        place = f"line {error.lineno}" if error.lineno else ""
        return [Problem("NOT_PYTHON", str(error.msg), place, (error.text or "").strip()[:60])]
    except (ValueError, RecursionError, MemoryError) as error:  # null characters, deep nesting
        return [Problem("NOT_PYTHON", str(error)[:80] or "it is nested too deeply")]
    try:
        return [
            *_check_imports(tree),
            *_check_names(tree),
            *_check_run_function(tree),
            *_check_main_block(tree),
        ]
    except RecursionError:
        return [Problem("NOT_PYTHON", "it is nested too deeply")]


def _check_imports(tree: ast.Module) -> Iterator[Problem]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield from _check_import(one.name, node.lineno)
                if one.name == "sys" and one.asname not in (None, "sys"):
                    yield from _check_sys_name(f"sys as {one.asname}", node.lineno)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            if f"{module}.{node.names[0].name}" == TOOLS and len(node.names) == 1:
                continue
            yield from _check_import(module, node.lineno)
            for one in node.names:
                if module == TOOLS:
                    yield from _check_tool(one.name, node.lineno)
                if module == "sys":
                    yield from _check_sys_name(one.name, node.lineno)


def _check_import(module: str, line: int) -> Iterator[Problem]:
    if module == TOOLS or module.partition(".")[0] in MODULES - {TOOLS}:
        return
    message = "a program imports the tools, and of the rest only what is listed"
    allowed = tuple(sorted(MODULES))
    known = module.partition(".")[0] in sys.stdlib_module_names
    why = "it may not be used here" if known else "it is not there"
    yield Problem("UNKNOWN_IMPORT", f"{message}: {why}", f"line {line}", module[:60], allowed)


def _check_tool(name: str, line: int) -> Iterator[Problem]:
    if name not in tools.__all__:
        allowed = tuple(nearest_names(name, tools.__all__)) or tuple(tools.__all__)
        yield Problem("UNKNOWN_TOOL", "tools has no such name", f"line {line}", name[:60], allowed)


def _check_sys_name(name: str, line: int) -> Iterator[Problem]:
    if name not in _OF_SYS:
        message = "of sys a program uses only its arguments, its exit and its streams"
        yield Problem("FORBIDDEN_NAME", message, f"line {line}", name[:60], tuple(sorted(_OF_SYS)))


def _check_names(tree: ast.Module) -> Iterator[Problem]:
    called = _aliases_of_tools(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _FORBIDDEN:
            message = "a program reads only the picture, with load_picture, and runs no other code"
            yield Problem("FORBIDDEN_NAME", message, f"line {node.lineno}", node.id)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in called:
                yield from _check_tool(node.attr, node.lineno)
                if not isinstance(node.ctx, ast.Load):
                    message = "the tools are not changed"
                    yield Problem("FORBIDDEN_NAME", message, f"line {node.lineno}", node.attr[:60])
            if isinstance(node.value, ast.Name) and node.value.id == "sys":
                yield from _check_sys_name(node.attr, node.lineno)
            if node.attr.startswith("__") and node.attr != "__name__":
                message = "names between two underscores are not for programs"
                yield Problem("FORBIDDEN_NAME", message, f"line {node.lineno}", node.attr[:60])


def _aliases_of_tools(tree: ast.Module) -> set[str]:
    """Return the names under which a program imports the module `tools`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            base = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            found |= {one.asname or one.name for one in node.names if base + one.name == TOOLS}
    return found


def _check_run_function(tree: ast.Module) -> list[Problem]:
    runs = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "run"]
    if not runs:
        return [Problem("NO_RUN", "there is no function run(image_path: str) -> dict")]
    run = runs[-1]
    problems = []
    given = [*run.args.posonlyargs, *run.args.args]
    needed = len(given) - len(run.args.defaults)
    kinds = any(one is None for one in run.args.kw_defaults)
    if not given or needed > 1 or kinds or given[0].arg != "image_path":
        found = ast.unparse(run.args)[:60]
        message = "run takes one argument, image_path"
        problems.append(Problem("WRONG_PARAMETERS", message, f"line {run.lineno}", found))
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    for node in [inner for one in functions if one.name != "main" for inner in ast.walk(one)]:
        if isinstance(node, ast.Call) and _has_name(node.func, "print"):
            message = "run returns what it finds; only the __main__ block prints, a summary"
            problems.append(Problem("PRINTS", message, f"line {node.lineno}"))
    if not any(_has_name(node, "load_picture") for node in ast.walk(tree)):
        message = "the picture is read with tools.load_picture(image_path)"
        problems.append(Problem("READS_NO_PICTURE", message, f"line {run.lineno}"))
    return [*problems, *_constant_answer_problems(run)]


def _has_name(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == name
    return isinstance(node, ast.Name) and node.id == name


def _constant_answer_problems(run: ast.FunctionDef) -> Iterator[Problem]:
    """Yield a problem if every dict that ``run`` returns has a constant answer."""
    answers = [
        value
        for node in ast.walk(run)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict)
        for key, value in zip(node.value.keys, node.value.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "answer"
    ]
    if answers and all(isinstance(one, ast.Constant) and one.value is not None for one in answers):
        message = "the answer is found in the picture, never written down"
        found = ast.unparse(answers[0])[:60]
        yield Problem("CONSTANT_ANSWER", message, f"line {answers[0].lineno}", found)


def _check_main_block(tree: ast.Module) -> list[Problem]:
    for node in tree.body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
            sides = [node.test.left, *node.test.comparators]
            if {getattr(one, "id", getattr(one, "value", "")) for one in sides} == {
                "__name__",
                "__main__",
            }:
                return []
    return [Problem("NO_MAIN", 'there is no block: if __name__ == "__main__"')]
