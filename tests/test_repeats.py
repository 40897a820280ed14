"""Documents that are no evidence of their own: repeats, and blocks of a few texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalkit.pipeline import Options, run_suite
from evalkit.suite import load_suite

TEXTS = [f"This is the text of number {n}, and it is long enough to be no greeting." for n in range(100)]


def _warnings(folder: Path, texts: list[str], train: bool = False) -> list[str]:
    (folder / "texts.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    how = "variant: gpt2, train_on: x, vocab_size: 300" if train else "baseline: bytes"
    cut = "" if train else ", document: line"
    (folder / "suite.yaml").write_text(
        f"version: 1\nname: repeats\ncorpora:\n  x: {{files: texts.txt{cut}}}\ntokenizers:\n  - {{name: t, {how}}}\n",
        encoding="utf-8",
    )
    return list(run_suite(load_suite(folder / "suite.yaml"), Options(threads=1, cache=False)).warnings)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (TEXTS[:12] * 6, "x (12 distinct of 72)"),
        ([*TEXTS[:94], *TEXTS[-6:], *TEXTS[-6:]], "x (100 distinct of 106)"),
        ([*TEXTS[:96], *TEXTS[:4]], ""),
        ([*TEXTS[:80], *["Hello."] * 20], ""),  # as greetings are, which weigh little
        (["Hello."] * 100, "x (1 distinct of 100)"),
    ],
)
def test_documents_that_are_there_several_times_are_a_caution(texts: list[str], said: str, tmp_path: Path) -> None:
    found = [line for line in _warnings(tmp_path, texts) if "several times" in line]
    assert len(found) == bool(said)
    assert not said or said in found[0]


def test_blocks_of_one_text_are_a_caution(tmp_path: Path) -> None:
    found = [line for line in _warnings(tmp_path, TEXTS, train=True) if line.startswith("Blocks of few texts")]
    assert len(found) == 1
    assert "documents of x are parts" in found[0]


def test_few_documents_are_few_distinct_ones(tmp_path: Path) -> None:
    text = "This is a text. " * 1500
    many = [f"{text}{n}" for n in range(50)] * 2
    small = [line for line in _warnings(tmp_path, many) if line.startswith("Small corpora")]
    assert len(small) == 1
