"""``python -m evalkit``, and what the command ``evalkit`` calls."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def run() -> int:
    """One command. Ctrl-C may come before anything is imported, and ends in a word instead of a traceback too."""
    try:
        from evalkit.cli import main

        return main()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(run())
