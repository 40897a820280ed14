"""Every error as one paragraph that names the file and the place."""

from __future__ import annotations

import click

from evalkit.errors import UserError, nearest


def explain(error: BaseException) -> str:
    """What went wrong, for the person who asked; an error that nobody foresaw says that it is ours."""
    return one_paragraph(_explain(error))


def _explain(error: BaseException) -> str:
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, UserError) or _is_tokenizer_error(error):
        return str(error)
    if isinstance(error, OSError):
        return os_error(error)
    if isinstance(error, UnicodeDecodeError):
        byte = error.object[error.start : error.start + 1].hex()
        return f"not UTF-8: byte {error.start} is 0x{byte} ({error.reason})"
    if isinstance(error, MemoryError):
        return f"not enough memory{f': {error}' if str(error) else ''}"
    if isinstance(error, ImportError):
        return f"a part of the installation can't be loaded: {error}; `evalkit doctor` says more"
    return (
        f"unexpected {type(error).__name__}: {error}. This is a fault of evalkit; run the command again with "
        "--debug to see where it happens"
    )


def _is_tokenizer_error(error: BaseException) -> bool:
    from tokenizers_impl.errors import TokenizerError

    return isinstance(error, TokenizerError)


def os_error(error: OSError) -> str:
    """The file first, then what the system says of it.

    >>> os_error(FileNotFoundError(2, "No such file or directory", "a.txt"))
    'a.txt: no such file or directory'
    """
    if error.strerror is None:
        return str(error)
    reason = error.strerror[:1].lower() + error.strerror[1:]
    names = [str(name) for name in (error.filename, error.filename2) if name is not None]
    return f"{' → '.join(names)}: {reason}" if names else reason


def usage_message(error: click.UsageError) -> str:
    """A mistake on the command line, with the nearest name and where to read on."""
    command = error.ctx.command_path if error.ctx else "evalkit"
    return one_paragraph(f"{command}: {_usage(error)}; see {command} --help")


def _usage(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption):
        params = error.ctx.command.params if error.ctx else []
        options = [option for param in params for option in (*param.opts, *param.secondary_opts)]
        known = [option for option in (*options, "--help") if option.startswith("--")]
        hint = nearest(error.option_name, known)
        return f"there is no option {error.option_name!r}{f' ({hint})' if hint else ''}"
    message = error.format_message().rstrip(".")
    return message[:1].lower() + message[1:]


def one_paragraph(text: str) -> str:
    """Without line breaks, and with control characters as escapes: file names may hold both.

    >>> one_paragraph("a\\nb\\x1b[31m")
    'a b\\\\x1b[31m'
    """
    joined = " ".join(text.split("\n"))
    return "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in joined)
