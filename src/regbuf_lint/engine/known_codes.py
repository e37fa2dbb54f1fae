"""The codes that settings may select, for whoever puts settings together."""

from __future__ import annotations


def known_codes() -> dict[str, str]:
    """The names of all rules by their codes; importing these takes long, so ask only where something is selected."""
    from regbuf_lint.rules import RULES  # noqa: PLC0415  see above

    return {rule.meta.code: rule.meta.name for rule in RULES}
