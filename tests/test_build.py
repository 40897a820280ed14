"""From suite entries to tokenizers: ladders, mixes, the cache, and what can't be built."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tokenizers_impl as ti
from evalkit import build as building
from evalkit import mixing
from evalkit.build import BuiltTokenizer, build_tokenizers, by_name
from evalkit.cache import TokenizerCache, default_folder
from evalkit.corpus import Corpus, open_corpus
from evalkit.errors import UserError
from evalkit.suite import Suite, parse_suite
from tokenizers_impl import BaselineTokenizer, BPETokenizer, TokenizerError, cachedir, lexicon
from tokenizers_impl.patterns.spellings import SPELLINGS
from tokenizers_impl.training import truncate

SUITE = """
version: 1
name: small
seed: 3
corpora:
  a: {files: [a.txt], separator: "\\n"}
  b: {files: [b.txt], separator: "\\n"}
  c: {files: [c.txt], separator: "\\n"}
tokenizers:
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Three corpora of 200 documents each, and that folder as the working directory."""
    for name, words in (
        ("a", "low lower lowest"),
        ("b", "new newer newest widest"),
        ("c", "北京 是 中国 的 首都"),
    ):
        parts = words.split()
        lines = [f"{parts[i % len(parts)]} {parts[i * 7 % len(parts)]} {i % 50}" for i in range(200)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8", newline="\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opened(entries: str) -> tuple[Suite, dict[str, Corpus]]:
    suite = parse_suite(SUITE + entries)
    trained = suite.trained_on()
    corpora = {
        name: open_corpus(name, spec, base_dir=suite.base_dir, seed=suite.seed, trained_on=name in trained)
        for name, spec in suite.corpora.items()
    }
    return suite, corpora


def build(entries: str, cache: TokenizerCache | None = None, **rest: Any) -> list[BuiltTokenizer]:
    suite, corpora = opened(entries)
    return build_tokenizers(suite, corpora, cache=cache, **rest)


# ── kinds ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_one_trained_tokenizer(folder) -> None:
    entry = "  - {name: t, variant: digit1, train_on: a, vocab_size: 265, special_tokens: ['<s>']}\n"
    suite, corpora = opened(entry)
    [built] = build_tokenizers(suite, corpora)
    expected = ti.train(list(corpora["a"].documents("train")), "digit1", 265, ["<s>"])
    assert built.tokenizer == expected
    assert (built.name, built.kind, built.variant, built.asked_vocab_size) == ("t", "bpe", "digit1", 265)
    assert (built.trained_on, built.aliases, dict(built.undefined), built.notes) == (("a",), (), {}, ())
    assert built.training is not None
    assert built.training.stopped == "reached 265"


def test_a_list_of_corpora_is_all_text_of_all(folder) -> None:
    suite, corpora = opened("  - {name: t, variant: gpt2, train_on: [a, b], vocab_size: 270}\n")
    [built] = build_tokenizers(suite, corpora, threads=2)
    texts = [text for name in "ab" for text in corpora[name].documents("train")]
    assert built.tokenizer == ti.train(texts, vocab_size=270)
    assert built.trained_on == ("a", "b")


def test_a_ladder_is_trained_once_and_cut(folder, monkeypatch) -> None:
    calls = []
    train = ti.train
    monkeypatch.setattr(ti, "train", lambda *args, **rest: calls.append(args[2]) or train(*args, **rest))
    built = build("  - {name: t, variant: gpt2, train_on: a, vocab_size: [258, 261, 264]}\n")
    assert calls == [264]
    assert [one.name for one in built] == ["t@258", "t@261", "t"]
    assert [one.tokenizer.vocab_size for one in built] == [258, 261, 264]
    names = by_name(built)
    assert names["t@264"] is names["t"]
    _, corpora = opened("  - {name: t, variant: gpt2, train_on: a, vocab_size: 261}\n")
    assert names["t@261"].tokenizer == train(list(corpora["a"].documents("train")), vocab_size=261)
    assert names["t@261"].training is not None
    assert names["t@261"].training.stopped == "cut to 261 of 264"


def test_rungs_that_training_didnt_reach_are_undefined(folder) -> None:
    built = build("  - {name: t, variant: gpt2, train_on: a, vocab_size: [258, 5000, 9000]}\n")
    assert [one.name for one in built] == ["t@258", "t"]
    achieved = built[1].tokenizer.vocab_size
    assert built[1].asked_vocab_size == 9000
    assert built[1].aliases == ()
    assert dict(built[1].undefined) == {
        "t@5000": f"training stopped at {achieved:,}, below 5,000",
        "t@9000": f"training stopped at {achieved:,}, below 9,000",
    }
    assert any("no pair occurs twice" in note for note in built[1].notes)
    assert built[0].notes == built[1].notes[:-1]  # the rung was reached


def test_a_word_list_from_a_file(folder) -> None:
    (folder / "words.txt").write_text("北京\n\n中国\r\n首都\n", encoding="utf-8", newline="\n")
    entry = "  - {name: t, variant: zh, train_on: c, vocab_size: 270, lexicon: words.txt}\n"
    [built] = build(entry)
    assert isinstance(built.tokenizer, BPETokenizer)
    assert built.tokenizer.lexicon == ("中国", "北京", "首都")
    (folder / "words.txt").write_text("北京\nlatin\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"words\.txt: line 2: 'latin' is not a word of 2 to 8 Han"):
        build(entry)
    with pytest.raises(UserError, match=r"tokenizers\[0\] \('t'\): no such file: .*none\.txt"):
        build(entry.replace("words.txt", "none.txt"))


def test_the_word_list_of_jieba(folder, monkeypatch) -> None:
    (folder / "site" / "jieba").mkdir(parents=True)
    (folder / "site" / "jieba" / "__init__.py").write_text("", encoding="utf-8")
    words = "北京 3 ns\n的 9 uj\nT恤 4 n\n首都 3 d\n中华人民共和国万岁 1 n\n"
    (folder / "site" / "jieba" / "dict.txt").write_text(words, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "jieba", raising=False)
    monkeypatch.syspath_prepend(str(folder / "site"))
    entry = "  - {name: t, variant: zh, train_on: c, vocab_size: 270, lexicon: jieba}\n"
    [built] = build(entry)
    assert isinstance(built.tokenizer, BPETokenizer)
    assert built.tokenizer.lexicon == ("北京", "首都")
    assert built.notes == ("the word list is jieba's: 2 words of 2 to 8 Han characters",)
    monkeypatch.setattr(building.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UserError, match="lexicon: jieba needs the package jieba"):
        build(entry)


def test_tokenizers_from_elsewhere(folder, monkeypatch) -> None:
    ti.train("low low lower", vocab_size=258).save("saved")
    ti.train("low low lower", vocab_size=258).save("hf", format="huggingface")
    built = build(
        "  - {name: f, file: saved}\n  - {name: b, baseline: bytes}\n  - {name: g, tiktoken: gpt2}\n"
        "  - {name: h, huggingface: hf/tokenizer.json}\n"
    )
    assert [(one.name, one.kind, one.variant) for one in built] == [
        ("f", "file", "gpt2"),
        ("b", "baseline", None),
        ("g", "tiktoken", "gpt2"),
        ("h", "huggingface", "gpt2"),
    ]
    assert built[3].tokenizer == built[0].tokenizer
    assert built[3].notes == ()
    assert built[2].tokenizer.encode_ordinary("hello world") == [31373, 995]
    assert all(one.trained_on == () for one in built)


def test_own_patterns_and_directions_are_trained_like_variants(folder) -> None:
    spelling = next(spelling for spelling, name in SPELLINGS.items() if name == "gpt2")
    quoted = spelling.replace("'", "''")
    entries = [
        "  - {name: own, pattern: '[a-z]+|[^a-z]', train_on: a, vocab_size: 300}",
        f"  - {{name: spelled, pattern: '{quoted}', train_on: a, vocab_size: 300}}",
        "  - {name: plain, variant: gpt2, train_on: a, vocab_size: 300}",
        "  - {name: left, variant: digits3, train_on: a, vocab_size: 300}",
        "  - {name: right, variant: digits3, direction: right_to_left, train_on: a, vocab_size: 300}",
    ]
    own, spelled, plain, left, right = build("\n".join(entries) + "\n")
    assert own.variant == own.tokenizer.pattern == "[a-z]+|[^a-z]"
    assert own.tokenizer.pretokenize("ab12") == ["ab", "1", "2"]
    assert own.notes[0] == f"own split pattern: texts are cut by the {own.tokenizer.pattern_engine} engine"
    assert spelled.tokenizer == plain.tokenizer
    assert spelled.notes[0].startswith("own split pattern: it is the variant gpt2; texts are cut by")
    assert (left.variant, right.variant) == ("digits3", "digits3 right_to_left")
    assert right.tokenizer.pretokenize("1234") == ["1", "234"]


def test_the_words_baseline_learns_from_what_isnt_measured(folder) -> None:
    trained = "  - {name: t, variant: gpt2, train_on: a, vocab_size: 260}\n"
    suite, corpora = opened(trained + "  - {name: w, baseline: words}\n")
    built = by_name(build_tokenizers(suite, corpora))["w"]
    expected = BaselineTokenizer.fit(corpora["a"].documents("train"), building.WORDS_VOCAB_SIZE)
    assert built.tokenizer == expected
    assert "of a (the part held for training)" in built.notes[0]
    [alone] = build("  - {name: w, baseline: words}\n")
    assert "the measured text itself" in alone.notes[0]


def test_ids_that_are_too_large_to_be_counted_are_refused(folder: Path) -> None:
    vocab = dict(enumerate(ti.vocabulary.BYTES)) | {1 << 24: b"ab"}
    ti.BPETokenizer(vocab, [(b"a", b"b")]).save(folder / "wide.json")
    with pytest.raises(UserError, match=r"tokenizers\[0\] \('x'\): its largest id is 16,777,216, .* up to 16,777,215"):
        build("  - {name: x, file: wide.json}\n")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{name: x, python: 'no_such_module:b'}", "there is no module 'no_such_module', neither installed nor in"),
        ("{name: x, tiktoken: gpt3}", r"\('x'\): unknown tiktoken encoding 'gpt3'"),
        ("{name: x, huggingface: a.txt}", r"a\.txt is not valid JSON"),
        ("{name: x, file: nothing.json}", r"\('x'\): no such file: .*nothing\.json"),
        ("{name: x, file: a.txt}", r"a\.txt is neither \.json nor \.tiktoken"),
        (
            "{name: x, variant: gpt2, train_on: a, vocab_size: 300, special_tokens: ['x']}",
            "the special token 'x' is a single byte",
        ),
    ],
)
def test_what_cant_be_built_names_its_entry(folder, entry: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        build(f"  - {{name: first, baseline: chars}}\n  - {entry}\n")
    assert str(caught.value).startswith("tokenizers[1] ('x')")
    assert caught.value.where is not None
    assert caught.value.where.startswith("tokenizers[1]")


def test_progress_names_the_tokenizer_and_may_stop(folder, monkeypatch) -> None:
    seen: list[tuple[str, int, int]] = []

    def stop(*stage: Any) -> None:
        seen.append(stage)
        raise KeyboardInterrupt

    monkeypatch.setattr(ti, "train", lambda *args, progress, **rest: progress("count", 1, 2))
    with pytest.raises(KeyboardInterrupt):
        build("  - {name: t, variant: gpt2, train_on: a, vocab_size: 270}\n", progress=stop)
    assert seen == [("train t: count", 1, 2)]


# ── mixes ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_shares_of_bytes_by_whole_documents(folder) -> None:
    suite, corpora = opened("  - {name: t, variant: gpt2, train_on: {a: 3, b: 1}, vocab_size: 270}\n")
    mix = mixing.choose([corpora["a"], corpora["b"]], (0.75, 0.25), suite.seed)
    whole = [list(corpora[name].documents("train")) for name in "ab"]
    sizes = [sum(len(text.encode()) for text in texts) for texts in whole]
    total = min(sizes[0] / 0.75, sizes[1] / 0.25)
    chosen = [list(part.documents()) for part in mix.parts]
    for texts, every, share in zip(chosen, whole, (0.75, 0.25), strict=True):
        assert set(texts) <= set(every)
        got = sum(len(text.encode()) for text in texts)
        assert got <= share * total + 1
        assert share * total - got < max(len(text.encode()) for text in every)
    assert chosen[0] == whole[0] or chosen[1] == whole[1]  # one corpus is taken whole
    [built] = build_tokenizers(suite, corpora)
    assert built.tokenizer == ti.train([*chosen[0], *chosen[1]], vocab_size=270)
    assert built.notes[0].startswith(f"trained on {mix.bytes:,} bytes of whole documents: a 7")


def test_a_mix_depends_on_the_seed_and_not_on_the_order_of_documents(folder) -> None:
    entry = "  - {name: t, variant: gpt2, train_on: {a: 1, b: 3}, vocab_size: 270}\n"

    def documents(seed: int) -> list[str]:
        _suite, corpora = opened(entry)
        return sorted(mixing.choose([corpora["a"], corpora["b"]], (0.25, 0.75), seed).documents())

    first = documents(3)
    assert documents(3) == first
    assert documents(4) != first
    for name in ("a", "b"):
        lines = (folder / f"{name}.txt").read_text(encoding="utf-8").split("\n")
        (folder / f"{name}.txt").write_text("\n".join(reversed(lines)), encoding="utf-8", newline="\n")
    assert documents(3) == first


# ── the cache ───────────────────────────────────────────────────────────────────────────────────────────────

ENTRY = "  - {name: t, variant: gpt2, train_on: {a: 1, b: 1}, vocab_size: [260, 270]}\n"


@pytest.fixture
def no_training(monkeypatch) -> Any:
    def forbid() -> None:
        def refuse(*_: Any, **__: Any) -> Any:
            raise AssertionError("trained although it is in the cache")

        monkeypatch.setattr(ti, "train", refuse)

    return forbid


def test_a_second_build_comes_from_the_cache(folder, no_training) -> None:
    first = build(ENTRY, TokenizerCache(folder / "cache"))
    no_training()
    second = build(ENTRY, TokenizerCache(folder / "cache"))
    assert [one.tokenizer for one in second] == [one.tokenizer for one in first]
    assert [one.training for one in second] == [one.training for one in first]
    assert len(list((folder / "cache").iterdir())) == 1


OTHER = "\n".join(f"low lower {number}" for number in range(100))
CHANGES = [
    ("another size", ENTRY.replace("270", "271"), None),
    ("another variant", ENTRY.replace("gpt2", "digit1"), None),
    ("another frequency", ENTRY.replace("270]}", "270], min_frequency: 3}"), None),
    ("a special token", ENTRY.replace("270]}", "270], special_tokens: ['<s>']}"), None),
    ("other shares", ENTRY.replace("a: 1", "a: 2"), None),
    ("no shares", ENTRY.replace("{a: 1, b: 1}", "[a, b]"), None),
    (
        "other text",
        ENTRY,
        lambda folder: (folder / "a.txt").write_text(OTHER, encoding="utf-8"),
    ),
]


@pytest.mark.parametrize(("what", "entry", "change"), CHANGES, ids=[what for what, *_ in CHANGES])
def test_whatever_decides_the_tokenizer_is_in_the_key(folder, what: str, entry: str, change: Any) -> None:
    build(ENTRY, TokenizerCache(folder / "cache"))
    if change is not None:
        change(folder)
    cached = build(entry, TokenizerCache(folder / "cache"))
    assert len(list((folder / "cache").iterdir())) == 2
    assert [one.tokenizer for one in cached] == [one.tokenizer for one in build(entry)]


def test_the_code_version_is_in_the_key(folder, monkeypatch) -> None:
    build(ENTRY, TokenizerCache(folder / "cache"))
    monkeypatch.setattr(building, "CODE_VERSION", building.CODE_VERSION + 1)
    build(ENTRY, TokenizerCache(folder / "cache"))
    assert len(list((folder / "cache").iterdir())) == 2


def test_the_version_of_the_learner_of_words_is_in_the_key(folder, monkeypatch) -> None:
    entry = "  - {name: t, variant: zh, train_on: c, vocab_size: 270}\n"
    for version in (lexicon.LEARNER_VERSION, lexicon.LEARNER_VERSION, lexicon.LEARNER_VERSION + 1):
        monkeypatch.setattr(lexicon, "LEARNER_VERSION", version)
        [built] = build(entry, TokenizerCache(folder / "cache"))
        assert built.variant == "zh"
    assert len(list((folder / "cache").iterdir())) == 2


@pytest.mark.parametrize("damage", [lambda d: b"", lambda d: d[:-5], lambda d: d.replace(b"low", b"loq", 1)])
def test_a_damaged_entry_is_noted_and_built_again(folder, damage: Any) -> None:
    [*_, first] = build(ENTRY, TokenizerCache(folder / "cache"))
    [entry] = (folder / "cache").iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    [*_, again] = build(ENTRY, TokenizerCache(folder / "cache"))
    assert again.tokenizer == first.tokenizer
    assert any("a cached tokenizer can't be used" in note and str(entry) in note for note in again.notes)
    assert hashlib.sha256(entry.read_bytes()).digest() != hashlib.sha256(damage(whole)).digest()
    assert build(ENTRY, TokenizerCache(folder / "cache"))[-1].tokenizer == first.tokenizer


def test_a_folder_that_cant_be_written_is_a_note(folder) -> None:
    (folder / "file").write_text("", encoding="utf-8")
    [*_, built] = build(ENTRY, TokenizerCache(folder / "file" / "cache"))
    assert any("EVALKIT_CACHE_DIR names another folder" in note for note in built.notes)


def test_no_cache_leaves_nothing(folder, monkeypatch) -> None:
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(folder / "cache"))
    build(ENTRY, TokenizerCache(None))
    assert not (folder / "cache").exists()


RACER = """
import sys
from pathlib import Path
import tokenizers_impl as ti
from evalkit.cache import TokenizerCache
tok = ti.train("low low lower lowest newest newer", vocab_size=262)
cache = TokenizerCache(Path(sys.argv[1]))
for _ in range(100):
    cache.put("key", tok)
    found = cache.get("key")
    assert found == tok, found
