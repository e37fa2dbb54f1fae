"""Write the addresses and the version of the project where they are needed.

``[project.urls]`` in ``pyproject.toml`` sets the addresses, and ``src/regbuf_lint/__init__.py`` the version.

python scripts/write_addresses.py            # write
python scripts/write_addresses.py --check    # exit with 1 where a file has another address
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
VERSION = "src/regbuf_lint/__init__.py"
_HOOKS = r"(?<=- repo: )https://\S*(?=\n +rev: .*\n +hooks:\n +- id: regbuf-lint)"
_REVISION = r"(?<= rev: )v\S+(?=\n +hooks:\n +- id: regbuf-lint)"
_ACTION = r"(?<=uses: )(?!actions/)[\w./-]+@v\d+\.\d+\.\d\S*"
PLACES = (
    ("src/regbuf_lint/model/addresses.py", r'(?<=^REPOSITORY = ")[^"]*', "{repository}"),
    ("src/regbuf_lint/model/addresses.py", r'(?<=^DOCUMENTATION = ")[^"]*', "{documentation}"),
    ("pyproject.toml", r"(?<=^replacement = '\]\()[^\\]*", "{repository}/blob/main/"),
    ("docs/findings.schema.json", r'(?<="\$id": ")[^"?]*(?=\?v=\d)', "{documentation}findings.schema.json"),
    ("docs/regbuf-lint.schema.json", r'(?<="\$id": ")[^"]*', "{documentation}regbuf-lint.schema.json"),
)
"""Files, patterns of the text that is an address there, and the address."""
OPTIONAL = (
    *(
        (page, pattern, address)
        for page in ("README.md", "docs/*.md")
        for pattern, address in (
            (_HOOKS, "{repository}"),
            (_REVISION, "v{version}"),
            (_ACTION, "{action}@v{version}"),
        )
    ),
    ("mkdocs.yml", r"(?<=^repo_url: ).*", "{repository}"),
    ("mkdocs.yml", r"(?<=^site_url: ).*", "{documentation}"),
)
"""The same of places that a page may have or not."""


def written(name: str) -> str:
    """Return the text of a file with the addresses that it should have.

    Raises:
        ValueError: it has no place for one of them.
    """
    known = _known()
    text = (ROOT / name).read_text(encoding="utf-8")
    for place, pattern, address in (*PLACES, *OPTIONAL):
        if Path(name).match(place):
            text, number = re.subn(pattern, address.format_map(known), text, flags=re.MULTILINE)
            if not number and (place, pattern, address) in PLACES:
                msg = f"{name} has no place for {address}"
                raise ValueError(msg)
    return text


def _known() -> dict[str, str]:
    """Return what the addresses are made of."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    found = re.search(r'^__version__ = "(.*)"$', (ROOT / VERSION).read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        msg = f"{VERSION} has no version"
        raise ValueError(msg)
    action = urlsplit(urls["Repository"]).path.strip("/")
    return {
        "repository": urls["Repository"],
        "documentation": urls["Documentation"],
        "action": action,
        "version": found[1],
    }


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
