"""Small files with defects, for tests that want some finding and care little which."""

from __future__ import annotations

PLAIN_TENSOR = """\
import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = torch.ones(3)

    def forward(self, x):
        return x + self.m
"""
"""One finding of RBF001, with a safe fix."""

PLAIN_TENSOR_AND_LOST_BUFFER = """\
import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = torch.ones(3)
        self.p = self.register_buffer("p", torch.ones(3))

    def forward(self, x):
        return x + self.m
"""
"""The same, and one of RBF106."""
