"""Encoding to ids, and counting tokens without making ids: one text and 4 kB documents, first and repeated."""

from __future__ import annotations

import sys

from benchmarks import cli, encoders
from benchmarks.engines import OURS
from benchmarks.harness import Case, Job, equal_to

WORKS = {
    "encode_text": "ids of one text",
    "encode_documents": "ids of documents",
    "count_text": "count of one text",
    "count_documents": "count of documents",
}
SLOW = ("tiktoken", "tokenizers", "bpe_openai")
"""They have no cache that more passes would warm."""


def cases(options: cli.Options) -> list[Case]:
    engines = cli.installed(BENCHMARK.engines, options.engines)
    found = []
    for text in options.texts:
        size = min(text.bytes, options.limit or text.bytes)
        for vocabulary, files in options.files(text).items():
            for work, said in WORKS.items():
                # tiktoken is the judge, also where it isn't asked for.
                names = [e for e in encoders.ENCODERS if e in {*engines, "tiktoken"}]
                jobs = []
                for engine in names:
                    if not encoders.can(engine, work, files["published"] is not None):
                        continue
                    passes = min(2, options.passes) if engine in SLOW else options.passes
                    arguments = {"engine": engine, "work": work, "files": files, "path": str(text.path)}
                    more = {"limit": options.limit, "passes": passes, "threads": options.threads}
                    jobs.append(Job(engine, "benchmarks.encoders:measure", arguments | more, timed=engine in engines))
                labels = {
                    "text": text.name,
                    "vocabulary": f"{vocabulary} {options.vocab:,}" if vocabulary == "own" else vocabulary,
                    "work": said,
                }
                found.append(Case(labels, size, jobs, equal_to("tiktoken")))
    return found


BENCHMARK = cli.Benchmark(
    "encode",
    "Ids as an array, and token counts alone; the first call has a cold cache, the repeated ones a warm one. Every "
    "engine's ids must be tiktoken's.",
    cases,
    (OURS, "tiktoken", "gigatoken", "tokenizers", "toktok", "quicktok", "bpe_openai"),
)

if __name__ == "__main__":
    sys.exit(cli.main([BENCHMARK]))
