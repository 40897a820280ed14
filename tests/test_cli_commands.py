"""train, inspect, convert, variants, corpora, init and doctor, as they are typed."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest
from commandline import Done, evalkit

import tokenizers_impl as ti
from evalkit import doctor, embedded
from evalkit.inspection import cut_text, visible, with_bars
from evalkit.suite import load_suite
from tokenizers_impl import engine

TALES = "".join(f"Once upon a time there were {n} little bears.\n" for n in range(60))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("EVALKIT_DEBUG", "FORCE_COLOR", "NO_COLOR", "EVALKIT_REQUIRE_NATIVE"):
        monkeypatch.delenv(name, raising=False)
    Path("tales.txt").write_bytes(TALES.encode())


def typed(line: str, stdin: bytes = b"") -> Done:
    return evalkit(*line.split(), stdin=stdin)


# ── train ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_train_writes_a_tokenizer_and_says_how_it_went() -> None:
    done = typed("train --variant gpt2 --vocab-size 290 --special <s> --out tok tales.txt")
    assert (done.code, done.err) == (0, "")
    tok = ti.load("tok")
    assert tok == ti.train(TALES, "gpt2", 290, ["<s>"])
    lines = done.out.splitlines()
    assert lines[0] == "gpt2: 290 of 290 entries (reached 290)"
    assert lines[1].startswith(f"text: {len(TALES):,} bytes, ")
    assert re.fullmatch(r"count: \d+\.\d\d s(, peak memory [\d,]+ MB)?", lines[2])
    assert re.fullmatch(r"merge: \d+\.\d\d s(, peak memory [\d,]+ MB)?", lines[3])
    assert re.fullmatch(r"in all: \d+\.\d\d s( \([\d.]+ MB/s\))?, engine \w+", lines[4])
    assert lines[5] == f"tokenizer: {Path('tok/evalkit.json')} ({tok.fingerprint[:12]})"
    assert [file.name for file in Path("tok").iterdir()] == ["evalkit.json"]


def test_train_says_why_it_stopped() -> None:
    done = typed("train --variant gpt2 --vocab-size 9000 --min-frequency 30 --out tok tales.txt")
    assert done.code == 0
    size = ti.load("tok").vocab_size
    assert f"gpt2: {size:,} of 9,000 entries (stopped at {size:,} of 9,000: no pair occurs 30 times)" in done.out


def test_train_reads_standard_input_as_it_reads_a_file() -> None:
    line = "train --variant digits3 --vocab-size 300 --threads 1 --out"
    assert typed(f"{line} a tales.txt").code == 0
    assert typed(f"{line} b -", TALES.encode()).code == 0
    assert ti.load("a") == ti.load("b")


def test_train_takes_a_word_list() -> None:
    Path("zh.txt").write_text("北京大学在北京。" * 20, encoding="utf-8")
    Path("words.txt").write_text("北京\n\n大学\n", encoding="utf-8")
    done = typed("train --variant zh --vocab-size 262 --lexicon words.txt --out tok zh.txt")
    assert (done.code, done.err) == (0, "")
    assert "2 words in the word list" in done.out
    assert evalkit("inspect", "-t", "tok", "--lexicon").out.split() == ["北京", "大学"]


# ── inspect ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_inspect_cuts_with_bars_where_there_is_no_terminal() -> None:
    done = evalkit("inspect", "-t", "gpt2", "-t", "cl100k_base", "--ids", "I can't 12345 a|b")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "gpt2: 8 tokens, 17 bytes, 2.12 bytes/token\n"
        "I| can|'t| 123|45| a|\\x7c|b\n"
        "40 460 470 17031 2231 257 91 65\n"
        "\n"
        "cl100k_base: 9 tokens, 17 bytes, 1.89 bytes/token, +12.5%\n"
        "I| can|'t| |123|45| a|\\x7c|b\n"
        "40 649 956 220 4513 1774 264 91 65\n"
    )


def test_inspect_colours_on_a_terminal_unless_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    done = evalkit("inspect", "-t", "gpt2", "Hello<|endoftext|> 北京\n", terminal=True)
    assert done.code == 0
    cut = done.out.splitlines()[1]
    assert "|" not in cut.replace("<|endoftext|>", "")
    assert len(set(re.findall(r"\x1b\[([0-9;]+)m", cut)) - {"0"}) == 3
    assert "\\xe5\\x8c" in re.sub(r"\x1b\[[0-9;]*m", "", cut).replace("\\n", "")
    monkeypatch.setenv("NO_COLOR", "1")
    done = evalkit("inspect", "-t", "gpt2", "Hello world", terminal=True)
    assert done.out.splitlines()[1] == "Hello| world"


def test_inspect_reads_a_file_and_takes_specials_as_text() -> None:
    Path("a.txt").write_bytes(b"a\r\nb<|endoftext|>")
    done = evalkit("inspect", "-t", "gpt2", "--file", "a.txt")
    assert done.out.splitlines()[1:] == ["a|\\r|\\n|", "b|<|endoftext|>"]
    as_text = evalkit("inspect", "-t", "gpt2", "--file", "a.txt", "--special", "text").out
    assert as_text.splitlines()[-1].startswith("b|<|\\x7c|end")
    piped = evalkit("inspect", "-t", "gpt2", "--file", "-", stdin=b"a\xff")
    assert piped.code == 2
    assert "standard input: not UTF-8: byte 1" in piped.err


def test_inspect_of_an_empty_text() -> None:
    assert evalkit("inspect", "-t", "gpt2", "").out == "gpt2: 0 tokens, 0 bytes\n\n"


def test_inspect_never_sends_control_characters_to_the_terminal() -> None:
    done = evalkit("inspect", "-t", "gpt2", "a\x1b[31m\u202eb\x07")
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    assert "\\u{1b}" in done.out


def test_inspect_without_a_text_describes_the_vocabulary() -> None:
    typed("train --variant gpt2 --vocab-size 290 --special <s> --out tok tales.txt")
    done = evalkit("inspect", "-t", "tok")
    assert (done.code, done.err) == (0, "")
    for line in (
        "variant: gpt2",
        "entries: 290; the largest id is 289; 33 merges",
        "special tokens: 1: <s> (256)",
        "ids without a token: none",
        "the same bytes twice: none",
        "never come out of a text: 14 of 290",
        "neither proved nor found in a text: none",
    ):
        assert f"\n  {line}" in done.out


def test_the_lint_as_text_and_as_json() -> None:
    base = {i: bytes([i]) for i in range(256)}
    damaged = {300: b"ab", 301: b"abc", 305: "�".encode(), 306: b"1a", 307: b"ab"[:1] + b"\n"}
    ti.BPETokenizer(base | damaged, [(b"a", b"b")], {"<s>": 400}).save("odd.json")
    done = evalkit("inspect", "-t", "odd.json", "--json", "lint.json")
    assert (done.code, done.err) == (0, "")
    for line in (
        "ids without a token: 256–299, 302–304, 308–399",
        "with U+FFFD, from damaged text: 1: '�' 305",
        "numbers: the pattern takes numbers whole; after merging: every digit alone",
        "never come out of a text: 18 of 262",
        "  pattern-dead, the split pattern cuts inside them in every text: 2: '1a' 306, 'a\\n' 307",
        "    '1a' 306: no pretoken of the pattern has ‹1› with ‹a› after it: the pattern cuts between the two",
        "  merge-shadowed, their own bytes merge to other tokens, whatever stands around them: 2: 'abc' 301, '�' 305",
        "neither proved nor found in a text: none",
    ):
        assert f"\n  {line}" in done.out
    (content,) = json.loads(Path("lint.json").read_text(encoding="utf-8"))
    dead = {one["id"]: (one["kind"], one["hex"]) for one in content["never_emitted"]}
    assert dead[306] == ("pattern-dead", "3161")
    assert content["reachable"] == 262 - len(dead)
    assert content["unproven"] == []
    refused = evalkit("inspect", "-t", "odd.json", "--json", "lint.json", "some text")
    assert refused.code == 2
    assert "leave the text out" in refused.err


def test_what_is_shown_of_a_text_can_be_told_apart() -> None:
    tok = ti.from_tiktoken("gpt2")
    shown = with_bars(cut_text(tok, "a|b"))
    assert shown == "a|\\x7c|b"
    assert visible("e\u0301".encode()) == "e\u0301"
    assert visible("\u0301".encode()) == "◌\u0301"


# ── convert ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("format", ["evalkit", "tiktoken", "gpt2"])
def test_convert_keeps_every_id(format: str) -> None:
    done = evalkit("convert", "gpt2", "out", "--format", format)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(": 50,257 entries\n")
    text = "Hello, wörld! 123<|endoftext|>"
    assert ti.load("out").encode(text, "all") == ti.from_tiktoken("gpt2").encode(text, "all")


def test_convert_is_told_what_a_file_does_not_say() -> None:
    evalkit("convert", "gpt2", "a.tiktoken", "--format", "tiktoken")
    Path("a.tiktoken.json").unlink()
    missing = evalkit("convert", "a.tiktoken", "out", "--format", "evalkit")
    assert missing.code == 2
    assert "--variant" in missing.err
    done = evalkit(
        *("convert", "a.tiktoken", "out", "--format", "evalkit", "--variant", "gpt2"),
        *("--special", "<|endoftext|>=50256"),
    )
    assert (done.code, done.err) == (0, "")
    assert ti.load("out").fingerprint == ti.from_tiktoken("gpt2").fingerprint
    said = evalkit("convert", "gpt2", "out", "--format", "evalkit", "--variant", "gpt2")
    assert said.code == 2
    assert "leave both out" in said.err


def test_convert_refuses_what_would_change_an_id() -> None:
    Path("zh.txt").write_text("北京大学在北京。" * 20, encoding="utf-8")
    typed("train --variant zh --vocab-size 262 --out tok zh.txt")
    done = evalkit("convert", "tok", "out", "--format", "gpt2")
    assert done.code == 2
    assert not Path("out").exists()


# ── variants, corpora, init ─────────────────────────────────────────────────────────────────────────────────


def test_variants_lists_all_with_their_patterns() -> None:
    done = evalkit("variants")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["name", "version", "purpose", "source", "pattern"]
    for line, variant in zip(lines[1:], ti.variants(), strict=True):
        assert line.split()[:2] == [variant.name, str(variant.version)]
        assert line.endswith(variant.pattern)
        assert variant.purpose in line
        assert variant.source in line


def test_a_terminal_gets_a_table_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("TERM", "xterm")
    done = evalkit("variants", terminal=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.out)
    assert max(map(len, plain.splitlines())) <= 90
    assert "digits3" in plain


def test_corpora_list_and_verify() -> None:
    names = list(embedded.embedded_corpora())
    listed = evalkit("corpora", "list")
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == names
    verified = evalkit("corpora", "verify")
    assert verified.code == 0
    assert [line.split(":")[0] for line in verified.out.splitlines()] == names
    assert evalkit("corpora", "verify", "zh").out.startswith("zh: as the manifest says")
    fetched = evalkit("corpora", "fetch", "zh")
    assert fetched.code == 0
    assert "needs no fetching" in fetched.out
    assert "fetching others is not in this version" in evalkit("corpora", "fetch", "pile").err


def test_corpora_verify_ends_with_2_for_a_damaged_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "verify", lambda corpus: ["a.txt is short."] if corpus.name == "zh" else [])
    done = evalkit("corpora", "verify")
    assert done.code == 2
    assert "zh: a.txt is short." in done.out
    assert done.err.startswith("error: 1 of ")


def test_init_writes_a_suite_that_runs_and_never_replaces_one_unasked() -> None:
    done = evalkit("init")
    assert (done.code, done.err) == (0, "")
    assert load_suite("suite.yaml").name == "my-suite"
    ran = evalkit("run", "suite.yaml")
    assert (ran.code, ran.err) == (0, "")
    Path("suite.yaml").write_text("mine", encoding="utf-8")
    assert evalkit("init").code == 2
    assert Path("suite.yaml").read_text(encoding="utf-8") == "mine"
    assert evalkit("init", "--force").code == 0
    assert evalkit("init", "sub/other.yaml").code == 0
    assert Path("sub/other.yaml").read_bytes() == Path("suite.yaml").read_bytes()


def test_what_the_starter_has_in_comments_is_right_too() -> None:
    evalkit("init")
    text = Path("suite.yaml").read_text(encoding="utf-8")
    uncommented = re.sub(r"^  # (?=(mine:|chats:|  \w|- \{name: (o200k|before)))", "  ", text, flags=re.MULTILINE)
    Path("suite.yaml").write_text(uncommented.replace("    # min_f", "    min_f"), encoding="utf-8")
    suite = load_suite("suite.yaml")
    assert {"mine", "chats"} <= set(suite.corpora)
    assert len(suite.tokenizers) == 5


# ── doctor ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_doctor_names_everything() -> None:
    done = evalkit("doctor")
    assert done.code == 0, done.out
    assert done.err == ""
    topics = [line[8:].split(":")[0] for line in done.out.splitlines()]
    expected = "evalkit,tokenizers_impl,imported from,engine,self-test,python,numpy,regex,tiktoken,Unicode of evalkit"
    more = "Unicode of regex,Unicode of tiktoken,segmenter,cache,threads,free memory,embedded corpora,built-in suites"
    assert set(f"{expected},{more}".split(",")) <= set(topics)
    for name in doctor.ENCODINGS:
        assert f"vocabulary {name}" in topics


def test_the_doctor_ends_with_2_when_something_needed_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_loaded", (engine._reference(), "reference", "for a test"))
    noted = evalkit("doctor")
    assert noted.code == 0
    assert "note    engine: reference (plain Python, slow; no words): for a test" in noted.out
    monkeypatch.setenv("EVALKIT_REQUIRE_NATIVE", "1")
    done = evalkit("doctor")
    assert done.code == 2
    assert "BROKEN  engine: reference" in done.out
    assert done.err == "error: 1 thing is broken\n"


def test_an_engine_that_there_is_none_of_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    says = "EVALKIT_ENGINE is 'natve' (did you mean 'native'?); it is native or reference, or not set"
    monkeypatch.setattr(engine, "_loaded", None)
    monkeypatch.setenv(engine.VARIABLE, "natve")
    done = evalkit("inspect", "-t", "gpt2", "low")
    assert (done.code, done.err) == (2, f"error: {says}\n")
    asked = evalkit("doctor")
    assert asked.code == 2
    assert f"BROKEN  engine: TokenizerError: {says}" in asked.out
    for value, name in (("", "native"), ("native", "native"), ("reference", "reference")):
        monkeypatch.setattr(engine, "_loaded", None)
        monkeypatch.setenv(engine.VARIABLE, value)
        assert engine.name() == name


def test_a_core_of_other_sources_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checksum is that of native/build.rs."""
    native = tmp_path / "native"
    (native / "src" / "py").mkdir(parents=True)
    (native / "Cargo.toml").write_bytes(b"[package]\n")
    (native / "src" / "py" / "mod.rs").write_bytes(b"// one\n")
    (native / "src" / "lib.rs").write_bytes(b"mod py;\n")
    joined = b"Cargo.toml[package]\nsrc/lib.rsmod py;\nsrc/py/mod.rs// one\n"
    core = SimpleNamespace(SOURCES=f"{zlib.crc32(joined):08x}", __name__="native")
    with monkeypatch.context() as patch:
        patch.setattr(engine, "__file__", str(tmp_path / "tokenizers_impl" / "engine.py"))
        patch.setattr(engine, "_loaded", (core, "native", "for a test"))
        assert engine.stale() is None
        (native / "src" / "lib.rs").write_bytes(b"mod py; // changed\n")
        assert "was built from other sources" in (engine.stale() or "")
        patch.setattr(engine, "_loaded", (SimpleNamespace(__name__="native"), "native", "an older one"))
        assert "(unknown)" in (engine.stale() or "")
        patch.setattr(engine, "_loaded", (core, "reference", "for a test"))
        assert engine.stale() is None
    monkeypatch.setattr(doctor.engine, "stale", lambda: "the core is stale")
    if engine.name() == "native":
        assert "note    core: the core is stale" in evalkit("doctor").out


