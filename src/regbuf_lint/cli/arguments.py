"""What the command line takes."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from regbuf_lint.cli.command_line import split_names
from regbuf_lint.cli.completion import SHELLS
from regbuf_lint.cli.errors import UsageError
from regbuf_lint.cli.outputs import DEFAULT_OUTPUTS, parse_outputs, refuse_source, with_output_file
from regbuf_lint.cli.shards import Shard, parse_shard
from regbuf_lint.cli.why import parse_target
from regbuf_lint.report.registry import DEFAULT_FORMAT, FORMATS
from regbuf_lint.source.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import SupportsWrite

    from regbuf_lint.cli.outputs import Output
    from regbuf_lint.cli.why import Target

STDIN = "-"
_UNKNOWN = "unrecognized arguments: "
_ISOLATED_WITH_CONFIG = "--isolated and --config exclude each other"
_NOT_WITH_WHY = (
    "fix", "unsafe-fixes", "fix-only", "diff", "show-fixes", "verify", "factory", "output-file", "statistics",
    "exit-non-zero-on-fix", "stdin-filename", "explain", "list-rules", "write-baseline", "baseline", "add-noqa",
    "watch", "show-files", "show-settings", "shard", "merge",
)  # fmt: skip
_WITHOUT_REPORT = ("fix", "fix-only", "diff", "statistics", "exit-zero", "watch", "shard")
_OF_ONE_RUN = ("fix", "fix-only", "diff", "watch")
_NOT_WITH = {
    "write-baseline": ("add-noqa", "baseline", *_WITHOUT_REPORT),
    "add-noqa": _WITHOUT_REPORT,
    "watch": (),
    "shard": _OF_ONE_RUN,
    "merge": (*_OF_ONE_RUN, "shard", "output-format", "statistics", "baseline", "write-baseline", "add-noqa"),
    "show-files": ("show-settings",),
    "show-settings": (),
}
"""For some options, what they cannot be combined with; none takes standard input."""
_NOT_GIVEN: tuple[object, ...] = (None, False, [])
_OF_THE_VERIFIER = ("inputs", "timeout", "memory", "device")


class _Parser(argparse.ArgumentParser):
    """Tells mistakes as an exception, so that there is one place that prints them."""

    def with_value(self) -> frozenset[str]:
        """Return the options that take a value."""
        return frozenset(name for name, action in self._option_string_actions.items() if action.nargs is None)

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print, and what may have been meant."""
        unknown = message.removeprefix(_UNKNOWN).split()
        option = unknown[0].partition("=")[0] if message.startswith(_UNKNOWN) else ""
        raise UsageError(message + (did_you_mean(option, self._option_string_actions) if option else ""))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; who flushes the output tells that it fails, as Python 3.11 leaves it to them, too."""
        with suppress(OSError):
            super()._print_message(message, file)


class _AddOutputs(argparse.Action):
    """Reports add up; a later one takes the place of an earlier one that would go to the same place."""

    def __call__(self, _parser: object, namespace: argparse.Namespace, values: object, _option: object = None) -> None:
        """Add the reports of one option to those of the options before it."""
        before = getattr(namespace, self.dest)
        earlier = before if isinstance(before, tuple) else ()  # the default is text, and counts where nothing is given
        later: tuple[Output, ...] = values  # type: ignore[assignment]
        setattr(namespace, self.dest, tuple({one.file: one for one in (*earlier, *later)}.values()))


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse a command line.

    Args:
        argv: arguments without the program's name; those of the process where None.

    Raises:
        UsageError: an option is unknown, or its value is wrong.
        SystemExit: after ``--help``.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    parser = build_parser()
    options, names = split_names(given, parser.with_value())
    arguments = parser.parse_intermixed_args(options)
    arguments.given = given
    arguments.paths += names
    _check(arguments)
    return arguments


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that contradict each other.

    Raises:
        UsageError: they do.
    """
    if arguments.why is not None:
        _check_why(arguments)
        return
    if arguments.explain is not None and arguments.paths:
        msg = f"--explain takes one rule; what is `{arguments.paths[0]}`?"
        raise UsageError(msg)
    arguments.paths = arguments.paths or ["."]
    _check_paths(arguments)
    if arguments.cache_dir == "":
        msg = "argument --cache-dir: the name is empty"
        raise UsageError(msg)
    is_stdin = STDIN in arguments.paths
    if arguments.verify and (arguments.diff or is_stdin or not (arguments.fix or arguments.fix_only)):
        msg = "--verify needs --fix or --fix-only, and files to write"
        raise UsageError(msg)
    if arguments.verify != bool(arguments.factory):
        msg = "--verify and --factory FILE::FUNCTION need each other"
        raise UsageError(msg)
    for name in _OF_THE_VERIFIER:
        if getattr(arguments, name) and not arguments.verify:
            msg = f"--{name} needs --verify"
            raise UsageError(msg)
    _check_combined(arguments, is_stdin=is_stdin)
    if arguments.isolated and arguments.config is not None:
        raise UsageError(_ISOLATED_WITH_CONFIG)
    if arguments.output_file is not None:
        arguments.output_format = with_output_file(arguments.output_format, arguments.output_file)
    _check_written(arguments)


