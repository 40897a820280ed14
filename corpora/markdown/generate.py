"""Generates ``markdown.txt``: mostly tables, and the READMEs, lists, fences and links around them."""
# ruff: noqa: E501 -- a template reads best on the one line that it becomes

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

if __name__ == "__main__" and not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora import _words as w
from corpora._generate import Draw, documents_of, main, text_file

SIZE = 120_000
en = w.ENGLISH


def table(draw: Draw, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A pipe table: padded to columns or not, with any alignment row, with outer pipes or without."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in [header, *rows]]
    marks = [draw.pick(["l", "l", "r", "c", "n"]) for _ in header]
    padded, outer = draw.chance(0.6), draw.chance(0.9)
    widths = [max(3, *(len(row[column]) for row in cells)) if padded else 3 for column in range(len(header))]

    def rule(mark: str, width: int) -> str:
        return {
            "l": ":" + "-" * (width - 1),
            "r": "-" * (width - 1) + ":",
            "c": ":" + "-" * (width - 2) + ":",
            "n": "-" * width,
        }[mark]

    def padded_cell(cell: str, mark: str, width: int) -> str:
        if not padded:
            return cell
        return cell.rjust(width) if mark == "r" else cell.center(width) if mark == "c" else cell.ljust(width)

    space = " " if padded or draw.chance(0.7) else ""

    def line(parts: Sequence[str]) -> str:
        inner = f"{space}|{space}".join(parts)
        return f"|{space}{inner}{space}|" if outer else inner.rstrip()

    head = line([padded_cell(*each) for each in zip(cells[0], marks, widths, strict=True)])
    rules = line([rule(*each) for each in zip(marks, widths, strict=True)])
    body = [line([padded_cell(*each) for each in zip(row, marks, widths, strict=True)]) for row in cells[1:]]
    return "\n".join([head, rules, *body])


def cell_maker(draw: Draw) -> tuple[str, Callable[[], str]]:
    """A column: its heading and what makes its cells."""
    unit = draw.pick(["ms", "MB", "€", "kg", "%", "km", "GB/s", "°C", "USD", "h"])
    makers: list[tuple[str, Callable[[], str]]] = [
        (draw.pick(["Name", "Who", "Owner", "Author"]), lambda: w.person(draw)),
        (draw.pick(["Item", "Product", "Part"]), lambda: w.product(draw)),
        (f"{draw.pick(w.NOUNS).capitalize()} ({unit})", lambda: f"{draw.skewed(0, 99_999) / 10:,.1f}"),
        (draw.pick(["#", "Count", "Qty", "N"]), lambda: f"{draw.skewed(0, 1_000_000):,}"),
        (draw.pick(["Date", "Since", "Released"]), lambda: f"{draw.moment():%Y-%m-%d}"),
        (
            draw.pick(["Default", "Value"]),
            lambda: (
                f"`{draw.pick(['true', 'false', 'null', str(draw.integer(0, 9000)), draw.pick(w.NOUNS), '[]', '*'])}`"
            ),
        ),
        (
            draw.pick(["Option", "Flag", "Key"]),
            lambda: f"`{draw.pick(['--', '-', ''])}{draw.pick(w.VERBS)}-{draw.pick(w.NOUNS)}`",
        ),
        (
            draw.pick(["Done", "OK?", "Supported"]),
            lambda: draw.pick(["✅", "❌", "⚠️", "yes", "no", "—", "n/a", ":white_check_mark:"]),
        ),
        (
            draw.pick(["Notes", "Description", "Comment"]),
            lambda: draw.pick(
                [
                    en.draw(draw, "clause"),
                    en.draw(draw, "title"),
                    "",
                    f"see [{draw.pick(w.NOUNS)}](#{draw.pick(w.NOUNS)})",
                    f"*{draw.pick(w.ADJECTIVES)}*",
                ]
            ),
        ),
        (draw.pick(["Version", "Tag"]), lambda: "v" + w.version(draw)),
        (draw.pick(["Change", "Δ", "vs. last year"]), lambda: f"{draw.real(-40, 40, 1):+.1f} %"),
        (draw.pick(["City", "Where", "Ort", "場所"]), lambda: draw.pick(w.CITIES)[0]),
        (
            draw.pick(["Type", "Kind"]),
            lambda: draw.pick(["`string`", "`int64`", "`bool`", "`float`", "`list[str]`", "`Map<K, V>`", "`a | b`"]),
        ),
        (draw.pick(["Link", "Docs"]), lambda: f"[{draw.pick(w.NOUNS)}]({w.domain_url(draw)})"),
        (draw.pick(["p", "p-value", "±"]), lambda: f"{draw.real(0, 1, 4):.4f}"),
        (draw.pick(["Time", "Start"]), lambda: f"{draw.integer(0, 23):02d}:{draw.integer(0, 59):02d}"),
        (draw.pick(["ID", "Hash"]), lambda: f"`{draw.hexadecimal(draw.pick([7, 8, 12]))}`"),
        (draw.pick(["Stars", "Rating"]), lambda: "★" * draw.integer(1, 5)),
        (draw.pick(["Bar", "Load"]), lambda: "█" * draw.integer(0, 10) or "·"),
    ]
    return draw.pick(makers)


def any_table(draw: Draw) -> str:
    columns = [cell_maker(draw) for _ in range(draw.integer(2, 6))]
    rows = [[make() for _, make in columns] for _ in range(draw.integer(3, 13))]
    return table(draw, [heading for heading, _ in columns], rows)


def only_tables(draw: Draw) -> str:
    parts = []
    for _ in range(draw.integer(1, 3)):
        parts.append(f"{'#' * draw.integer(1, 4)} {en.draw(draw, 'title')}\n")
        if draw.chance(0.5):
            parts.append(en.draw(draw, "paragraph") + "\n")
        parts.append(any_table(draw) + "\n")
        if draw.chance(0.3):
            parts.append(f"*Table {draw.integer(1, 30)}: {en.draw(draw, 'clause')}.*\n")
    return "\n".join(parts)


def benchmark(draw: Draw) -> str:
    names = [w.package(draw) for _ in range(draw.integer(3, 7))]
    sizes = draw.some(["1 kB", "10 kB", "100 kB", "1 MB", "10 MB", "1 GB"], draw.integer(2, 4))
    rows = []
    for name in names:
        times = [f"{draw.real(0.01, 900, 2):,.2f} ± {draw.real(0, 9, 2):.2f}" for _ in sizes]
        rows.append(
            [
                f"[{name}]({w.domain_url(draw)})" if draw.chance(0.4) else f"`{name}`",
                *times,
                f"{draw.real(0.3, 12, 2)}×",
            ]
        )
    rows[0] = [f"**{cell}**" for cell in rows[0]]
    return f"## Benchmarks\n\nMedian of {draw.integer(3, 50)} runs, {draw.integer(2, 64)} threads, {draw.pick(['lower', 'higher'])} is better.\n\n{table(draw, ['library', *sizes, 'relative'], rows)}\n\n> {en.draw(draw, 'sentence')}"


def matrix(draw: Draw) -> str:
    systems = draw.some(
        ["Linux x86-64", "Linux arm64", "macOS 14", "Windows 11", "FreeBSD", "wasm32", "Android"],
        draw.integer(3, 6),
    )
    rows = [
        [
            f"{draw.pick(['Python', 'Node', 'Go', 'Rust', 'Ruby'])} {draw.integer(1, 3)}.{draw.integer(0, 30)}",
            *(draw.pick(["✓", "✓", "✓", "✗", "–", "✓[^1]", "🟡"]) for _ in systems),
        ]
        for _ in range(draw.integer(4, 9))
    ]
    return f"### Support matrix\n\n{table(draw, ['', *systems], rows)}\n\n[^1]: {en.draw(draw, 'sentence')}"


def schedule(draw: Draw) -> str:
    days = ["Mon", "Tue", "Wed", "Thu", "Fri"] if draw.chance(0.6) else ["月", "火", "水", "木", "金"]
    hour, rows = draw.integer(6, 10), []
    for _ in range(draw.integer(4, 9)):
        rows.append(
            [
                f"{hour:02d}:{draw.pick(['00', '15', '30'])}",
                *(
                    draw.pick(
                        [
                            "",
                            "—",
                            en.draw(draw, "title"),
                            f"**{draw.pick(w.NOUNS).capitalize()}**<br>{draw.pick(w.FIRST_NAMES)}",
                        ]
                    )
                    for _ in days
                ),
            ]
        )
        hour = (hour + draw.integer(1, 2)) % 24
    return f"# {en.draw(draw, 'title')}\n\nWeek {draw.integer(1, 52)}, {draw.pick(w.CITIES)[0]}\n\n{table(draw, ['', *days], rows)}"


CODE: dict[str, Callable[[Draw], str]] = {
    "python": lambda d: (
        f'from {w.package(d).replace("-", "_")} import {d.pick(w.NOUNS).capitalize()}\n\nwith {d.pick(w.NOUNS).capitalize()}("{d.pick(w.NOUNS)}.db", limit={d.integer(1, 99)}) as {d.pick(w.NOUNS)}:\n    for row in {d.pick(w.NOUNS)}.{d.pick(w.VERBS)}(where={{"{d.pick(w.NOUNS)}": {d.integer(1, 99)}}}):\n        print(f"{{row.{d.pick(w.NOUNS)}:>10}} {{row.id}}")'
    ),
    "bash": lambda d: (
        f"$ curl -sSL {w.domain_url(d)} | tar -xz -C /opt\n$ export {d.pick(w.NOUNS).upper()}_{d.pick(w.NOUNS).upper()}={d.integer(1, 9000)}\n$ {w.package(d)} --{d.pick(w.VERBS)} --{d.pick(w.NOUNS)}={d.pick(w.NOUNS)} ./*.csv && echo done"
    ),
    "js": lambda d: (
        f"import {{ {d.pick(w.VERBS)}, {d.pick(w.NOUNS)} }} from '{w.package(d)}';\n\nconst {d.pick(w.NOUNS)} = await {d.pick(w.VERBS)}(`/{d.pick(w.NOUNS)}/${{id}}`, {{ retries: {d.integer(0, 9)} }});\nconsole.log({d.pick(w.NOUNS)}?.{d.pick(w.NOUNS)} ?? '{d.pick(w.ADJECTIVES)}');"
    ),
    "yaml": lambda d: (
        f"{d.pick(w.NOUNS)}:\n  {d.pick(w.NOUNS)}: {d.integer(0, 9999)}\n  {d.pick(w.NOUNS)}s:\n    - name: {w.package(d)}\n      {d.pick(w.ADJECTIVES)}: true\n    - {{name: \"{d.pick(w.NOUNS)}\", when: '{d.moment():%Y-%m-%d}'}}"
    ),
    "toml": lambda d: (
        f'[{d.pick(w.NOUNS)}.{d.pick(w.NOUNS)}]\nversion = "{w.version(d)}"\n{d.pick(w.ADJECTIVES)} = [{d.integer(1, 9)}, {d.integer(10, 99)}]\n{d.pick(w.VERBS)} = {{ {d.pick(w.NOUNS)} = "{d.pick(w.NOUNS)}", optional = true }}'
    ),
    "rust": lambda d: (
        f"fn {d.pick(w.VERBS)}_{d.pick(w.NOUNS)}(input: &str) -> Result<Vec<u32>, {d.pick(w.NOUNS).capitalize()}Error> {{\n    input.lines().map(|line| line.trim().parse().map_err(Into::into)).collect()\n}}"
    ),
    "diff": lambda d: (
        f"--- a/{d.pick(w.NOUNS)}.txt\n+++ b/{d.pick(w.NOUNS)}.txt\n@@ -{d.integer(1, 90)},{d.integer(1, 9)} +{d.integer(1, 90)},{d.integer(1, 9)} @@\n-{en.draw(d, 'clause')}\n+{en.draw(d, 'clause')}"
    ),
    "": lambda d: (
        f"src/\n├── {d.pick(w.NOUNS)}/\n│   ├── {d.pick(w.NOUNS)}.py\n│   └── {d.pick(w.NOUNS)}.py\n└── {d.pick(w.NOUNS)}.toml"
    ),
    "mermaid": lambda d: (
        f"graph {d.pick(['LR', 'TD'])}\n    A[{d.pick(w.NOUNS)}] -->|{d.pick(w.VERBS)}| B({d.pick(w.NOUNS)})\n    B --> C{{{d.pick(w.ADJECTIVES)}?}}\n    C -- no --> A"
    ),
}


def fence(draw: Draw) -> str:
    language = draw.pick(list(CODE))
    mark = draw.pick(["```", "```", "```", "~~~", "````"])
    return f"{mark}{language}\n{CODE[language](draw)}\n{mark}"


def inline(draw: Draw) -> str:
    noun = draw.pick(w.NOUNS)
    marked = [
        f"**{noun}**",
        f"_{noun}_",
        f"`{noun}_{draw.pick(w.NOUNS)}()`",
        f"[{noun}]({w.domain_url(draw)})",
        f"~~{noun}~~",
        f"[{noun}][{draw.integer(1, 9)}]",
        f"<{w.domain_url(draw)}>",
        f"`{draw.pick(w.VERBS)} --{noun}`",
        f"***{noun}***",
        f"#{draw.integer(1, 9999)}",
        f"@{w.login(draw)}",
        f"$x_{{{draw.integer(0, 9)}}}^2 + {draw.integer(1, 9)}$",
        f"<kbd>Ctrl</kbd>+<kbd>{draw.pick('ABCKPSXZ')}</kbd>",
    ]
    return f"{en.draw(draw, 'sentence')} {draw.pick(['See', 'Use', 'Compare', 'Mind'])} {draw.pick(marked)} {draw.pick(['and', 'or', 'with', 'before'])} {draw.pick(marked)}."


def bullets(draw: Draw, depth: int = 0) -> str:
    mark = draw.pick(["-", "*", "+", "1.", "- [ ]", "- [x]"])
    rows = []
    for number in range(draw.integer(2, 5)):
        own = f"{number + 1}." if mark == "1." else mark
        rows.append(
            "  " * depth
            + f"{own} "
            + draw.pick(
                [
                    inline(draw),
                    en.draw(draw, "title"),
                    en.draw(draw, "sentence"),
                    f"`{draw.pick(w.NOUNS)}`: {en.draw(draw, 'clause')}",
                ]
            )
        )
        if depth < 3 and draw.chance(0.25):
            rows.append(bullets(draw, depth + 1))
    return "\n".join(rows)


def readme(draw: Draw) -> str:
    name = w.package(draw)
    badges = " ".join(
        f"[![{label}](https://badges.example/{label}/{name}.svg)](https://ci.example/{name})"
        for label in draw.some(["build", "docs", "licence", "coverage", "chat", "downloads"], draw.integer(1, 4))
    )
    sections: list[Callable[[], str]] = [
        lambda: (
            f"## Install\n\n```bash\n{draw.pick(['pip install', 'npm i -D', 'cargo add', 'brew install', 'go get example.com/'])} {name}\n```"
        ),
        lambda: f"## Usage\n\n{inline(draw)}\n\n{fence(draw)}",
        lambda: f"## Options\n\n{any_table(draw)}",
        lambda: f"## Features\n\n{bullets(draw)}",
        lambda: (
            f"## FAQ\n\n**{en.draw(draw, 'title')}?**\n\n{en.draw(draw, 'paragraph')}\n\n<details>\n<summary>{en.draw(draw, 'title')}</summary>\n\n{bullets(draw)}\n\n</details>"
        ),
        lambda: f"## Contributing\n\n{en.draw(draw, 'paragraph')} [CONTRIBUTING.md](./CONTRIBUTING.md)",
    ]
    body = "\n\n".join(make() for make in draw.some(sections, draw.integer(2, 5)))
    return f"# {name} {draw.pick(['', draw.pick(w.EMOJI)])}\n\n{badges}\n\n> {en.draw(draw, 'sentence')}\n\n{body}\n\n## Licence\n\n{draw.pick(w.LICENCES)} © {draw.integer(2015, 2025)} {w.person(draw)}"


def changelog(draw: Draw) -> str:
    parts = ["# Changelog"]
    for _ in range(draw.integer(2, 4)):
        parts.append(f"## [{w.version(draw)}] - {draw.moment():%Y-%m-%d}")
        for heading in draw.some(["Added", "Changed", "Fixed", "Removed", "Security"], draw.integer(1, 3)):
            rows = [
                f"- {draw.pick(w.VERBS).capitalize()} {en.draw(draw, 'np')} ([#{draw.integer(1, 9999)}]({w.domain_url(draw)})) by @{w.login(draw)}"
                for _ in range(draw.integer(1, 4))
            ]
            parts.append(f"### {heading}\n\n" + "\n".join(rows))
    return "\n\n".join(parts)


def interface(draw: Draw) -> str:
    noun = draw.pick(w.NOUNS)
    rows = [
        [
            f"`{draw.pick(w.NOUNS)}`",
            f"`{draw.pick(['string', 'integer', 'boolean', 'Date | null', 'string[]', 'object'])}`",
            draw.pick(["yes", "no", ""]),
            en.fill(draw, "{Clause}."),
        ]
        for _ in range(draw.integer(3, 8))
    ]
    codes = [
        [str(code), en.draw(draw, "title")]
        for code in sorted(draw.some([200, 201, 204, 400, 401, 403, 404, 409, 422, 429, 500], draw.integer(2, 5)))
    ]
    return f"## `{draw.pick(['GET', 'POST', 'PATCH', 'DELETE'])} /v{draw.integer(1, 4)}/{noun}s/{{id}}`\n\n{en.draw(draw, 'paragraph')}\n\n#### Parameters\n\n{table(draw, ['Name', 'Type', 'Required', 'Description'], rows)}\n\n#### Responses\n\n{table(draw, ['Code', 'Meaning'], codes)}\n\n{fence(draw)}"


def minutes(draw: Draw) -> str:
    people = [w.person(draw) for _ in range(draw.integer(3, 6))]
    actions = [
        [
            draw.pick(people),
            en.draw(draw, "clause"),
            f"{draw.moment():%d %b %Y}",
            draw.pick(["open", "done", "~~dropped~~"]),
        ]
        for _ in range(draw.integer(2, 6))
    ]
    return f'---\ntitle: "{en.draw(draw, "title")}"\ndate: {draw.moment():%Y-%m-%d}\ntags: [{", ".join(draw.some(w.NOUNS, 3))}]\n---\n\n**Present:** {", ".join(people)}\n\n{bullets(draw)}\n\n***\n\n{table(draw, ["Who", "What", "By", "State"], actions)}\n\n{en.draw(draw, "paragraph")}'


def wide_table(draw: Draw) -> str:
    """Many narrow numeric columns: a table that is mostly pipes, blanks and digits."""
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    rows = [
        [
            draw.pick(w.CITIES)[0],
            *(draw.pick([f"{draw.real(-20, 38, 1)}", f"{draw.real(-20, 38, 1)}", "–"]) for _ in months),
            f"**{draw.real(-5, 30, 1)}**",
        ]
        for _ in range(draw.integer(4, 12))
    ]
    return f"## {en.draw(draw, 'title')} (°C)\n\n{table(draw, ['', *months, 'Year'], rows)}"


def greetings(draw: Draw) -> str:
    """A table of one phrase in many languages: scripts side by side within one pipe table."""
    codes = draw.some(w.GREETINGS, draw.integer(4, 9))
    rows = [
        [
            f"`{code}`",
            w.GREETINGS[code].format(draw.pick(w.FIRST_NAMES), draw.integer(2, 99)),
            draw.pick(["✔", "✘", "…"]),
        ]
        for code in codes
    ]
    return f"### {en.draw(draw, 'title')}\n\n{table(draw, ['Code', 'Text', 'Checked'], rows)}"


def article(draw: Draw) -> str:
    title = en.draw(draw, "title")
    links = "\n".join(
        f'[{number}]: {w.domain_url(draw)} "{en.draw(draw, "title")}"' for number in range(1, draw.integer(2, 5))
    )
    parts = [f"{title}\n{draw.pick(['=', '-']) * len(title)}"]
    makers: list[Callable[[], str]] = [
        lambda: inline(draw),
        lambda: en.draw(draw, "paragraph"),
        lambda: bullets(draw),
        lambda: fence(draw),
        lambda: any_table(draw),
        lambda: f"> {en.draw(draw, 'sentence')}\n>\n> > {en.draw(draw, 'sentence')}",
        lambda: f"> [!{draw.pick(['NOTE', 'WARNING', 'TIP'])}]\n> {en.draw(draw, 'sentence')}",
        lambda: f"![{draw.pick(w.NOUNS)}](../img/{draw.pick(w.NOUNS)}.png){{width={draw.integer(20, 90)}%}}",
        lambda: f"Term\n: {en.draw(draw, 'sentence')}",
        lambda: f"$$\n\\sum_{{i=1}}^{{{draw.integer(2, 99)}}} \\frac{{x_i}}{{{draw.integer(2, 9)}}}\n$$",
    ]
    parts += [draw.pick(makers)() for _ in range(draw.integer(4, 8))]
    return "\n\n".join([*parts, links])


KINDS: list[Callable[[Draw], str]] = [
    only_tables,
    only_tables,
    only_tables,
    only_tables,
    benchmark,
    matrix,
    schedule,
    wide_table,
    greetings,
    readme,
    readme,
    changelog,
    interface,
    interface,
    minutes,
    article,
]


def build() -> dict[str, bytes]:
    return {"markdown.txt": text_file(documents_of(Draw(20_004), KINDS, SIZE))}


if __name__ == "__main__":
    raise SystemExit(main(__file__, build))
