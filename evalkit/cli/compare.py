"""``evalkit compare``."""

from __future__ import annotations

from pathlib import Path

import click

from evalkit.cli import streams, terminal
from evalkit.cli.base import Command, FilePath

EXAMPLES = """
evalkit compare reports/monday reports/today
evalkit compare old/results.json new/results.json --markdown --all
"""


@click.command("compare", cls=Command, examples=EXAMPLES)
@click.argument("first", metavar="A", type=FilePath())
@click.argument("second", metavar="B", type=FilePath())
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@click.option("--all", "every", is_flag=True, help="Print every figure that differs.")
def command(first: Path, second: Path, markdown: bool, every: bool) -> None:
    """Show what differs between two results, and whether it can be told from chance.

    First comes what was made otherwise, as far as the results say it (split pattern, size, training text, seed); then
    each tokenizer over all corpora, by the figure of its tokens; then the changes that can be told from chance, the
    largest first; then verdicts between two tokenizers that aren't the same on both sides; then how many others there
    are.

    A and B are folders of reports, or their results.json. Corpora and tokenizers are matched by name. Where both
    have their counts.npz the comparison is paired over the documents; else it is marked unpaired. Results of
    other text (another sample of it, too), other versions of a metric or another schema are refused, with the
    difference; figures against another segmenter, reference or language are left out, with a note.
    """
    from evalkit import compare
    from evalkit.report import compared, pair_verdicts

    found = compare.compare(compare.open_side(first), compare.open_side(second))
    if markdown:
        streams.show(compared.markdown(found, every))
        return
    streams.show("\n".join(compared.headline(found)))
    if not every and (answers := compared.answers(found)):
        streams.show("")
        terminal.show_table(compared.ANSWER_HEADERS, answers)
    if changes := compared.shown(found, every):
        streams.show("" if every else f"\n{compared.SEPARABLE}:\n")
        terminal.show_table(compared.HEADERS, compared.rows(found, changes), left=compared.LEFT)
    if found.verdicts:
        streams.show(f"\n{pair_verdicts.TITLE}:\n")
        terminal.show_table(pair_verdicts.HEADERS, compared.verdict_rows(found, every))
    if lines := compared.notes(found, every):
        streams.show("\n" + "\n".join(lines))