def test_the_core_here_is_that_of_the_sources() -> None:
    if engine.name() != "native":
        pytest.skip("the compiled core is not in use")
    assert re.fullmatch("[0-9a-f]{8}", engine.active().SOURCES)


@pytest.mark.parametrize(("editable", "says"), [(True, "here"), (True, "elsewhere"), (False, "elsewhere")])
def test_the_doctor_tells_two_checkouts_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, editable: bool, says: str
) -> None:
    for place in ("here", "elsewhere"):
        (tmp_path / place / "evalkit").mkdir(parents=True)
        (tmp_path / place / "pyproject.toml").touch()
    monkeypatch.setattr(doctor.evalkit, "__file__", str(tmp_path / "here" / "evalkit" / "__init__.py"))
    url = {"url": (tmp_path / says).as_uri(), "dir_info": {"editable": editable}}
    installed = SimpleNamespace(
        read_text=lambda name: json.dumps(url), locate_file=lambda name: tmp_path / "elsewhere" / name
    )
    monkeypatch.setattr(doctor.importlib.metadata, "distribution", lambda name: installed)
    found = {one.topic: one for one in doctor._packages()}
    if says == "here":
        assert found["imported from"].value == "the source folder, installed as editable"
    else:
        assert f"although evalkit is installed at {tmp_path / 'elsewhere' / 'evalkit'}" in found["imported from"].value
    assert found["one tree"].state == "broken"  # tokenizers_impl is that of the tests


def test_an_examination_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(doctor, "_EXAMINATIONS", (("topic", fails),))
    assert list(doctor.examine()) == [doctor.Finding("topic", "RuntimeError: no", "broken")]
