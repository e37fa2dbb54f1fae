"""Find tensors that an ``nn.Module`` neither moves, casts nor saves, and register them as buffers."""

__version__ = "0.1.0"