def _check_written(arguments: argparse.Namespace) -> None:
    """Refuse to write reports and baselines where they would take the place of something else.

    Raises:
        UsageError: they would.
    """
    read = () if arguments.merge else arguments.paths
    for output in arguments.output_format:
        if output.file is not None:
            refuse_source(output.option, output.file, read)
    if arguments.write_baseline is not None:
        if arguments.write_baseline == STDIN:
            msg = "--write-baseline: standard output is no file that --baseline could read"
            raise UsageError(msg)
        refuse_source("--write-baseline", arguments.write_baseline, read)


def _check_paths(arguments: argparse.Namespace) -> None:
    """Refuse paths that cannot be meant.

    Raises:
        UsageError: there are such.
    """
    is_stdin = STDIN in arguments.paths
    if "" in arguments.paths:
        msg = "a path is empty"  # of a variable that is not set; Path would take it for the working directory
        raise UsageError(msg)
    if is_stdin and len(arguments.paths) > 1:
        msg = "`-` (standard input) cannot be combined with other paths"
        raise UsageError(msg)
    if arguments.stdin_filename is not None and not is_stdin:
        msg = "--stdin-filename needs `-` as the only path"
        raise UsageError(msg)


def _check_combined(arguments: argparse.Namespace, *, is_stdin: bool) -> None:
    """Refuse what cannot be done together with writing a baseline or comments, and with watching.

    Raises:
        UsageError: it is asked.
    """
    for option, excluded in _NOT_WITH.items():
        if not _is_given(arguments, option):
            continue
        others = [f"--{one}" for one in excluded if _is_given(arguments, one)] + ["standard input"] * is_stdin
        if others:
            msg = f"--{option} cannot be combined with {others[0]}"
            raise UsageError(msg)
    if arguments.add_noqa is not None and len(arguments.add_noqa.splitlines()) > 1:
        msg = "--add-noqa: a reason is one line"
        raise UsageError(msg)


def _is_given(arguments: argparse.Namespace, option: str) -> bool:
    value = getattr(arguments, option.replace("-", "_"))
    return value not in _NOT_GIVEN and value != DEFAULT_OUTPUTS


