"""Runner inside the sandbox, which calls ``run(image_path)`` and writes its result as JSON."""

from __future__ import annotations

import json
import runpy
import sys
import traceback

__all__ = ["main"]


def main(program: str, image: str) -> int:
    """Run a program on a picture; what it prints goes to standard error."""
    result, sys.stdout = sys.stdout, sys.stderr
    try:
        found = runpy.run_path(program)
        if "run" not in found:
            sys.exit("it has no function run(image_path)")
        text = json.dumps(found["run"](image))
    except Exception as error:  # noqa: BLE001 - any error of a program is reported
        traceback.print_exception(error)
        return 1
    result.write(text)
    result.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
