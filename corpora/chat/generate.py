"""Writes ``chat.txt``: conversations in ChatML, the marks of the turns as text. The phrases are in ``phrases.yaml``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

if __name__ == "__main__" and not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora._generate import Draw, documents_of, main, text_file

SIZE = 205_000
SEED = 20_009
PHRASES: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).resolve().parent / "phrases.yaml").read_text(encoding="utf-8")
)

# English is in every second conversation or so, as in what such models are sent.
LANGUAGES = ["en", "en", "en", "en", "de", "fr", "es", "ru", "zh", "zh", "ja", "ar"]

START, END = "<|im_start|>", "<|im_end|>"

FILES = ["data.csv", "config.yaml", "export/2024-03.json", "users.db", "notes (1).txt", "input.parquet", "log.txt"]

SNIPPETS = [
    "```python\nfrom pathlib import Path\n\nprint(Path.cwd())\nprint(Path({file!r}).exists())\n```",
    '```python\nimport os\n\nfor name in sorted(os.listdir(".")):\n    print(name, os.path.getsize(name))\n```',
    "```sh\npwd\nls -l {file!r}\n```",
    '```js\nimport {{ existsSync }} from "node:fs";\n\nconsole.log(process.cwd(), existsSync({file!r}));\n```',
]


def turn(role: str, text: str) -> str:
    return f"{START}{role}\n{text}{END}"


def bound(draw: Draw, phrases: dict[str, Any]) -> dict[str, str]:
    """What the braces of one pair mean: drawn once, so that question and answer agree."""
    a, b, count = draw.integer(2, 99), draw.integer(2, 999), draw.integer(2, 8)
    cents = draw.integer(150, 9_900)
    file = draw.pick(FILES)
    return {
        "a": str(a),
        "b": str(b),
        "sum": str(a + b),
        "count": str(count),
        "price": f"{cents // 100}.{cents % 100:02d}",
        "total": f"{cents * count // 100}.{cents * count % 100:02d}",
        "hour": f"{draw.integer(5, 23):02d}",
        "minute": f"{draw.integer(0, 59):02d}",
        "file": file,
        "code": draw.pick(SNIPPETS).format(file=file),
        **{slot: draw.pick(phrases[slot]) for slot in ("day", "name", "city", "dish", "topic")},
    }


def conversation(draw: Draw) -> str:
    """One to four pairs in one language, some with a system message before and thanks behind."""
    phrases = PHRASES[draw.pick(LANGUAGES)]
    turns = []
    if draw.chance(0.6):
        turns.append(turn("system", draw.pick(phrases["system"]).format(**bound(draw, phrases))))
    pairs = draw.some(phrases["pairs"], draw.skewed(1, 4))
    if draw.chance(0.3):
        pairs.append(draw.pick(phrases["thanks"]))
    for question, answer in pairs:
        values = bound(draw, phrases)
        turns += [turn("user", question.format(**values)), turn("assistant", answer.format(**values))]
    if draw.chance(0.1):  # cut where the model is to go on
        turns[-1] = f"{START}assistant\n"
    return "\n".join(turns)


KINDS: list[Callable[[Draw], str]] = [conversation]


def build() -> dict[str, bytes]:
    return {"chat.txt": text_file(documents_of(Draw(SEED), KINDS, SIZE))}


if __name__ == "__main__":
    raise SystemExit(main(__file__, build))
