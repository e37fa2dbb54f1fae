"""Write the addresses of the project, which ``[project.urls]`` in ``pyproject.toml`` sets, where they are needed.

python scripts/write_addresses.py            # write
python scripts/write_addresses.py --check    # exit with 1 where a file has another address
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
_HOOKS = r"(?<=- repo: )https://\S*(?=\n +rev: .*\n +hooks:\n +- id: regbuf-lint)"
PLACES = (
    ("src/regbuf_lint/model/addresses.py", r'(?<=^REPOSITORY = ")[^"]*', "{repository}"),
    ("src/regbuf_lint/model/addresses.py", r'(?<=^DOCUMENTATION = ")[^"]*', "{documentation}"),
    ("pyproject.toml", r"(?<=^replacement = '\]\()[^\\]*", "{repository}/blob/main/"),
    ("docs/findings.schema.json", r'(?<="\$id": ")[^"?]*(?=\?v=\d)', "{documentation}findings.schema.json"),
    ("docs/regbuf-lint.schema.json", r'(?<="\$id": ")[^"]*', "{documentation}regbuf-lint.schema.json"),
)
"""Files, patterns of the text that is an address there, and the address."""
OPTIONAL = (
    ("README.md", _HOOKS, "{repository}"),
    ("docs/*.md", _HOOKS, "{repository}"),
    ("mkdocs.yml", r"(?<=^repo_url: ).*", "{repository}"),
    ("mkdocs.yml", r"(?<=^site_url: ).*", "{documentation}"),
)
"""The same of places that a page may have or not."""


def written(name: str) -> str:
    """Return the text of a file with the addresses that it should have.

    Raises:
        ValueError: it has no place for one of them.
    """
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    text = (ROOT / name).read_text(encoding="utf-8")
    for place, pattern, address in (*PLACES, *OPTIONAL):
        if Path(name).match(place):
            wanted = address.format(repository=urls["Repository"], documentation=urls["Documentation"])
            text, number = re.subn(pattern, wanted, text, flags=re.MULTILINE)
            if not number and (place, pattern, address) in PLACES:
                msg = f"{name} has no place for {address}"
                raise ValueError(msg)
    return text


def files() -> list[str]:
    """Return the names of all files that have places for addresses."""
    found = (path for place in dict.fromkeys(one[0] for one in (*PLACES, *OPTIONAL)) for path in ROOT.glob(place))
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def main() -> int:
    """Write or compare, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    differing = []
    for name in files():
        text = written(name)
        if text != (ROOT / name).read_text(encoding="utf-8"):
            differing.append(name)
            if not check:
                (ROOT / name).write_text(text, encoding="utf-8")
    for name in differing:
        print(f"{name}: {'has another address' if check else 'written'}")
    return int(check and bool(differing))


if __name__ == "__main__":
    sys.exit(main())
