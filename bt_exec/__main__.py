"""``python -m bt_exec`` is ``bt-exec``."""

from __future__ import annotations

from bt_exec.cli.app import main

if __name__ == "__main__":
    main()
