"""pytest plugin: run any test suite under the tracer.

    PYTHONPATH=tests/runtime_truth:src python -m pytest -p runtime_truth_plugin --runtime-truth OUTPUT.json \
        [--runtime-truth-root DIRECTORY] [--runtime-truth-lines LINES.json] [--runtime-truth-cases N] ...

``OUTPUT.json`` gets what ``Tracer.as_json`` returns and, under ``tests``, how many tests had which outcome.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from store_tracer import Tracer

OPTION = "--runtime-truth"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("runtime truth")
    group.addoption(OPTION, metavar="FILE", help="trace stores on nn.Module objects and write them to this file")
    group.addoption(f"{OPTION}-root", metavar="DIRECTORY", default=".", help="record stores in files below it")
    group.addoption(f"{OPTION}-lines", metavar="FILE", help="JSON object: lines of interest by file below the root")
    group.addoption(
        f"{OPTION}-cases", metavar="N", type=int, help="run N cases of each parametrized test, evenly spread over all"
    )


def pytest_configure(config: pytest.Config) -> None:
    output = config.getoption(OPTION)
    if output is not None:
        lines = config.getoption(f"{OPTION}-lines")
        wanted = json.loads(Path(lines).read_text(encoding="utf-8")) if lines else None
        root = Path(config.getoption(f"{OPTION}-root"))
        config.pluginmanager.register(RuntimeTruth(Path(output).absolute(), root, wanted))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    limit = config.getoption(f"{OPTION}-cases")
    if limit is None:
        return
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {id(case) for cases in tests.values() for case in spread(cases, limit)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]


def spread(cases: list[pytest.Item], limit: int) -> list[pytest.Item]:
    """At most ``limit`` of the cases, the first and the last among them if there are two."""
    if len(cases) <= limit:
        return cases
    return [cases[round(number * (len(cases) - 1) / max(limit - 1, 1))] for number in range(limit)]


class RuntimeTruth:
    """Traces from the first import of the tests to the end of the session."""

    def __init__(self, output: Path, root: Path, lines: dict[str, list[int]] | None) -> None:
        from store_tracer import Tracer  # noqa: PLC0415  imports torch

        self._output = output
        self._tracer: Tracer = Tracer(root, lines)
        self._outcomes: Counter[str] = Counter()
        self._tracer.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self._tracer.resume()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self._outcomes[report.outcome] += 1

    def pytest_unconfigure(self) -> None:
        self._tracer.stop()
        seen = self._tracer.as_json() | {"tests": dict(self._outcomes)}
        self._output.write_text(json.dumps(seen, indent=1), encoding="utf-8")