assert not cache.notes, cache.notes
"""


def test_processes_may_race_for_one_entry(folder) -> None:
    root = Path(ti.__file__).resolve().parent.parent
    environment = os.environ | {"PYTHONPATH": str(root)}
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, str(folder / "cache")], env=environment, cwd=folder)
        for _ in range(3)
    ]
    assert [racer.wait(timeout=120) for racer in racers] == [0, 0, 0]
    assert [path.name for path in (folder / "cache").iterdir()] == ["key.json"]


def test_where_the_cache_is(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "mine"))
    assert default_folder() == tmp_path / "mine" / "tokenizers"
    monkeypatch.delenv("EVALKIT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cachedir.cache_root() == tmp_path / "xdg" / "evalkit"
    monkeypatch.delenv("XDG_CACHE_HOME")
    home = Path.home()
    for platform, place in (("linux", home / ".cache"), ("darwin", home / "Library" / "Caches")):
        monkeypatch.setattr(cachedir.sys, "platform", platform)
        assert cachedir.cache_root() == place / "evalkit"
    monkeypatch.setattr(cachedir.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cachedir.cache_root() == tmp_path / "local" / "evalkit" / "Cache"


# ── truncating ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("variant", ["gpt2", "zh_char", "o200k"])
def test_truncating_is_training_to_the_smaller_size(variant: str) -> None:
    text = "low lower lowest newest widest 北京 中国 100 200 " * 4
    whole = ti.train(text, variant, 290, ["<s>", "<t>"])
    for size in range(258, whole.vocab_size + 1):
        cut = truncate(whole, size)
        assert cut == ti.train(text, variant, size, ["<s>", "<t>"])
        assert cut.training is not None
        assert cut.training.vocab_size == size


def test_truncating_keeps_ids_and_special_tokens_of_imported_ones() -> None:
    ranks = {bytes([i]): i for i in range(256)} | {b"ab": 300, b"abc": 302, b"zz": 310}
    tok = BPETokenizer.from_ranks(ranks, {"<s>": 305}, "gpt2")
    cut = truncate(tok, 259)
    assert cut.has_ranks
    assert cut.encode("abczz<s>", allowed_special="all") == [302, 122, 122, 305]
    with pytest.raises(TokenizerError, match=r"can be cut to sizes from 257 .* to its own, not to 261"):
        truncate(tok, 261)
    with pytest.raises(TokenizerError, match="not to 256"):
        truncate(tok, 256)


@pytest.mark.parametrize("threads", [1, 2])
def test_vocabularies_that_are_read_side_by_side_keep_their_places(folder: Path, threads: int) -> None:
    for size in (260, 262, 264):
        whole = ti.train("low lower lowest new newer newest", "gpt2", size, min_frequency=1)
        whole.save(folder / f"{size}.json", format="huggingface")
    names = {"a": 264, "b": 260, "c": 262}
    entries = "".join(f"  - {{name: {name}, huggingface: {size}.json}}\n" for name, size in names.items())
    built = build_tokenizers(*opened(entries), threads=threads)
    assert [(one.name, one.tokenizer.vocab_size) for one in built] == list(names.items())


@pytest.mark.parametrize("threads", [1, 2])
def test_of_several_that_cannot_be_read_the_first_is_named(folder: Path, threads: int) -> None:
    suite, corpora = opened("  - {name: one, tiktoken: gpt3}\n  - {name: two, tiktoken: gpt4}\n")
    with pytest.raises(UserError, match=r"tokenizers\[0\] \('one'\): unknown tiktoken encoding 'gpt3'"):
        build_tokenizers(suite, corpora, threads=threads)
