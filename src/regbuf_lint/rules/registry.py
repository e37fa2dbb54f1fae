"""All rules, in the order of their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.rules import (
    buffer_requires_grad,
    plain_tensor_attribute,
    register_buffer_result,
    syntax_error,
    tensor_in_container,
    trainable_plain_tensor,
)

if TYPE_CHECKING:
    from regbuf_lint.rules.base import Rule

RULES: tuple[Rule, ...] = (
    plain_tensor_attribute.RULE,
    tensor_in_container.RULE,
    trainable_plain_tensor.RULE,
    buffer_requires_grad.RULE,
    register_buffer_result.RULE,
    syntax_error.RULE,
)
