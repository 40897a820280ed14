"""What a vocabulary costs the model that will use it: arithmetic on the suite's ``select:``, nothing measured anew.

Assumptions, which the report repeats:

- A decoder of ``n_layers`` layers of width ``d_model`` with multi-head attention and a feed-forward part four times as
  wide has 12 · n_layers · d_model² parameters besides its embedding.
- The embedding has a row for every id up to the largest, of ``d_model`` numbers: once if ``tied``, else twice. The
  output side multiplies with all of its rows for every token, the input side looks one up.
- Training takes 6 operations a parameter and token, forward and backward, and 6 · n_layers · context · d_model for the
  attention at full context (Kaplan et al. 2020, Scaling Laws for Neural Language Models, 2001.08361, section 2.1).
- The cache of keys and values takes 2 · n_layers · d_model numbers of two bytes a token: no grouped queries, no
  quantisation. With g query heads to one of keys and values, divide by g.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from evalkit.results import Row, TokenizerRecord
from evalkit.selection_records import CostRecord, ModelRecord, OptimumRecord
from evalkit.stats import canonical
from evalkit.suite_schema import SelectSpec
from evalkit.values import Undefined
from tokenizers_impl.vocabulary import BYTES

CACHE_BYTES = 2
"""Bytes of a number in the cache of keys and values."""


class Model(ModelRecord):
    """The model a vocabulary is chosen for; counts of layers and widths, ``context`` in tokens.

    >>> model = Model(d_model=2048, n_layers=24, context=4096, tied=False)
    >>> model.other_parameters, model.embedding_parameters(32_000), model.cache_bytes
    (1207959552, 131072000, 196608)
    """

    @property
    def other_parameters(self) -> int:
        """All but the embedding."""
        return 12 * self.n_layers * self.d_model**2

    def embedding_parameters(self, rows: int) -> int:
        """Of a vocabulary with so many rows."""
        return rows * self.d_model * (1 if self.tied else 2)

    def training_flops(self, rows: int) -> int:
        """Of one token, forward and backward.

        >>> Model(d_model=10, n_layers=2, context=100, tied=True).training_flops(50)  # 6·(2400 + 500) + 6·2·100·10
        29400
        """
        attention = 6 * self.n_layers * self.context * self.d_model
        return 6 * (self.other_parameters + rows * self.d_model) + attention

    @property
    def cache_bytes(self) -> int:
        """Of the keys and values of one token."""
        return 2 * self.n_layers * self.d_model * CACHE_BYTES


def model_of(select: SelectSpec) -> Model:
    """The model of a suite."""
    return Model(select.d_model, select.n_layers, select.context, select.tied)


def candidates(select: SelectSpec, tokenizers: Sequence[TokenizerRecord]) -> list[TokenizerRecord]:
    """Those that the suite names, else all; never a baseline, nor one without a largest id."""
    able = [t for t in tokenizers if t.kind != "baseline" and t.max_id is not None]
    if select.candidates:
        return [t for t in able if {t.name, *t.aliases} & set(select.candidates)]
    return able


def cost_records(
    select: SelectSpec, tokenizers: Sequence[TokenizerRecord], rows: Sequence[Row]
) -> Iterator[CostRecord]:
    """The cost of every candidate on every corpus, from its bytes per token there (the ratio of sums)."""
    model = model_of(select)
    wanted = ("bytes_per_token", "micro")
    figures = {(row.corpus, row.tokenizer): row for row in rows if (row.metric, row.aggregation) == wanted}
    for corpus in dict.fromkeys(row.corpus for row in rows):
        for tokenizer in candidates(select, tokenizers):
            row = figures.get((corpus, tokenizer.name))
            assert tokenizer.max_id is not None
            entries = tokenizer.max_id + 1
            value = None if row is None else row.value
            yield CostRecord(
                corpus=corpus,
                tokenizer=tokenizer.name,
                rows=entries,
                embedding_parameters=model.embedding_parameters(entries),
                other_parameters=model.other_parameters,
                bytes_per_token=value,
                training_flops_per_byte=_per_byte(model.training_flops(entries), value),
                cache_bytes_per_byte=_per_byte(model.cache_bytes, value),
                context_bytes=None if value is None else canonical(model.context * value),
                undefined_reason=None if value is not None else _reason(row),
            )


def _per_byte(per_token: int, bytes_per_token: float | None) -> float | None:
    return None if not bytes_per_token else canonical(per_token / bytes_per_token)


def _reason(row: Row | None) -> str:
    if row is None:
        return "bytes_per_token was not measured (measure: metrics)"
    return row.undefined_reason or "it has no bytes per token"


# ── the law of Tao et al. ───────────────────────────────────────────────────────────────────────────────────

# Tao et al. 2024, Scaling Laws with Vocabulary (2407.13623): fitted on models of 33 M to 3 B parameters and mostly
# English text, the vocabulary's parameters counted once. Their numbers, with N and V · d in parameters, C in FLOPs:
_N_OF_C = math.exp(-2.4846510161625193)  # approach 1: N = k · C^½ …
_V_OF_C, _V_POWER = math.exp(-1.589031299255507), 0.4163622634135234  # … and V · d = k · C^0.416
_BASE_N, _BASE_V, _GAMMA = 33_000_000, 3_145_728, 0.8353974035228025  # approach 2: V · d grows as N^0.835
_A2, _B, _ALPHA2, _BETA = 0.19584238398665638, 2.1241123120064955, 0.6707374679896795, 0.44660634152009615  # approach 3


def tao_isoflops(parameters: int, d_model: int) -> float:
    """The optimal number of entries by the fit over compute (approach 1), where data is in proportion to the model.

    >>> round(tao_isoflops(7_000_000_000, 4096), -3)
    62000.0
    """
    compute = (parameters / _N_OF_C) ** 2
    return float(_V_OF_C * compute**_V_POWER / d_model)


def tao_derivative(parameters: int, d_model: int) -> float:
    """The same by the derivative of compute (approach 2).

    >>> round(tao_derivative(7_000_000_000, 4096), -3)
    67000.0
    """
    return float(_BASE_V * (parameters / _BASE_N) ** _GAMMA / d_model)


def tao_parametric(parameters: int, d_model: int) -> float | Undefined:
    """The same by the fit of the loss (approach 3), at the compute that approach 1 pairs with the model: the V that
    makes A / (V·d)^α + B / D^β smallest, D = C / 6(N + V·d). Its derivative changes sign once; bisected. Undefined
    where it changes nowhere between 1 parameter and 10¹⁵.

    >>> round(tao_parametric(7_000_000_000, 4096), -3)
    60000.0
    """
    n, budget = parameters / 1e6, (parameters / _N_OF_C) ** 2 / 1e15  # in the fit's units: millions, and 10¹⁵ FLOPs

    def slope(v: float) -> float:
        data = budget / (6 * (n + v))
        of_vocabulary = -_ALPHA2 * _A2 / v ** (_ALPHA2 + 1)
        of_data = _BETA * _B * budget / (6 * (n + v) ** 2) / data ** (_BETA + 1)
        return float(of_vocabulary + of_data)

    low, high = first, last = 1e-6, 1e9
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    if low == first or high == last:
        return Undefined("its loss has no minimum in the range that is searched: it wasn't fitted on such models")
    return float(low * 1e6 / d_model)


TAO = {"iso-FLOPs": tao_isoflops, "derivative": tao_derivative, "parametric loss": tao_parametric}


def optimum_records(select: SelectSpec) -> Iterator[OptimumRecord]:
    """The vocabulary size that each approach of the law gives for the suite's model, or why it says nothing."""
    model = model_of(select)
    for name, law in TAO.items():
        size = law(model.other_parameters, model.d_model)
        if not isinstance(size, Undefined) and size < len(BYTES):
            size = Undefined(
                f"it gives {size:,.0f} entries, fewer than there are bytes ({len(BYTES)}): it wasn't fitted on such "
                "models"
            )
        reason = size.reason if isinstance(size, Undefined) else None
        yield OptimumRecord("Tao et al. 2024", name, None if isinstance(size, Undefined) else round(size), reason)
