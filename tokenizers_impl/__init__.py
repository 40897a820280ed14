"""Byte-level BPE tokenizers: a registry of split patterns, one trainer, one encoder, and adapters.

Knows nothing of suites, corpora or reports; those are ``evalkit``'s. Names are loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers_impl.baselines import BaselineTokenizer
    from tokenizers_impl.errors import TokenizerError
    from tokenizers_impl.formats import load
    from tokenizers_impl.formats.huggingface import from_huggingface
    from tokenizers_impl.records import TrainingRecord
    from tokenizers_impl.registry import Variant, get_variant, variants
    from tokenizers_impl.splitters import pattern_engine
    from tokenizers_impl.splitting import pretokenize
    from tokenizers_impl.tiktoken_adapter import from_tiktoken
    from tokenizers_impl.tokenizer import BPETokenizer
    from tokenizers_impl.training import train

_HOMES = {
    "BPETokenizer": "tokenizer",
    "BaselineTokenizer": "baselines",
    "TokenizerError": "errors",
    "TrainingRecord": "records",
    "Variant": "registry",
    "from_huggingface": "formats.huggingface",
    "from_tiktoken": "tiktoken_adapter",
    "get_variant": "registry",
    "load": "formats",
    "pattern_engine": "splitters",
    "pretokenize": "splitting",
    "train": "training",
    "variants": "registry",
}

__all__ = [
    "BPETokenizer",
    "BaselineTokenizer",
    "TokenizerError",
    "TrainingRecord",
    "Variant",
    "from_huggingface",
    "from_tiktoken",
    "get_variant",
    "load",
    "pattern_engine",
    "pretokenize",
    "train",
    "variants",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(f"{__name__}.{_HOMES[name]}")
    return getattr(home, name)
