"""The linter as a flake8 plugin; the entry point ``RBF`` names `Plugin`."""

from regbuf_lint.flake8_plugin.plugin import Plugin

__all__ = ["Plugin"]
