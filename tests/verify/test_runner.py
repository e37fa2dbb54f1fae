"""Choosing how processes are started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from regbuf_lint.verify import runner
from regbuf_lint.verify.isolation.client import environment
from regbuf_lint.verify.isolation.supervision import Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regbuf_lint.verify.isolation.client import Worker

HAVING = {"torch": "2", "python": "3", "accelerated": True, "devices": {"cuda": "a card"}}
LACKING = {**HAVING, "devices": {"meta": "no device"}}
WITHOUT = {**LACKING, "accelerated": False}


@pytest.mark.parametrize(
    ("forked", "plain", "expected", "forks"),
    [
        (HAVING, None, HAVING, True),
        (LACKING, HAVING, HAVING, False),
        (LACKING, LACKING, LACKING, True),
        (WITHOUT, None, WITHOUT, True),
    ],
)
def test_nothing_is_forked_where_only_an_interpreter_of_its_own_can_use_the_device(
    forked: dict[str, Any],
    plain: dict[str, Any] | None,
    expected: dict[str, Any],
    forks: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def described(worker: Worker, devices: Sequence[str]) -> dict[str, Any]:
        assert devices == ["auto"]
        answer = forked if worker.forks else plain
        assert answer is not None, "there was no need to ask"
        return answer

    monkeypatch.setattr(runner, "described", described)
    monkeypatch.setattr("regbuf_lint.verify.isolation.client.CAN_FORK", True)
    with runner.started(["auto"], Limits(), 3) as (seen, workers):
        assert seen.devices == expected["devices"]
        assert [worker.forks for worker in workers] == [forks] * 3


def test_outputs_on_cuda_are_computed_in_full_precision_whatever_the_user_s_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A network of convolutions gave outputs of which some were 10 % off, on one H100 with torch 2.11."""
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "1")
    assert environment()["NVIDIA_TF32_OVERRIDE"] == "0"
