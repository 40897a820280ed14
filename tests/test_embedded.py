"""The data that travels with evalkit is complete, unchanged, and found from anywhere."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import runpy
import subprocess
import sys
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import pytest

from evalkit import embedded
from evalkit.errors import UserError, nearest

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT / "corpora"
LIMIT = 3_000_000

FOLDERS = sorted(path.name for path in CORPORA.iterdir() if (path / "README.md").exists())
GENERATORS = sorted(path.parent.name for path in CORPORA.glob("*/generate.py"))
FROZEN = {"code"}  # a snapshot of the source: that it differs from today's source is its purpose


def exit_code(script: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Run a script with ``--check`` in this process, which is much faster than a process for each."""
    monkeypatch.setattr(sys, "path", list(sys.path))  # scripts add the root of the tree
    monkeypatch.setattr(sys, "argv", [str(script), "--check"])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(str(script), run_name="__main__")
    return stopped.value.code


def documents(corpus: embedded.EmbeddedCorpus) -> list[str]:
    found: list[str] = []
    for file in corpus.files:
        text = file.path.read_bytes().decode("utf-8")
        if corpus.separator is not None:
            found += text.split(corpus.separator)
        elif corpus.document == "line":
            found += text.removesuffix("\n").split("\n")
        else:
            found += [json.loads(line)[corpus.field] for line in text.splitlines()]
    return found


@pytest.mark.parametrize("name", embedded.embedded_corpora())
class TestEveryCorpus:
    def test_files_are_those_of_the_manifest(self, name: str) -> None:
        assert embedded.verify(embedded.embedded_corpus(name)) == []

    def test_counts_are_right(self, name: str) -> None:
        corpus = embedded.embedded_corpus(name)
        texts = documents(corpus)
        assert (len(texts), sum(map(len, texts))) == (corpus.documents, corpus.chars)
        assert sum(file.path.stat().st_size for file in corpus.files) == corpus.bytes

    def test_documents_are_text_that_differs(self, name: str) -> None:
        texts = documents(embedded.embedded_corpus(name))
        assert all(texts)
        assert len(set(texts)) == len(texts)

    def test_it_says_what_it_is(self, name: str) -> None:
        corpus = embedded.embedded_corpus(name)
        assert corpus.name == name
        assert corpus.licence == "MIT"
        assert corpus.title
        assert corpus.domain
        assert corpus.generator
        assert corpus.language.replace("-", "").isalpha()
        readme = corpus.readme.read_text(encoding="utf-8")
        assert "Limits" in readme or "limits" in readme
        assert "MIT" in readme


def test_every_folder_is_in_the_manifest_and_the_reverse() -> None:
    assert sorted(embedded.embedded_corpora()) == FOLDERS


def test_together_they_stay_small() -> None:
    assert sum(corpus.bytes for corpus in embedded.embedded_corpora().values()) <= LIMIT


def test_manifest_is_what_the_folders_give(monkeypatch: pytest.MonkeyPatch) -> None:
    assert exit_code(CORPORA / "make_manifest.py", monkeypatch) == 0


