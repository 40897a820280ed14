"""A report of a gate for programs: JSON, and the annotations of a code host."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalkit.gate.divergence import Divergence, Run
from evalkit.gate.render import WORDS, problems
from evalkit.gate.verdicts import GateReport, Verdict

FORMAT, VERSION = "evalkit-gate-report", 1
ANNOTATIONS = 10
"""GitHub shows no more of one step."""


def as_json(report: GateReport) -> str:
    """Everything the report says. Token bytes are in hexadecimal; text is ASCII, with halves of surrogate pairs,
    which UTF-8 can't hold, escaped."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "suite": report.suite,
        "outcome": {0: "pass", 1: "fail"}.get(report.exit_code, "not judged"),
        "exit_code": report.exit_code,
        "seed": report.seed,
        "seconds": round(report.seconds, 3),
        "tokenizers": list(report.tokenizers),
        "verdicts": [_verdict(one) for one in report.verdicts],
        "coverage": [
            {
                "corpus": one.corpus,
                "documents": one.documents,
                "documents_cut": one.cut,
                "of_documents": one.of_documents,
                "bytes": one.bytes,
                "of_bytes": one.of_bytes,
                "stopped": one.stopped,
            }
            for one in report.coverage
        ],
        "notes": list(report.notes),
    }
    return json.dumps(content, indent=1) + "\n"


def _verdict(one: Verdict) -> dict[str, Any]:
    return {
        "check": one.check,
        "tokenizer": one.tokenizer,
        "corpus": one.corpus,
        "outcome": one.outcome,
        "detail": one.detail,
        "documents": one.documents,
        "bytes": one.bytes,
        "of_bytes": one.of_bytes,
        "divergence": None if one.divergence is None else _divergence(one.divergence),
        "case": one.case,
    }


def _divergence(one: Divergence) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "document": one.document,
        "document_byte": one.document_byte,
        "text": one.text,
        "byte": one.byte,
        "pretoken": one.pretoken,
        "left": _run(one.left),
        "right": _run(one.right),
    }


def _run(one: Run) -> dict[str, Any]:
    tokens = [None if token is None else token.hex() for token in one.tokens]
    return {"way": one.way, "count": one.count, "ids": list(one.ids), "tokens": tokens, "whole": one.whole}


def annotation_lines(report: GateReport, environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Lines by which GitHub marks a step: an error for what failed, a warning for what couldn't be judged. None
    elsewhere."""
    if environment.get("GITHUB_ACTIONS") != "true":
        return
    found = problems(report)
    for verdict in found[:ANNOTATIONS]:
        kind = "error" if verdict.outcome == "fail" else "warning"
        where = f"{verdict.tokenizer} on {verdict.corpus}" if verdict.corpus else verdict.tokenizer
        title = f"evalkit gate: {verdict.check} {WORDS[verdict.outcome]}"
        yield f"::{kind} title={_property(title)}::{_message(f'{where}: {verdict.detail}')}"
    if len(found) > ANNOTATIONS:
        yield f"::notice::{len(found) - ANNOTATIONS} more verdicts keep the gate from passing; see the log"


def _message(text: str) -> str:
    """GitHub's escapes; what could not be printed is escaped first."""
    shown = text.encode("utf-8", "backslashreplace").decode()
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def step_summary(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The file in which GitHub wants a step's summary, where there is one."""
    place = environment.get("GITHUB_STEP_SUMMARY")
    return Path(place) if place else None
