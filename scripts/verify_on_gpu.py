"""The whole run on a machine with a GPU, from a bare checkout: Python and torch are all that is needed.

    python scripts/verify_on_gpu.py --output DIRECTORY

Every fixture is verified on CUDA and on ``meta``. The directory (``$OUT`` where the option is left out) gets
``verification.json``, ``verification.md`` and ``verification.csv``. With ``--page docs/verification_results.md`` the
part of that page between its marks is replaced, and so is the table of cases beside it. The exit code is that of
``regbuf-verify``; without CUDA it is 2, unless ``--device`` names other devices.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from regbuf_lint.verify import cli, report  # noqa: E402  from the checkout, installed or not
from regbuf_lint.verify.cases import pairs  # noqa: E402
from regbuf_lint.verify.declared import declared_in  # noqa: E402
from regbuf_lint.verify.isolation.client import WorkerError  # noqa: E402
from regbuf_lint.verify.isolation.supervision import Limits  # noqa: E402
from regbuf_lint.verify.model import CaseError  # noqa: E402
from regbuf_lint.verify.runner import run_cases, started  # noqa: E402

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
DEVICES = "cuda,meta"


def main(argv: list[str] | None = None) -> int:
    """Run and return the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        return _run(arguments)
    except (CaseError, WorkerError) as error:
        print(f"verify_on_gpu: error: {error}", file=sys.stderr)
        return cli.MISTAKE


def _run(arguments: argparse.Namespace) -> int:
    cases = list(pairs(arguments.fixtures, declared_in(arguments.findings)))
    limits = Limits(seconds=arguments.timeout)
    devices = arguments.device.split(",")
    with started(devices, limits, arguments.jobs or cli.processors()) as (seen, workers):
        if "cuda" in devices:
            cli.check_cuda(seen)
        reports = run_cases(cases, seen, workers)
    text, cases_table = report.as_markdown(reports, seen, each_case=False), report.as_csv(reports)
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "verification.json").write_text(report.as_json(reports, seen), encoding="utf-8")
    (arguments.output / "verification.md").write_text(text, encoding="utf-8")
    (arguments.output / "verification.csv").write_text(cases_table, encoding="utf-8")
    if arguments.page is not None:
        arguments.page.write_text(replaced(arguments.page.read_text(encoding="utf-8"), text), encoding="utf-8")
        arguments.page.with_suffix(".csv").write_text(cases_table, encoding="utf-8")
    print(report.as_table(reports, seen, verbose=False, rich=False))
    return cli.VERIFIED if report.is_verified(reports, seen) else cli.FAILED


def replaced(page: str, results: str) -> str:
    """Return a page with other results between its marks.

    Raises:
        ValueError: the page has no marks.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        msg = f"the page has no marks {BEGIN} and {END}"
        raise ValueError(msg)
    return f"{before}{BEGIN}\n\n{results}\n{END}{after}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Verify every fixture on CUDA.")
    parser.add_argument("--output", type=Path, default=Path(os.environ.get("OUT", "verification")), metavar="DIRECTORY")
    parser.add_argument("--page", type=Path, metavar="FILE", help="a page whose results are replaced")
    parser.add_argument("--fixtures", type=Path, default=ROOT / "fixtures", metavar="DIRECTORY")
    parser.add_argument("--findings", default="", metavar="FILE", help="what regbuf-lint says of them, as JSON")
    parser.add_argument("--device", default=DEVICES, metavar="NAMES", help=f"with commas ({DEVICES})")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="SECONDS", help="for each version (300)")
    parser.add_argument("-j", "--jobs", type=int, default=0, metavar="N", help="cases at a time (processors)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
