"""The command line as a process: signals, pipes, locales. Nothing half-written is ever left."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import ROOT, started

SUITE = """\
version: 1
name: small
corpora:
  tales: {files: [tales.txt], document: line}
tokenizers:
  - {name: ours, variant: gpt2, train_on: tales, vocab_size: 300}
"""
# The command announces the stage that it is told to stop in, and waits there for the signal.
STOPS_IN = """
import contextlib, sys, time
from evalkit.cli import main, run, train

@contextlib.contextmanager
def announcing(settings):
    def progress(stage, done, total):
        if stage.startswith(sys.argv[1]):
            print("here", file=sys.stderr, flush=True)
            for _ in range(600):  # a signal just before a sleep is seen after it
                time.sleep(0.1)
    yield progress

run.progress_bar = train.progress_bar = announcing
sys.exit(main(sys.argv[2:]))
"""

posix = pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("EVALKIT_DEBUG", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    tales = "".join(f"Once upon a time there were {n} little bears.\n" for n in range(300))
    Path("tales.txt").write_text(tales, encoding="utf-8")
    Path("small.yaml").write_text(SUITE, encoding="utf-8")


def finish(process: subprocess.Popen[bytes], stdin: bytes = b"") -> tuple[int, bytes, str]:
    out, err = process.communicate(stdin, timeout=120)
    return process.returncode, out, err.decode("utf-8")


def snapshot(folder: Path) -> dict[str, str]:
    """Every file below, hidden ones too, by its content."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "folder"
        for file in sorted(folder.rglob("*"))
        if "cache" not in file.parts
    }


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(
    ("stage", "arguments"),
    [
        ("count", ["train", "--variant", "gpt2", "--vocab-size", "5000", "--out", "out", "large.txt"]),
        ("train ours", ["run", "large.yaml", "--out", "out", "--no-cache"]),
        ("measure", ["run", "small.yaml", "--out", "out"]),
    ],
    ids=["training", "training in a run", "measuring"],
)
def test_an_interrupt_leaves_the_folder_as_it_was(
    stage: str, arguments: list[str], again: bool, number: signal.Signals, tmp_path: Path
) -> None:
    if "large" in " ".join(arguments):  # long enough for the core to report its progress
        block = Path("tales.txt").read_bytes() * 64
        with open("large.txt", "wb") as file:
            for _ in range(128):
                file.write(block)
        Path("large.yaml").write_text(SUITE.replace("tales.txt", "large.txt").replace(", document: line", ""))
    if again:
        before = ["run", "small.yaml", "--out", "out"]
        if arguments[0] == "train":
            before = ["train", "--variant", "gpt2", "--vocab-size", "300", "--out", "out", "tales.txt"]
        assert finish(started(*before))[0] == 0
    there = snapshot(tmp_path)
    with started(stage, *arguments, program=STOPS_IN) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"here\n"
        process.send_signal(number)
        code, out, err = finish(process)
    assert (code, out, err) == (130, b"", "interrupted\n")
    assert snapshot(tmp_path) == there


CLOSED = "import os, sys; os.close(0); os.execv(sys.executable, [sys.executable, '-m', 'evalkit', *sys.argv[1:]])"


@posix
@pytest.mark.parametrize("arguments", [["run", "-"], ["encode", "-t", "gpt2"], ["decode", "-t", "gpt2"]])
def test_a_standard_input_that_is_closed_is_not_empty(arguments: list[str]) -> None:
    code, out, err = finish(started(*arguments, program=CLOSED))
    assert (code, out) == (2, b"")
    assert err == "error: standard input is closed: name a file, or give it something to read\n"


@posix
def test_an_interrupt_while_reading_standard_input() -> None:
    process = started("encode", "-t", "gpt2", "--out", "ids.npy")
    assert process.stdin is not None
    process.stdin.write(b"hello" * 100)
    process.stdin.flush()
    ready = started("--version")  # by the time that another process has run, this one has begun
    assert finish(ready)[0] == 0
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=2)
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=60)
    assert process.stderr is not None
    assert (code, process.stderr.read()) == (130, b"interrupted\n")
    assert not Path("ids.npy").exists()
    for stream in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(BrokenPipeError):  # what it didn't read is still in the pipe
            stream.close()  # type: ignore[union-attr]


@posix
@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["variants"], b""),
        (["inspect", "-t", "gpt2"], b""),
        (["encode", "-t", "gpt2"], b"hello " * 200_000),
        (["decode", "-t", "gpt2"], b"31373 " * 200_000),
        (["run", "small.yaml"], b""),
        (["--help"], b""),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_reader_that_leaves_is_no_error(arguments: list[str], stdin: bytes) -> None:
    process = started(*arguments)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    code, _, err = finish(process, stdin)
    assert (code, err) == (0, "")
    if arguments[0] == "run":
        assert Path("evalkit-report/small/report.md").exists()


@posix
def test_a_reader_that_leaves_does_not_hide_a_failure() -> None:
    Path("small.yaml").write_text(
        SUITE + "gate: {thresholds: [{metric: bytes_per_token, tokenizer: ours, corpus: tales, min: 99}]}\n",
        encoding="utf-8",
    )
    process = started("gate", "small.yaml", "--budget", "1")
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    assert finish(process)[0] == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", [["variants"], ["encode", "-t", "gpt2"], ["--help"]], ids=lambda c: c[0])
def test_a_full_disk_is_an_error(command: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "evalkit", *command],
            input=b"hello",
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
            timeout=120,
        )
    assert done.returncode == 2
    assert b"o space left" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii:strict"},
    ],
    ids=["C", "C without coercion", "a code page", "ASCII"],
)
def test_output_is_utf8_in_every_locale(environment: dict[str, str]) -> None:
    process = started("inspect", "-t", "cl100k_base", "你好 – é", **environment)
    code, out, err = finish(process)
    assert (code, err) == (0, "")
    assert out.decode("utf-8").splitlines()[1].replace("|", "") == "你好 – é"
    Path("é.txt").write_text("é", encoding="utf-8")
    code, _, err = finish(started("encode", "-t", "gpt2", "ü.txt", **environment))
    assert code == 2
    assert "no such file" in err


def test_python_m_and_the_script_are_one() -> None:
    code, out, _ = finish(started("--version"))
    by_function = "import sys; from evalkit.cli import main; sys.exit(main())"
    assert (code, out) == finish(started("--version", program=by_function))[:2]
    assert code == 0


@posix
def test_closed_standard_streams() -> None:
    """Some daemons start their children without: the work is done, and its exit code says how."""
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        command = f"'{sys.executable}' -m evalkit train --variant gpt2 --vocab-size 260 --out tok tales.txt {closed}"
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        assert subprocess.run(["sh", "-c", command], env=environment, timeout=120, check=False).returncode == 0
        assert Path("tok/evalkit.json").is_file()
        shutil.rmtree("tok")
