"""Benchmarks of evalkit beside the other tokenizer libraries. Run from the top of a checkout; not installed.

    python -m benchmarks.train|count|encode|score|ladder|latency|pathological|scaling
    python -m benchmarks                  all of them
    python -m benchmarks --quick          all of them on little text, to see that they run

What is common to all stands in ``harness`` (processes, rounds, checking) and ``report`` (table, JSON, Markdown).
``instructions`` counts instructions instead of time; see ``docs/performance.md``.
"""

SEPARATOR = "<|endoftext|>"
"""Stands on a line of its own between the documents of a file."""
