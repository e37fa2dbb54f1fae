"""Find small arguments with which classes can be built and called; used by ``verify_safe_fixes.py``.

Reads requests as JSON from a file, a list of ``{"file": ..., "class": ..., "paths": [...]}``, and appends rows of JSON
to another, the last of which counts for each class: ``init`` and ``inputs``, expressions among the names of the file,
or an ``error``. Each class is tried in a process of its own with a limit of time. Needs torch, and what the classes
import.

    python scripts/small_arguments.py REQUESTS ANSWERS
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
import warnings
from contextlib import suppress
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from forked import rows_of_child
from regbuf_lint.verify.worker.importing import import_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SECONDS = 40
MOST_BUILDS, MOST_CALLED_BUILDS, MOST_CALLS = 600, 12, 250

SIZES = ("4", "8", "2", "16", "1")
TENSORS = (
    "torch.ones(2, 4)", "torch.ones(2, 4, 8, 8)", "torch.ones(2, 3, 16, 16)", "torch.ones(2, 4, 4)", "torch.ones(4)",
    "torch.ones(1, 1, 16, 16)", "torch.ones(2, 16)", "torch.zeros(2, 4, dtype=torch.long)",
    "torch.zeros(2, dtype=torch.long)", "torch.ones(2, 1, 64)", "torch.ones(2, 8, 8)", "torch.ones(2, 4, 4, 4, 4)",
    "torch.ones(1, 3, 32, 32)", "torch.ones(2, 800)", "torch.ones(1)", "torch.tensor(0.5)",
)  # fmt: skip
WHOLE = (
    "torch.zeros(2, 4, dtype=torch.long)",
    "torch.zeros(2, dtype=torch.long)",
    "torch.zeros(2, 8, 8, dtype=torch.long)",
)
BY_ANNOTATION = (
    (r"Tensor", TENSORS), (r"bool", ("False", "True")), (r"[Ll]ist\[|[Ss]equence|[Tt]uple|[Ii]terable",
     ("[4, 4]", "(4, 4)", "[2, 4, 8]", "[0.5, 0.5]", "['a']", "[nn.Identity()]")), (r"int", SIZES),
    (r"float", ("0.5", "1.0", "4.0")), (r"str", ("'mean'", "'relu'", "'linear'", "'gelu'", "''")),
    (r"Module", ("nn.Linear(4, 4)", "nn.Identity()")), (r"Callable", ("nn.Identity()", "torch.relu")),
    (r"[Dd]ict|Mapping", ("{}",)), (r"device", ("torch.device('cpu')",)), (r"dtype", ("torch.float32",)),
)  # fmt: skip
BY_NAME = (
    (r"ids|index|indices|labels?$|targets?$|timesteps?|^t$|tokens", WHOLE + TENSORS),
    (r"shape|size$|resolution|sizes", ("4", "(4, 4)", "[4, 4]", "8", "(8, 8)")),
    (r"dim|channels|features|hidden|width|height|^n_|num|len|heads|rank|^n$|depth|order|steps|kernel|^d_", SIZES),
    (r"eps|scale|alpha|beta|gamma|rate|sigma|std|temperature|low|high|max|min|start|end|ratio|prob",
     ("0.5", "1.0", "4", "2")),
    (r"weights?$|mean|bounds|values|points|^x$|inputs?$|mask", (*TENSORS, "[0.5, 0.5]")),
    (r"act|norm_layer|layer", ("nn.ReLU", "nn.ReLU()", "nn.LayerNorm", "'relu'")),
    (r"model|module|net|backbone|encoder|decoder", ("nn.Linear(4, 4)", "nn.Identity()")),
)  # fmt: skip
ANYTHING = (
    "4",
    "0.5",
    "torch.ones(4)",
    "torch.ones(4, 4)",
    "None",
    "[4, 4]",
    "nn.Linear(4, 4)",
    "'mean'",
    "True",
    "{}",
)


def candidates(parameter: inspect.Parameter, *, calling: bool) -> tuple[str, ...]:
    """Expressions for a parameter, the likeliest first."""
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "") + str(annotation)
    known = (
        ()
        if annotation is inspect.Parameter.empty
        else next((of for kind, of in BY_ANNOTATION if re.search(kind, text)), ())
    )
    named = next((of for name, of in BY_NAME if re.search(name, parameter.name)), ())
    if calling:
        whole = WHOLE if re.search(BY_NAME[0][0], parameter.name) else ()
        return tuple(dict.fromkeys((*whole, *(() if "Tensor" in text else known), *TENSORS, *WHOLE, "4", "None")))
    return tuple(dict.fromkeys((*known, *(() if known else named), *ANYTHING)))


def combinations(several: Sequence[Sequence[str]], most: int) -> Iterator[tuple[str, ...]]:
    """Combinations of one of each, those first that keep to the likeliest."""

    def of_cost(cost: int, rest: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
        if not rest:
            if not cost:
                yield ()
            return
        for number in range(min(cost, len(rest[0]) - 1) + 1):
            for others in of_cost(cost - number, rest[1:]):
                yield (rest[0][number], *others)

    highest = sum(len(one) - 1 for one in several)
    return islice((found for cost in range(highest + 1) for found in of_cost(cost, several)), most)


def required(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters without a default."""
    found = inspect.signature(function).parameters.values()
    named = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    return [one for one in found if one.kind in named and one.default is inspect.Parameter.empty]


