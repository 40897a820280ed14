"""A tokenizer as Hugging Face's ``tokenizer.json``, checked by encoding before it is written.

The ids are those of ``encode(text, add_special_tokens=False)`` there: with special tokens they are those of
``encode(text, allowed_special="all")`` here. Special tokens stand in the vocabulary as well, since ``tokenizers``
gives any other added token an id of its own choice.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tokenizers_impl.atomic import write_text
from tokenizers_impl.errors import TokenizerError
from tokenizers_impl.formats import hf_upstream
from tokenizers_impl.formats.gpt2 import first_unmerged, from_characters, to_characters
from tokenizers_impl.formats.hf_split import in_oniguruma
from tokenizers_impl.formats.huggingface import FILE_NAME, VERSION, load
from tokenizers_impl.formats.limits import parse_json
from tokenizers_impl.registry import RIGHT_TO_LEFT
from tokenizers_impl.tiktoken_adapter import PROBES

if TYPE_CHECKING:
    from tokenizers_impl.tokenizer import BPETokenizer

SAMPLED_TOKENS = 20_000


def targets(path: Path) -> list[Path]:
    """What saving writes."""
    return [path if path.suffix == ".json" else path / FILE_NAME]


def save(tokenizer: BPETokenizer, path: Path) -> Path:
    """Writes the file, or ``tokenizer.json`` in the folder ``path``; returns the file's path."""
    [target] = targets(path)
    text = dumps(tokenizer)
    _check(tokenizer, text, target)
    return write_text(target, text)


def dumps(tokenizer: BPETokenizer) -> str:
    """The file's text, unchecked; the same tokenizer always gives the same text."""
    content = {
        "version": VERSION,
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": token_id,
                "content": text,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for text, token_id in sorted(tokenizer.special_tokens.items(), key=lambda item: item[1])
        ],
        "normalizer": None,
        "pre_tokenizer": _pre_tokenizer(tokenizer),
        "post_processor": None,
        "decoder": _byte_level(use_regex=True),
        "model": _model(tokenizer),
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _refuse(why: str) -> NoReturn:
    raise TokenizerError(f"can't be saved as huggingface: {why}")


def _pre_tokenizer(tokenizer: BPETokenizer) -> dict[str, Any]:
    if tokenizer.lexicon is not None:
        _refuse(f"the word list of a {tokenizer.variant} tokenizer has no place in the file; save it as evalkit")
    if tokenizer.direction == RIGHT_TO_LEFT:
        _refuse("digit groups from the right have no split pattern that is fast in tokenizers; save it as evalkit")
    if tokenizer.variant == "gpt2":
        return _byte_level(use_regex=True)
    if tokenizer.variant == "bytes_only":
        return _byte_level(use_regex=False)
    pattern = {"Regex": in_oniguruma(tokenizer.pattern)}
    split = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, _byte_level(use_regex=False)]}


def _byte_level(use_regex: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}


def _model(tokenizer: BPETokenizer) -> dict[str, Any]:
    special_ids = set(tokenizer.special_tokens.values())
    vocab = {to_characters(token): i for i, token in tokenizer.vocab.items() if i not in special_ids}
    # Ranks need it only where merging doesn't reach a token; a vocabulary that has it keeps it in any case.
    whole = tokenizer.ignore_merges and (not tokenizer.has_ranks or first_unmerged(tokenizer) is not None)
    for text, token_id in tokenizer.special_tokens.items():
        if text in vocab:
            _refuse(f"the special token {text!r} would be written like the ordinary token {from_characters(text)!r}")
        if whole and (word := _spelled(text)) not in (None, text):
            _refuse(f"the text {word!r} would be written like the special token {text!r} and get its id")
        vocab[text] = token_id
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": whole,
        "vocab": dict(sorted(vocab.items(), key=lambda item: item[1])),
        "merges": [[to_characters(left), to_characters(right)] for left, right in tokenizer.merges],
    }


def _spelled(text: str) -> str | None:
    try:
        return from_characters(text).decode()
    except (KeyError, UnicodeDecodeError):
        return None


def _check(tokenizer: BPETokenizer, text: str, target: Path) -> None:
    """Encodes with the file that is about to be written: by ``tokenizers`` where it is installed, else by our own
    reader."""
    if not hf_upstream.is_installed():
        again = load(parse_json(text.encode(), target))
        for sample in _samples(tokenizer):
            if again.encode(sample, allowed_special="all") != tokenizer.encode(sample, allowed_special="all"):
                _refuse(f"read back, it gives other ids for {sample[:60]!r}")
        return
    try:
        encoding = hf_upstream.HuggingfaceEncoding(json.loads(text))
    except Exception as error:  # tokenizers raises Exception itself
        _refuse(f"tokenizers doesn't take it: {error}")
    for sample in _samples(tokenizer):
        if (found := hf_upstream.difference(tokenizer, encoding, sample)) is not None:
            ours, theirs = found
            _refuse(
                f"tokenizers would give other ids for {sample[:60]!r}: {str(theirs)[:80]} instead of {str(ours)[:80]}"
            )


def _samples(tokenizer: BPETokenizer) -> list[str]:
    """What splitters and special tokens turn on, and tokens of the vocabulary that are texts, on lines and in a row;
    of a large one every so many, which keeps the check to a second or two."""
    special_ids = set(tokenizer.special_tokens.values())
    tokens = [
        token.decode("utf-8", "ignore") for token_id, token in tokenizer.vocab.items() if token_id not in special_ids
    ]
    tokens = tokens[:: len(tokens) // SAMPLED_TOKENS + 1]
    rows = ["".join(tokens[at : at + 500]) for at in range(0, len(tokens), 500)]
    apart = ["\n".join(tokens[at : at + 500]) for at in range(0, len(tokens), 500)]
    return [*PROBES, *hf_upstream.texts_with_specials(tokenizer), *rows, *apart]
