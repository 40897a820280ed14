"""What all commands share: their class, the common options, and the kinds of values."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from evalkit.errors import nearest
from tokenizers_impl.deferred import dataclass

LARGEST = 2**31 - 1


@dataclass
class Settings:
    """The options that every command has."""

    debug: bool = False
    quiet: bool = False


def _set(name: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    def callback(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            setattr(context.ensure_object(Settings), name, True)

    return callback


def common_options() -> list[click.Option]:
    """``--quiet`` and ``--debug``, which may stand before the command or behind it."""
    shared: dict[str, Any] = {"is_flag": True, "expose_value": False, "is_eager": True}
    return [
        click.Option(["-q", "--quiet"], help="No progress and no notes.", callback=_set("quiet"), **shared),
        click.Option(["--debug"], help="Show the traceback of an error.", callback=_set("debug"), **shared),
    ]


TRUST = click.option(
    "--trust", is_flag=True, help="Run the Python that the suite names (python: …). It runs with your rights."
)
"""Of the commands that run suites."""


class Command(click.Command):
    """A command with the common options, whose examples are printed as they are written."""

    def __init__(self, *args: Any, examples: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        super().__init__(*args, **kwargs)
        self.params += common_options()
        self.examples = examples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """An option that takes one value and is given twice is refused: which of the two was meant isn't known."""
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
            for param in {id(param): param for param in order}.values():
                single = isinstance(param, click.Option) and not (param.multiple or param.is_flag or param.count)
                if single and order.count(param) > 1:
                    ctx.fail(f"{max(param.opts, key=len)} is given {order.count(param)} times; give it once")
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip().splitlines():
                    formatter.write(f"{'':{formatter.current_indent}}{line.strip()}\n")


class Group(click.Group):
    """A group that answers an unknown command with the nearest ones."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        kwargs.setdefault("no_args_is_help", False)
        kwargs.setdefault("subcommand_metavar", "COMMAND …")
        super().__init__(*args, **kwargs)
        self.params += common_options()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            commands = self.list_commands(ctx)
            hint = nearest(args[0], commands)
            ctx.fail(f"there is no command {args[0]!r}{f' ({hint})' if hint else ''}; there are {', '.join(commands)}")
        return super().resolve_command(ctx, args)


class WholeNumber(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """A whole number in plain digits, and what to write where something else was meant."""

    name = "N"

    def __init__(self, minimum: int = 1, maximum: int = LARGEST) -> None:
        self.minimum, self.maximum = minimum, maximum

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        plain = re.fullmatch(r"0|[1-9][0-9]*", value) is not None
        if plain and len(value) <= len(str(self.maximum)) and self.minimum <= int(value) <= self.maximum:
            return int(value)
        meant = None if plain else _number_meant(value)
        hint = "" if meant is None or not self.minimum <= meant <= self.maximum else str(meant)
        what = f"expected a whole number of at least {self.minimum}"
        if plain and int(value[:20]) > self.maximum:
            what += f" and at most {self.maximum}"
        message = f"{what}, found {value!r}{f' (write {hint})' if hint else ''}"
        raise click.BadParameter(message, ctx, param)


_IN_THREES = re.compile(r"[0-9]{1,3}([,.' ])[0-9]{3}(?:\1[0-9]{3})*")


def _number_meant(text: str) -> int | None:
    """The whole number of another notation; None where it is none, or may be two, as 1.000 may."""
    if _IN_THREES.fullmatch(text):
        return None if text.count(".") == 1 else int(re.sub(r"[^0-9]", "", text))
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() and abs(number) < 1e15 else None


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """A time in seconds, greater than nothing."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds = float(value)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < LARGEST:
            raise click.BadParameter(f"expected seconds greater than 0, found {value!r}", ctx, param)
        return seconds


class Text(click.ParamType):  # type: ignore[type-arg]
    """Text as the shell passed it, in UTF-8 whatever the locale says."""

    name = "TEXT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return os.fsencode(value).decode("utf-8")
        except UnicodeError:
            raise click.BadParameter(f"{value!r} is not UTF-8", ctx, param) from None


class FilePath(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """The path of a file or folder. An empty one is refused: it would mean the working directory."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if isinstance(value, Path):
            return value
        if not value or "\0" in value:
            self.fail(f"{value!r} is no file name", param, ctx)
        return Path(value)


class OneOf(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.5
    """One of some names; another is answered with the nearest."""

    def __init__(self, names: tuple[str, ...], metavar: str | None = None) -> None:
        self.names = names
        self.name = metavar or "|".join(names)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in self.names:
            return str(value)
        hint = nearest(value, self.names)
        message = f"there is no {value!r}{f' ({hint})' if hint else ''}; there are {', '.join(self.names)}"
        raise click.BadParameter(message, ctx, param)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return self.name


def not_in_this_version(what: str) -> click.UsageError:
    """The error of something that is promised for later: refused, never ignored."""
    return click.UsageError(f"{what} is not in this version of evalkit", click.get_current_context())
