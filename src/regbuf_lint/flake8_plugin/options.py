"""What flake8's command line and configuration files say to the linter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping

    from regbuf_lint.model.settings import Settings

PREFIX = "RBF"

_LIST_OPTIONS = {
    "module-classes": "Dotted names of classes that are to be taken for nn.Module classes.",
    "tensor-functions": "Dotted names of functions that return a tensor.",
    "ignore-attributes": "Attributes that are not reported: patterns of attr or Class.attr.",
}
"""Keys of the table that flake8's files may set too, as ``rbf-module-classes`` and so on, and their help."""


class OptionManager(Protocol):
    """The part of flake8's class of that name that is used; flake8 is neither typed nor always installed."""

    def add_option(self, *names: str, **settings: object) -> None:
        """Declare one option."""


def add_options(manager: OptionManager) -> None:
    """Declare the plugin's options to flake8."""
    for key, help_text in _LIST_OPTIONS.items():
        manager.add_option(
            f"--rbf-{key}",
            default=None,
            comma_separated_list=True,
            parse_from_config=True,
            metavar="NAMES",
            help=f"{help_text} Takes the place of the key in [tool.regbuf-lint].",
        )


class Lookup:
    """Gives the settings of the files of a flake8 run.

    They are those of the configuration nearest to each file; what flake8 was told wins over them. flake8 itself applies
    its ``select``, ``ignore`` and ``per-file-ignores`` to what the plugin yields, and chooses the files.

    Args:
        options: what flake8 parsed.
        known_codes: gives the names of all rules by their codes; asked only where rules are selected, since it takes
            the import of all of them.
    """

    def __init__(self, options: Namespace, known_codes: Callable[[], Mapping[str, str]]) -> None:
        from regbuf_lint.source.nearest_settings import NearestSettings  # noqa: PLC0415  flake8 may not run it

        overrides: dict[str, object] = {"extend-select": opted_in(options, known_codes)}
        for key in _LIST_OPTIONS:
            names = getattr(options, f"rbf_{key.replace('-', '_')}")
            if names is not None:
                overrides[key] = names
        self._nearest = NearestSettings(overrides, known_codes=known_codes)
        named = (Path(name) for name in getattr(options, "filenames", None) or ["."])
        self._directories = [(one, one.absolute()) for one in named if one.is_dir()]

    def of(self, path: Path) -> Settings:
        """Return the settings of a file.

        Raises:
            SettingsError: its configuration cannot be used.
        """
        place = path.absolute()
        above = (one for one, directory in self._directories if place.is_relative_to(directory))
        return self._nearest.of(path.parent, next(above, path))


def opted_in(options: Namespace, known_codes: Callable[[], Mapping[str, str]]) -> tuple[str, ...]:
    """Return what flake8's ``select`` and ``extend-select`` ask for: codes of rules, and prefixes of codes.

    The bare ``RBF`` of ``select = E,F,RBF`` only lets the plugin in, as it does for other plugins; a code is asked
    for by itself or by a prefix with a digit (``RBF2``). flake8's own list of codes that are ignored by default would
    not do for rules that are off by default: it is dropped as a whole where somebody writes ``ignore``.
    """
    named = (*(options.select or ()), *(options.extend_select or ()))
    wanted = [one for one in named if len(one) > len(PREFIX) and one.startswith(PREFIX)]
    codes = known_codes() if wanted else {}
    return tuple(one for one in wanted if any(code.startswith(one) for code in codes))
