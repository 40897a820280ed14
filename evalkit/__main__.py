"""``python -m evalkit``, and what the command ``evalkit`` calls."""

from __future__ import annotations

import gc
import os
import sys

INTERRUPTED = 130


def run() -> int:
    """One command. Ctrl-C may come before anything is imported, and ends in a word instead of a traceback too."""
    # NumPy's linear algebra starts a thread for each processor, which costs a third of importing NumPy; what is done
    # with it here is nothing to share.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # To find plug-ins for the reading of a suite, of which no command has a use, pydantic looks through all that is
    # installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from evalkit.cli import main

        return main()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    finally:
        # All memory goes with the process: to look through it for what nobody uses any more would only take time.
        gc.freeze()


if __name__ == "__main__":
    sys.exit(run())
