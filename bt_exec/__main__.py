"""``python -m bt_exec`` is ``bt-exec``."""

from __future__ import annotations

import sys

from bt_exec.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
