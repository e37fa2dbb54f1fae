"""What kinds of devices this build of torch knows."""

from __future__ import annotations

import torch


def built_for_accelerator() -> bool:
    """Whether this torch was built for any accelerator, be there one in this machine or not."""
    apple = getattr(torch.backends, "mps", None)  # came with torch 1.12
    kinds = ("cuda", "hip", "xpu")
    return bool(apple and apple.is_built()) or any(getattr(torch.version, kind, None) for kind in kinds)
