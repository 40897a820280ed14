"""The libraries that are measured: what they are called, imported as and installed from."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib import metadata

OURS = "evalkit"


@dataclass(frozen=True)
class Engine:
    name: str
    module: str
    distribution: str

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:  # ours, run from a checkout that isn't installed
            return "checkout"


ENGINES = {
    engine.name: engine
    for engine in (
        Engine(OURS, "tokenizers_impl", "evalkit"),
        Engine("tiktoken", "tiktoken", "tiktoken"),
        Engine("tokenizers", "tokenizers", "tokenizers"),
        Engine("gigatoken", "gigatoken", "gigatoken"),
        Engine("gigabpe", "gigabpe", "gigabpe"),
        Engine("rustbpe", "rustbpe", "rustbpe"),
        Engine("ffbpe", "ffbpe", "ffbpe"),
        Engine("bpeasy", "bpeasy", "bpeasy"),
        Engine("toktok", "toktok", "toktok-rs"),
        Engine("quicktok", "quicktok", "quicktok-v1"),
        Engine("bpe_openai", "bpe_openai", "bpe-openai"),
    )
}