def written(parameters: Sequence[inspect.Parameter], values: Sequence[str]) -> str:
    """Arguments as a call has them."""
    only = inspect.Parameter.POSITIONAL_ONLY
    pairs = zip(parameters, values, strict=True)
    return ", ".join(value if one.kind is only else f"{one.name}={value}" for one, value in pairs)


def searched(request: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Try arguments, and yield what is better than what was found before."""
    sys.path[:0] = request["paths"]
    importlib.invalidate_caches()
    names = {"torch": torch, "nn": nn, **vars(import_file(request["file"]))}
    kind = eval(request["class"], names)  # noqa: S307  a name out of the file
    parameters = required(kind)
    error, built = "", 0
    for values in combinations([candidates(one, calling=False) for one in parameters], MOST_BUILDS):
        init = f"{request['class']}({written(parameters, values)})"
        try:
            torch.manual_seed(0)
            module = eval(init, names)  # noqa: S307
        except Exception as failure:  # noqa: BLE001  whatever wrong arguments raise
            error = error or f"{type(failure).__name__}: {failure}"[:200]
            continue
        if not built:
            yield {"init": init, "inputs": ""}
        built += 1
        inputs = called(module, names)
        if inputs is not None:
            yield {"init": init, "inputs": inputs}
            return
        if built == MOST_CALLED_BUILDS:
            return
    if not built:
        yield {"error": error or "nothing to try"}


def called(module: nn.Module, names: dict[str, Any]) -> str | None:
    """Inputs that a module takes, as an expression; None where none was found."""
    parameters = required(module.forward)
    for values in combinations([candidates(one, calling=True) for one in parameters], MOST_CALLS):
        text = ", ".join(f"{one.name!r}: {value}" for one, value in zip(parameters, values, strict=True))
        with suppress(Exception):
            module(**eval(f"{{{text}}}", names))  # noqa: S307
            return f"{{{text}}}"
    return None


def main(requests: str, answers: str) -> None:
    """Search for all requests."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for number, request in zip(count(1), json.loads(Path(requests).read_text(encoding="utf-8")), strict=False):
        print(f"{number}: {request['class']}", file=sys.stderr)
        with Path(answers).open("a", encoding="utf-8") as out:
            for found in rows_of_child(partial(searched, request), SECONDS):
                print(json.dumps({"file": request["file"], "class": request["class"], **found}), file=out)


if __name__ == "__main__":
    main(*sys.argv[1:])
