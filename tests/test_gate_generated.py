"""Generated text through every path of every variant: 10,000 code points each, times EVALKIT_TEST_BUDGET.

No path gets a share only: each sees all of the text, the slow ones and the reference as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from budget import examples
from gate_museum import SPECIALS, STORY

import tokenizers_impl as ti
from evalkit.gate import adversarial
from evalkit.gate.documents import Plan, Texts
from evalkit.gate.paths import Setting
from evalkit.gate.peers import Comparison
from evalkit.gate.processes import Processes
from evalkit.gate.render import verdict_text
from evalkit.gate.run import check_all, comparisons
from evalkit.gate.verdicts import CONSISTENCY

CODE_POINTS = 10_000
SMALLEST_SHARE = 2_000  # of all ways, in bytes
MIXED = STORY * 30 + "aaaa don't 12345 é\u0301 中文字分词 Ωμέγα \u0915\u094d\u0937 \r\n\r\n  x = f(y);\n" * 30


def generated(seed: int, code_points: int) -> Iterator[str]:
    for text in adversarial.Generator(seed, SPECIALS):
        yield text
        code_points -= len(text)
        if code_points <= 0:
            return


@pytest.mark.parametrize("variant", [one.name for one in ti.variants()])
def test_every_variant_passes_all_paths(variant: str, tmp_path: Path) -> None:
    tokenizer = ti.train(MIXED, variant, 400, SPECIALS)
    seed, size = 20, examples(CODE_POINTS)

    def read() -> Iterator[str]:
        return generated(seed, size)

    total = sum(len(text.encode("utf-8", "replace")) for text in read())
    weight = 1 + total // SMALLEST_SHARE
    texts = [Texts(adversarial.CORPUS, sum(1 for _ in read()), total, read, weight)]
    with Processes() as processes:
        found = {"it": comparisons(tokenizer, Setting(seed, 2), tuple(CONSISTENCY), tmp_path, total, processes)}
        shares = [one.share for one in found["it"] if isinstance(one, Comparison) and one.share is not None]
        assert min(shares) * weight >= total
        pairs = check_all({"it": tokenizer}, texts, found, tuple(CONSISTENCY), Plan(None, 1, seed), seed)[1]
    print(*(f"{verdict.check}: {verdict.detail}" for verdict, _ in pairs), sep="\n")  # -rP shows how much was covered
    failed = [verdict_text(verdict) for verdict, _ in pairs if verdict.outcome not in ("pass", "not_measured")]
    assert not failed, "\n\n".join(failed)
    assert {verdict.check for verdict, _ in pairs} == set(CONSISTENCY) - {"training"}
