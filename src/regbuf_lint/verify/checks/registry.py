"""All checks, in the order in which they run and are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regbuf_lint.verify.checks.casts import Casts
from regbuf_lint.verify.checks.checkpoint_loads import CheckpointLoads
from regbuf_lint.verify.checks.ddp_safe import DdpSafe
from regbuf_lint.verify.checks.deepcopies import DeepCopies
from regbuf_lint.verify.checks.exports import Exports
from regbuf_lint.verify.checks.moves import Moves
from regbuf_lint.verify.checks.moves_after_use import MovesAfterUse
from regbuf_lint.verify.checks.no_gradients import NoGradients
from regbuf_lint.verify.checks.not_parameters import NotParameters
from regbuf_lint.verify.checks.optimizer_step import OptimizerStep
from regbuf_lint.verify.checks.other_arguments import OtherArguments
from regbuf_lint.verify.checks.other_defaults import OtherDefaults
from regbuf_lint.verify.checks.other_inputs import OtherInputs
from regbuf_lint.verify.checks.outputs_cast import OutputsCast
from regbuf_lint.verify.checks.outputs_cpu import OutputsCpu
from regbuf_lint.verify.checks.outputs_device import OutputsDevice
from regbuf_lint.verify.checks.pickles import Pickles
from regbuf_lint.verify.checks.plain_tensors import PlainTensors
from regbuf_lint.verify.checks.round_trip import RoundTrip
from regbuf_lint.verify.checks.same_calls import SameCalls
from regbuf_lint.verify.checks.same_code import SameCode
from regbuf_lint.verify.checks.same_gradients import SameGradients
from regbuf_lint.verify.checks.same_later import SameLater
from regbuf_lint.verify.checks.same_state import SameState
from regbuf_lint.verify.checks.state_dict_keys import StateDictKeys
from regbuf_lint.verify.checks.state_kept import StateKept

if TYPE_CHECKING:
    from regbuf_lint.verify.checks.check import Check

CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        PlainTensors(),
        StateKept(),
        OutputsCpu(),
        SameCalls(),
        SameState(),  # before what makes torch itself change for the whole program, as optimizers do
        SameLater(),
        OtherInputs(),
        Moves(),
        MovesAfterUse(),
        Casts(),
        StateDictKeys(),
        CheckpointLoads(),
        RoundTrip(),
        NotParameters(),
        NoGradients(),
        OptimizerStep(),
        OutputsCast(),
        SameGradients(),
        SameCode(),
        OutputsDevice(),
        DeepCopies(),
        Pickles(),
        Exports(),
        DdpSafe(),
        OtherArguments(),
        OtherDefaults(),  # these are the last, since what the code keeps may lie on meta from then on
    )
}
"""The checks by name."""