@pytest.mark.parametrize("name", [name for name in GENERATORS if name not in FROZEN])
def test_generators_give_the_committed_files(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert exit_code(CORPORA / name / "generate.py", monkeypatch) == 0


def test_a_changed_file_fails_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "corpora" / "hostile"
    folder.mkdir(parents=True)
    source = CORPORA / "hostile" / "generate.py"
    monkeypatch.syspath_prepend(str(ROOT))
    (folder / "generate.py").write_bytes(source.read_bytes())
    assert exit_code(folder / "generate.py", monkeypatch) == 1  # missing
    (folder / "hostile.jsonl").write_bytes(source.with_name("hostile.jsonl").read_bytes())
    assert exit_code(folder / "generate.py", monkeypatch) == 0
    with (folder / "hostile.jsonl").open("ab") as file:
        file.write(b"\n")
    assert exit_code(folder / "generate.py", monkeypatch) == 1


def test_code_snapshot_names_its_files() -> None:
    names = [text.split("\n", 1)[0].lstrip("#/ ") for text in documents(embedded.embedded_corpus("code"))]
    assert names == sorted(names)
    assert {Path(name).suffix for name in names} == {".py", ".rs"}


class TestHostile:
    def entries(self) -> list[dict[str, str]]:
        [file] = embedded.embedded_corpus("hostile").files
        return [json.loads(line) for line in file.path.read_text(encoding="ascii").splitlines()]

    def test_every_entry_has_a_reason_and_is_the_only_one(self) -> None:
        entries = self.entries()
        assert all(set(entry) == {"text", "why"} and len(entry["why"]) >= 10 for entry in entries)
        assert len({entry["text"] for entry in entries}) == len(entries)

    @pytest.mark.parametrize(
        "part",
        [
            *("\r\n", "\x00", "\ufeff", "\u2028", "\x85", "\u180e", "\u200b", "\u3000", "u \n\t\nv"),
            *("'\u017f", "\u212a", "\u2019ll", "\ud7ff", "\ue000", "\uffff", "\U0010ffff", "\u0378"),
            *("<|endoftext|>", "e\u0301", "\u200d", "Ⅷ", "²", "ǅ", "ﷺ", "𠮷", "\u1100\u1161", "🇳🇴"),
            *("A中BCD", "שלום", "٣", "\u1c89", "\U00016ea0"),
        ],
    )
    def test_it_holds(self, part: str) -> None:
        assert any(part in entry["text"] for entry in self.entries())

    def test_no_text_was_normalised(self) -> None:
        assert "\u00e9 e\u0301" in {entry["text"] for entry in self.entries()}


class TestParallel:
    def lines(self) -> dict[str, list[str]]:
        corpus = embedded.embedded_corpus("parallel")
        files = {language: corpus.part(language) for language in corpus.languages}
        return {
            language: part[0].path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
            for language, part in files.items()
        }

    def test_there_are_many_languages_and_sentences(self) -> None:
        lines = self.lines()
        assert len(lines) >= 12
        assert {len(some) for some in lines.values()} == {64}

    def test_a_line_holds_the_same_numbers_in_every_language(self) -> None:
        """Digits stand where they stand in English: a line that slipped would part them."""
        lines = self.lines()
        for number, english in enumerate(lines["en"]):
            digits = "".join(filter(str.isdigit, english))
            if digits in ("1030", "1998412", "35"):
                for language, some in lines.items():
                    assert "".join(filter(str.isdigit, some[number])) == digits, (language, number)

    def test_a_question_is_one_in_every_language(self) -> None:
        marks = {"el": ";", "ar": "؟", "ja": "か。", "zh": "？"}
        lines = self.lines()
        for number, english in enumerate(lines["en"]):
            if english.endswith("?"):
                for language, some in lines.items():
                    if language != "th":  # which writes no mark
                        assert some[number].endswith(marks.get(language, "?")), (language, number)

    def test_every_language_is_written_in_its_script(self) -> None:
        scripts = {"ar": "ARABIC", "el": "GREEK", "he": "HEBREW", "hi": "DEVANAGARI", "th": "THAI", "ru": "CYRILLIC"}
        for language, some in self.lines().items():
            letters = [character for line in some for character in line if character.isalpha()]
            share = sum(scripts.get(language, "") in unicodedata.name(letter) for letter in letters) / len(letters)
            assert share == 1, language

    def test_a_language_is_a_file_of_its_own(self) -> None:
        corpus = embedded.embedded_corpus("parallel")
        assert [file.language for file in corpus.part("de")] == ["de"]
        assert embedded.embedded_corpus("web").languages == ()
        assert embedded.embedded_corpus("web").part("en") == embedded.embedded_corpus("web").files


class TestLocator:
    def test_from_another_folder(self, tmp_path: Path) -> None:
        """Neither the working directory nor an import of the folder ``corpora`` may matter."""
        (tmp_path / "corpora").mkdir()
        program = (
            "from evalkit.embedded import embedded_corpora, verify, corpora_root\n"
            "print(corpora_root())\n"
            "print(*(name for name, corpus in embedded_corpora().items() if not verify(corpus)))\n"
        )
        where = str(Path(embedded.__file__).resolve().parents[1])
        output = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.append({where!r})\n{program}"],
            cwd=tmp_path,
            capture_output=True,
            check=True,
            text=True,
            encoding="utf-8",
        ).stdout.splitlines()
        assert (Path(output[0]) / "manifest.yaml").is_file()
        assert output[1].split() == list(embedded.embedded_corpora())

    def test_the_data_are_those_of_the_evalkit_that_runs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """An editable installation finds its own, whichever checkout the rest was imported from."""
        here, other = tmp_path / "here", tmp_path / "other"
        spec = SimpleNamespace(submodule_search_locations=[str(other)])
        monkeypatch.setattr(embedded, "find_spec", lambda name: spec)
        monkeypatch.setattr(embedded, "__file__", str(here / "evalkit" / "embedded.py"))
        for place in (other, here / "corpora", here / "evalkit" / "_corpora"):  # each before those that came earlier
            place.mkdir(parents=True)
            (place / "manifest.yaml").write_text("version: 1\ncorpora: []\n")
            assert embedded.corpora_root() == place
        assert embedded.embedded_corpora() == {}

    def test_missing_data_are_reported_with_the_places(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(embedded, "find_spec", lambda name: None)
        monkeypatch.setattr(embedded, "__file__", str(tmp_path / "evalkit" / "embedded.py"))
        with pytest.raises(UserError, match=r"not installed.*manifest\.yaml"):
            embedded.corpora_root()

    def test_unknown_name_gets_the_nearest(self) -> None:
        with pytest.raises(UserError, match="did you mean 'stories'\\?"):
            embedded.embedded_corpus("storys")
        with pytest.raises(UserError, match=r"'xyzzy'\. The embedded corpora are"):
            embedded.embedded_corpus("xyzzy")

    def test_suites_are_named_by_their_files(self) -> None:
        assert embedded.suites_root().is_dir()
        for name, path in embedded.builtin_suites().items():
            assert path.name == f"{name}.yaml"
            assert path.is_file()


class TestVerify:
    def broken(self, path: Path) -> embedded.EmbeddedCorpus:
        corpus = embedded.embedded_corpus("hostile")
        [file] = corpus.files
        return dataclasses.replace(corpus, files=(dataclasses.replace(file, path=path),))

    def test_missing_file(self, tmp_path: Path) -> None:
        [problem] = embedded.verify(self.broken(tmp_path / "gone.jsonl"))
        assert "gone.jsonl can't be read" in problem

    def test_other_length_and_other_content(self, tmp_path: Path) -> None:
        data = embedded.embedded_corpus("hostile").files[0].path.read_bytes()
        changed = tmp_path / "changed.jsonl"
        changed.write_bytes(data + b"\n")
        assert "bytes where the manifest says" in embedded.verify(self.broken(changed))[0]
        changed.write_bytes(data[:-1] + b" ")
        assert "SHA-256" in embedded.verify(self.broken(changed))[0]

    def test_the_corpus_hash_is_over_its_files(self) -> None:
        corpus = embedded.embedded_corpus("json")
        joined = "".join(file.sha256 for file in corpus.files)
        assert corpus.sha256 == hashlib.sha256(joined.encode()).hexdigest()

    def test_a_corpus_is_cut_in_one_way(self) -> None:
        corpus = embedded.embedded_corpus("json")
        with pytest.raises(ValueError, match="exactly one"):
            dataclasses.replace(corpus, field="text")
        with pytest.raises(ValueError, match="no files"):
            dataclasses.replace(corpus, files=())


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("storys", "did you mean 'stories'?"),
        ("SQL", "did you mean 'sql'?"),
        ("sq", "did you mean 'sql'?"),
        ("unrelated", ""),
    ],
)
def test_nearest(name: str, phrase: str) -> None:
    assert nearest(name, ["stories", "sql", "json"]) == phrase


def test_nearest_lists_several() -> None:
    assert nearest("owt-3k", ["owt-32k", "owt-8k", "owt"]).startswith("did you mean 'owt-32k'")
    assert nearest("ab", ["abc", "abd"]) == "did you mean 'abd' or 'abc'?"


def test_user_error_names_its_place() -> None:
    error = UserError("No.", where="tokenizers[2].vocab_size")
    assert (str(error), error.where) == ("No.", "tokenizers[2].vocab_size")
    assert UserError("No.").where is None


def test_turns_of_the_chat_begin_and_end() -> None:
    texts = documents(embedded.embedded_corpus("chat"))
    assert len(texts) >= 300
    opened = 0
    for text in texts:
        starts, ends = text.count("<|im_start|>"), text.count("<|im_end|>")
        opened += starts != ends
        assert starts - ends in (0, 1)
        assert text.startswith("<|im_start|>")
        assert text.count("<|im_start|>user\n") == text.count("<|im_start|>assistant")
    assert 0 < opened < len(texts) / 5
