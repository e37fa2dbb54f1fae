"""What no reading of torch tells, written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_table.specs import TENSOR, TENSORS

if TYPE_CHECKING:
    from torch_table.specs import Spec


# The namespaces whose public functions the API table lists.
NAMESPACES = (
    "torch",
    "torch.autograd",
    "torch.autograd.forward_ad",
    "torch.autograd.functional",
    "torch.cuda",
    "torch.cuda.random",
    "torch.distributed",
    "torch.fft",
    "torch.func",
    "torch.functional",
    "torch.hub",
    "torch.jit",
    "torch.linalg",
    "torch.masked",
    "torch.nested",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.prune",
    "torch.nn.utils.rnn",
    "torch.nn.utils.stateless",
    "torch.random",
    "torch.signal.windows",
    "torch.sparse",
    "torch.special",
    "torch.utils.checkpoint",
    "torch.utils.dlpack",
)


# Classes of the C extension that users meet as `torch.NAME`.
EXTENSION_CLASSES = {"Event", "Generator", "Size", "Stream", "device", "dtype", "finfo", "iinfo", "layout"}


def _words(text: str) -> list[str]:
    return text.split()


# What neither annotations, docstrings nor operator schemas tell, or tell wrongly. Each was read in torch's source or
# documentation. A test fails for an entry that has become needless.
# Namespaces whose functions are no operators, though some are called like one (`torch.jit.trace`).
OTHER_NAMESPACES = frozenset({"torch.jit", "torch.func", "torch.hub", "torch.compiler", "torch.nn.utils.prune"})

HAND_FUNCTIONS: dict[str, Spec] = {
    "torch.autograd.forward_ad.make_dual": TENSOR,
    "torch.autograd.forward_ad.unpack_dual": {
        "tuple": ["tensor", "optional-tensor"],
        "fields": ["primal", "tangent"],
    },
    "torch.autograd.grad": TENSORS,  # a mapping only where `inputs` is one
    "torch.broadcast_shapes": "size",
    "torch.jit.script": "other",
    "torch.nn.utils.parametrizations.weight_norm": "other",
    "torch.nn.utils.skip_init": "other",
    "torch.sym_float": "float",
    "torch.sym_int": "int",
    "torch.sym_not": "bool",
}
HAND_METHODS: dict[str, Spec] = {
    "backward": "none",
    "cdouble": TENSOR,
    "cfloat": TENSOR,
    "const_data_ptr": "int",
    "dim_order": "other",
    "index": TENSOR,
    "ipu": TENSOR,
    "is_shared": "bool",
    "module_load": TENSOR,
    "mtia": TENSOR,
    "new": TENSOR,
    "register_hook": "other",
    "register_post_accumulate_grad_hook": "other",
    "resize": TENSOR,
    "resize_as": TENSOR,
    "share_memory_": TENSOR,
    "storage": "storage",
    "storage_type": "other",
    "to_sparse_coo": TENSOR,
    "tolist": "other",  # a list of numbers, or one number where the tensor has no dimensions
}

HAND_PROPERTIES: dict[str, Spec] = {"is_xla": "bool", "name": "other", "volatile": "bool"}

# Python functions that draw random numbers; for operators the schemas say so.
RANDOM_PYTHON = (
    r"torch\.nn\.init\.(kaiming|normal|orthogonal|sparse|trunc_normal|uniform|xavier)\w*",
    r"torch\.nn\.functional\.(\w*dropout\w*|gumbel_softmax|rrelu_?|fractional_max_pool\w*)",
)
# Whose result has that dtype class whatever the arguments are, `dtype=` and `out=` left aside.
INT_RESULTS = _words(
    "argmax argmin argsort argwhere bincount bucketize count_nonzero nonzero randint randperm searchsorted "
    "tril_indices triu_indices nn.functional.one_hot linalg.matrix_rank ByteTensor CharTensor IntTensor LongTensor "
    "ShortTensor cuda.ByteTensor cuda.CharTensor cuda.IntTensor cuda.LongTensor cuda.ShortTensor byte char int long "
    "short"
)
BOOL_RESULTS = _words(
    "eq ge greater greater_equal gt isclose isfinite isin isinf isnan isneginf isposinf isreal le less less_equal "
    "logical_and logical_not logical_or logical_xor lt ne not_equal signbit BoolTensor cuda.BoolTensor bool"
)
COMPLEX_RESULTS = _words(
    "complex polar view_as_complex cfloat cdouble chalf fft.fft fft.fft2 fft.fftn fft.ifft fft.ifft2 fft.ifftn "
    "fft.rfft fft.rfft2 fft.rfftn fft.ihfft fft.ihfft2 fft.ihfftn linalg.eigvals"
)
# Methods that are no operators, or whose schema is silent, and hand out the memory of their input.
VIEW_METHODS = _words(
    "as_subclass bfloat16 bool byte cdouble cfloat chalf char contiguous cpu cuda detach double float half int long "
    "requires_grad_ short to type type_as unflatten"
)
VIEW_FUNCTIONS = _words(
    "asarray as_tensor atleast_1d atleast_2d atleast_3d broadcast_tensors from_numpy frombuffer from_dlpack meshgrid "
    "split utils.dlpack.from_dlpack"
)
UNINITIALIZED = _words(
    "empty empty_like empty_permuted empty_strided empty_quantized Tensor FloatTensor DoubleTensor HalfTensor "
    "BFloat16Tensor ByteTensor CharTensor ShortTensor IntTensor LongTensor BoolTensor new new_empty new_empty_strided"
)
