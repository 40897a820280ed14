"""The gate: proof, on the user's own text, that every way to encode gives the same ids.

``run_gate`` gives a :class:`GateReport`; ``evalkit.gate.render`` turns it into text. The parts: ``paths`` (the
ways to encode), ``peers`` (what else a tokenizer is compared with), ``properties`` (what holds of one text),
``documents`` (what is checked), ``consistency`` (one tokenizer on one corpus), ``judging`` (the smallest text),
``thresholds``, ``baseline``, ``cases`` and ``rerun`` (failures as files).
"""

from __future__ import annotations

from evalkit.gate.divergence import Divergence
from evalkit.gate.run import GateOptions, baseline_path, run_gate
from evalkit.gate.verdicts import Coverage, GateReport, Verdict, not_run

__all__ = ["Coverage", "Divergence", "GateOptions", "GateReport", "Verdict", "baseline_path", "not_run", "run_gate"]