def _check_why(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be asked together with ``--why``, and name its file as the only path.

    Raises:
        UsageError: something else is asked.
    """
    others = [option for option in _NOT_WITH_WHY if _is_given(arguments, option)]
    others += ["output-format"] if arguments.output_format != DEFAULT_OUTPUTS else []
    if arguments.paths or others:
        msg = f"--why cannot be combined with {f'--{others[0]}' if others else 'paths'}"
        raise UsageError(msg)
    if arguments.isolated and arguments.config is not None:
        raise UsageError(_ISOLATED_WITH_CONFIG)
    arguments.paths = [arguments.why.path]


def _target(value: str) -> Target:
    try:
        return parse_target(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _outputs(value: str) -> tuple[Output, ...]:
    try:
        return parse_outputs(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _shard(value: str) -> Shard:
    try:
        return parse_shard(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _jobs(value: str) -> int:
    if value == "auto":
        return 0
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1:
        msg = f"`{value}` is neither a positive number nor `auto`"
        raise argparse.ArgumentTypeError(msg)
    return number


def build_parser() -> _Parser:
    """Return the parser of options and paths; commands and names behind `--` are taken away before."""
    parser = _Parser(
        prog="regbuf-lint",
        description="Find tensors that an nn.Module neither moves, casts nor saves, and register them as buffers.",
        epilog="Exit codes: 0 no findings; 1 findings, or with --diff changes; 2 a mistake in usage or configuration, "
        "or a path that failed.",
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and directories; `-` is standard input")
    _add_fixing(parser.add_argument_group("fixing"))
    _add_selection(parser.add_argument_group("what to report"))
    _add_output(parser.add_argument_group("output"))
    _add_adoption(parser.add_argument_group("findings that are there already"))
    _add_configuration(parser.add_argument_group("configuration and files"))
    _add_information(parser.add_argument_group("information"))
    return parser


def _add_fixing(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--fix", action="store_true", help="apply safe fixes")
    group.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff: apply unsafe fixes as well")
    group.add_argument("--fix-only", action="store_true", help="apply fixes and do not report what is left")
    group.add_argument("--diff", action="store_true", help="print what --fix would change, write nothing")
    group.add_argument("--show-fixes", action="store_true", help="list the fixes applied")
    group.add_argument("--verify", action="store_true", help="with --fix: write a file only when torch confirms it")
    group.add_argument(
        "--factory", action="append", default=[], metavar="FILE::FUNCTION", help="with --verify: builds fixed classes"
    )
    group.add_argument("--inputs", metavar="EXPRESSION", help="with --verify: what the classes are called with")
    group.add_argument("--timeout", metavar="SECONDS", help="with --verify: for each version")
    group.add_argument("--memory", metavar="MIB", help="with --verify: for each version")
    group.add_argument(
        "--device",
        action="append",
        default=[],
        metavar="NAMES",
        help="with --verify: where to, as regbuf-verify has it",
    )
    group.add_argument(
        "--fixable", action="append", metavar="CODES", help="codes whose fixes are applied (default: ALL)"
    )
    group.add_argument("--unfixable", action="append", metavar="CODES", help="codes whose fixes are shown only")
    group.add_argument("--persistent", metavar="{auto,always,never}", help="what fixes write for `persistent`")
    group.add_argument("--buffer-style", metavar="{register-buffer,nn-buffer}", help="how fixes register a buffer")
    group.add_argument(
        "--annotate", action=argparse.BooleanOptionalAction, help="fixes add `x: Tensor` to the class of a new buffer"
    )


def _add_selection(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--select", action="append", metavar="CODES", help="codes or prefixes to run, or ALL")
    group.add_argument("--extend-select", action="append", metavar="CODES", help="codes to run beside those selected")
    group.add_argument("--ignore", action="append", metavar="CODES", help="codes or prefixes not to run")
    group.add_argument("--extend-ignore", action="append", metavar="CODES", help="the same")
    group.add_argument(
        "--per-file-ignores", action="append", metavar="PATTERN:CODE,...", help="codes not to report in some files"
    )


def _add_adoption(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--write-baseline", metavar="FILE", help="list all findings in a file, and do no more")
    group.add_argument("--baseline", metavar="FILE", help="leave out findings that this file lists")
    group.add_argument(
        "--add-noqa", metavar="[=REASON]", help="write a `# noqa` comment for every finding, and the reason behind it"
    )


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--output-format",
        action=_AddOutputs,
        type=_outputs,
        default=DEFAULT_FORMAT,
        metavar="FORMAT[:FILE],...",
        help=f"how to report, and where to: {', '.join(FORMATS)}",
    )
    group.add_argument("-o", "--output-file", metavar="FILE", help="write the report to a file")
    group.add_argument("--statistics", action="store_true", help="count findings by code instead of listing them")
    group.add_argument("--exit-zero", action="store_true", help="exit with 0 in spite of findings")
    group.add_argument("--exit-non-zero-on-fix", action="store_true", help="exit with 1 when a file was changed")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="when to use colours")
    loudness = group.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="print findings and errors, no summary or hints")
    loudness.add_argument("-v", "--verbose", action="store_true", help="say what was read and how long it took")


def _add_configuration(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--config", metavar="FILE", help="read this file for all files, instead of the nearest one for each"
    )
    group.add_argument("--isolated", action="store_true", help="read no configuration file")
    group.add_argument("--python", metavar="PATH", help="interpreter or environment that the project runs with")
    group.add_argument("--exclude", action="append", metavar="PATTERNS", help="paths to leave out instead of the usual")
    group.add_argument("--extend-exclude", action="append", metavar="PATTERNS", help="paths to leave out beside those")
    group.add_argument("--force-exclude", action="store_true", help="exclude patterns also cover paths named here")
    group.add_argument("--stdin-filename", metavar="NAME", help="what the text on standard input is called")
    group.add_argument("-j", "--jobs", type=_jobs, default=0, metavar="N", help="processes to use (default: auto)")
    group.add_argument(
        "--shard", type=_shard, metavar="I/N", help="check the I-th of N parts of the files, for machines side by side"
    )
    group.add_argument(
        "--merge", action="store_true", help="put json, json-lines or sarif reports of shards together, and do no more"
    )
    group.add_argument("--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C")
    group.add_argument("--no-cache", action="store_true", help="neither use nor leave results of earlier runs")
    group.add_argument("--cache-dir", metavar="DIR", help="where these are (default: .regbuf_cache)")
    group.add_argument("--show-files", action="store_true", help="list the files that would be checked, and do no more")
    group.add_argument(
        "--show-settings", action="store_true", help="print the settings for the first of them, and do no more"
    )
    group.add_argument("--clean-cache", action="store_true", help="remove the results of earlier runs, and do no more")


def _add_information(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--explain", metavar="RULE", help="print the page of a rule, by code or name")
    group.add_argument(
        "--why",
        type=_target,
        metavar="FILE:LINE",
        help="say what the attributes on a line hold and what decided about them; also FILE::Class.attr",
    )
    group.add_argument("--server", action="store_true", help="be a language server on standard input and output")
    group.add_argument("--list-rules", action="store_true", help="list all rules")
    group.add_argument(
        "--version", action="store_true", help="print the versions of the linter, Python, libcst and the JSON schema"
    )
    group.add_argument(
        "--generate-shell-completion",
        choices=SHELLS,
        metavar=f"{{{','.join(SHELLS)}}}",
        help="print a script for a shell",
    )
