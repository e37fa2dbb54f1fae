"""All rules, in the order of their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.rules import (
    buffer_attribute,
    buffer_rebound,
    buffer_requires_grad,
    distribution_attribute,
    frozen_parameter,
    inert_plain_tensor,
    lazy_tensor_cache,
    plain_tensor_attribute,
    redundant_device_move,
    register_before_init,
    register_buffer_call,
    register_buffer_result,
    register_over_attribute,
    stale_buffer_alias,
    syntax_error,
    tensor_in_container,
    trainable_plain_tensor,
    unused_suppression,
)

if TYPE_CHECKING:
    from regbuf_lint.rules.base import Rule

RULES: tuple[Rule, ...] = (
    plain_tensor_attribute.RULE,
    tensor_in_container.RULE,
    distribution_attribute.RULE,
    lazy_tensor_cache.RULE,
    trainable_plain_tensor.RULE,
    inert_plain_tensor.RULE,
    buffer_requires_grad.RULE,
    register_over_attribute.RULE,
    register_before_init.RULE,
    buffer_rebound.RULE,
    stale_buffer_alias.RULE,
    register_buffer_result.RULE,
    frozen_parameter.RULE,
    register_buffer_call.RULE,
    buffer_attribute.RULE,
    redundant_device_move.RULE,
    syntax_error.RULE,
    unused_suppression.RULE,
)
