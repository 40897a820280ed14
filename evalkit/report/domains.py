"""What kind of text a corpus is, by the ``domain:`` of its suite: prose, structured text, or neither known nor said."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evalkit.report.text import code, listing, plain
from evalkit.results import CorpusRecord

PROSE = "prose"
STRUCTURED = "structured text"
OTHER = "other text"

UNSPECIFIED = "unspecified"
"""The domain of a corpus whose suite says none."""

# Parts of the names of domains. Structured text differs from prose by a third or a half, and no band for prose applies.
_STRUCTURED = """
    structured markup markdown html xhtml xml svg css tex latex bibtex rst
    json jsonl ndjson geojson yaml yml toml ini conf config configuration cfg dotenv manifest schema
    csv tsv table tabular spreadsheet dataframe parquet
    code programming software notebook sql
    python java javascript typescript rust golang cpp csharp php ruby kotlin swift scala haskell bash shell
    log syslog trace stacktrace telemetry
    math maths mathematics equation formula number numeric digit
    url uri hex base64 hash uuid pem certificate binary
    hostile adversarial dna protein genome
"""
_PROSE = """
    prose story stories tinystories tale fiction novel book literature essay poem poetry
    web webtext openwebtext fineweb crawl commoncrawl c4 blog weblog forum review
    wiki wikipedia wikitext encyclopedia encyclopaedia article abstract news newspaper newswire press
    chat dialogue dialog conversation instruction social tweet twitter reddit email mail letter message comment
    sentence paragraph speech subtitle transcript legal law medical biomedical science scientific education
    english chinese mandarin cantonese japanese korean german french spanish portuguese italian dutch polish czech
    russian ukrainian turkish arabic hebrew persian hindi bengali tamil thai vietnamese indonesian swedish finnish greek
"""


def kind(domain: str) -> str:
    """By the parts of the name, singular or plural. One part of a structured kind is enough: prose is never pooled
    with it.

    >>> kind("csv_numbers"), kind("YAML config"), kind("english-prose"), kind("weblogs")
    ('structured text', 'structured text', 'prose', 'prose')
    >>> kind("kitchen"), kind("unspecified")
    ('other text', 'other text')
    """
    parts = {part for part in re.split(r"[\W_]+", domain.lower()) if part}
    parts |= {part.removesuffix("s") for part in parts} | {re.sub("ies$", "y", part) for part in parts}
    if parts & {*_STRUCTURED.split()}:
        return STRUCTURED
    return PROSE if parts & {*_PROSE.split()} else OTHER


def advice(corpora: Iterable[CorpusRecord]) -> str:
    """What to write in the suite where the domains of some leave open what they are; empty where none does."""
    names = [
        f"{plain(c.name)} ({'no domain' if c.domain == UNSPECIFIED else f'domain {plain(c.domain)}'})"
        for c in corpora
        if kind(c.domain) == OTHER
    ]
    if not names:
        return ""
    are, they = ("is", "it") if len(names) == 1 else ("are", "them")
    return (
        f"Whether {listing(names, 4)} {are} prose isn't known from the suite, so that no band is held against {they} "
        f"and no prose pooled with {they}: write {code('domain: prose')} or {code('domain: structured')} there, or "
        "another value of `domain:` that says it, such as `domain: news` or `domain: csv`."
    )
