"""A small sequence model, written the way it often is: it trains on the CPU and breaks on `model.to("cuda")`."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 512) -> None:
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.pe = pe  # stays on the CPU

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[: x.size(1)]


class CausalAttention(nn.Module):
    def __init__(self, d_model: int, block_size: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.mask = torch.tril(torch.ones(block_size, block_size))
        self.scale = self.register_buffer("scale", torch.tensor(d_model**-0.5))  # register_buffer returns None

    def forward(self, x: Tensor) -> Tensor:
        n = x.size(1)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        scores = scores.masked_fill(self.mask[:n, :n] == 0, float("-inf"))
        return F.softmax(scores, dim=-1) @ v


class RunningNorm(nn.Module):
    def __init__(self, features: int, momentum: float = 0.1) -> None:
        super().__init__()
        self.momentum = momentum
        self.running_mean = torch.zeros(features)  # lost when training resumes from a checkpoint
        self.gain = torch.ones(features, requires_grad=True)  # no optimizer ever sees it
        self.register_buffer("eps", torch.full((1,), 1e-5, requires_grad=True))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            mean = x.detach().mean(dim=(0, 1))
            self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * mean
        return (x - self.running_mean) * self.gain / (x.std() + self.eps)


class SequenceModel(nn.Module):
    def __init__(self, vocabulary: int, d_model: int = 32, block_size: int = 64) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d_model)
        self.encoding = PositionalEncoding(d_model, block_size)
        self.attention = CausalAttention(d_model, block_size)
        self.norm = RunningNorm(d_model)
        self.head = nn.Linear(d_model, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.encoding(self.embed(tokens))
        return self.head(self.norm(self.attention(x)))
