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
    "torch.get_device": "device-number",
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
    "get_device": "device-number",
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
# Traits of what becomes of a tensor (`flow.py` defines each). Methods stand for the functions `torch.NAME` too.
HOST = _words("numpy tolist is_nonzero")
METADATA = _words("dim_order is_tensor layout name qscheme")
DEVICE_FLAGS = _words("is_cpu is_cuda is_ipu is_maia is_meta is_mps is_mtia is_vulkan is_xla is_xpu")
PLACE = _words("get_device is_pinned new result_type type")
GRADIENT = _words(
    "grad grad_dtype grad_fn is_leaf register_hook register_post_accumulate_grad_hook requires_grad retain_grad "
    "retains_grad"
)
# They tell of the memory or of the autograd engine, which differ from place to place and from run to run.
MEMORY = _words("const_data_ptr data_ptr is_distributed is_inference is_set_to is_shared output_nr volatile")
MOVES = _words("cpu cuda ipu mtia pin_memory to type type_as xpu")
MOVES_TO_CPU = _words("cpu pin_memory")
LIKE_ANOTHER = _words("to type_as")
# Copies and other orders of the same numbers that no schema calls a view, and what only ends or begins a graph.
RESHAPED = _words(
    "as_subclass clone contiguous detach detach_ flip fliplr flipud repeat repeat_interleave requires_grad_ "
    "atleast_1d atleast_2d atleast_3d resolve_conj resolve_neg roll rot90 share_memory_ tile to_dense to_sparse "
    "to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr unflatten T mT data"
)
# What schemas call a view and is a part, or a conjugate, of the numbers.
PARTS = _words(
    "as_strided ccol_indices chunk col_indices crow_indices diagonal dsplit gather hsplit imag index_select indices "
    "masked_select narrow narrow_copy real row_indices select slice_inverse split split_with_sizes take "
    "take_along_dim tensor_split unbind unfold values vsplit linalg.diagonal"
)
CONJUGATES = _words("H adjoint conj mH")
EXPANDING = _words("broadcast_tensors broadcast_to expand expand_as meshgrid")
OVERWRITING = _words("copy_ fill_ zero_")
FETCHING = _words("copy_")
# A product that sums, and what has kernels for one dtype alone; `einsum` sums where its equation says so (called).
ONE_DTYPE = _words(
    "addbmm addmm addmv baddbmm bmm cdist chain_matmul complex cross dot heaviside index_add index_copy index_put "
    "inner lerp linalg.cross linalg.matmul linalg.multi_dot masked_scatter matmul mm mv polar quantile "
    "scatter scatter_add tensordot vdot"
)
LAYERS_OF_ONE_DTYPE = _words(
    "bilinear binary_cross_entropy conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d "
    "cross_entropy grid_sample linear nll_loss prelu scaled_dot_product_attention"
)
COPIES = _words("clone contiguous repeat tile")
SIZED = _words("empty ones rand randn zeros")
GRAPHLESS = _words("scalar_tensor tensor")
WITHOUT_GRADIENT = _words("autograd.inference_mode autograd.no_grad inference_mode no_grad")
WRAPPERS = _words("compile func.vmap jit.script vmap")
CONVERTERS = _words("as_tensor asarray")
FACTORIES = _words("as_tensor asarray from_dlpack from_numpy frombuffer tensor utils.dlpack.from_dlpack")
NOT_DRAWN = r"\w*rrelu\w*"  # they take a generator for the noise that they add to what they compute
SECOND_ON_CPU = _words("nn.utils.rnn.pack_padded_sequence tensor_split")
"""What their documentation says of a tensor of lengths, or of indices (torch 2.13)."""
JOINS = _words("nn.utils.rnn.pad_sequence")
# The operators among those that may be given a dimension that, given none, make one number of all.
REDUCTIONS = _words(
    "all amax amin any argmax argmin count_nonzero max mean median min nanmean nanmedian nansum norm prod std sum var"
)
# Operators without the tag `pointwise` whose results have the shape of what they are given.
ELEMENTWISE = _words(
    "absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh cumprod cumsum divide fix flip floor_divide greater "
    "greater_equal less less_equal log_softmax logcumsumexp multiply negative nn.functional.log_softmax "
    "nn.functional.normalize nn.functional.relu nn.functional.softmax not_equal roll softmax subtract true_divide"
)
# What they give has one dimension less than the tensor, which no schema says.
SLICES = _words("select unbind")
RANGES = _words("arange linspace logspace range")
# Written in Python, or in terms of operators that have the tag.
RAGGED = _words("argwhere unique")
GENERATOR_STATES = _words("cuda.get_rng_state get_rng_state random.get_rng_state")
# Named like what changes a tensor, and leave its numbers as they are.
UNCHANGING = _words(
    "PackedSequence_ clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ detach_ replace_all_batch_norm_modules_ "
    "requires_grad_ share_memory_"
)
# Operators that take a number for a tensor (`should_allow_numbers_as_tensors` in torch/csrc/utils).
NUMBERS_FOR_TENSORS = _words(
    "add copy div divide floor_divide fmod mul multiply remainder sub subtract true_divide result_type"
)
# Functions in Python that compute with a number where their annotations want a tensor (torch 2.13, called).
NUMBERS_FOR_ANNOTATED = _words("nn.functional.gaussian_nll_loss nn.functional.multilabel_soft_margin_loss")
# Methods of tensors that objects of other libraries have too (frames of pandas, sparse matrices, symbols, storages,
# loggers, engines, slices), or that are usual names of parts (`self.norm(x)`) and of operations of classes.
SHARED_NAMES = _words(
    "abs acos add add_ adjoint align_to angle apply_ arcsin arcsinh arctan arctanh asin atan atan2 backward bool "
    "ceil cholesky chunk clone coalesce combinations corrcoef cos cosh cov cross cummax cummin data_ptr deg2rad "
    "dequantize det detach diag diagonal_scatter diff dim dist div divide dropout eig eq equal erf exp expm1 flip "
    "floor fmod frac gather ge get_device greater gt hist histogram hypot index indices inner int inverse "
    "is_complex is_pinned is_set_to is_shared isfinite isin isnan istft le less log log10 log1p log2 log_softmax "
    "logdet logit logsumexp long lt lu map_ maximum median minimum module_load mul multinomial multiply names "
    "nansum narrow ne neg negative new nextafter norm numpy outer pin_memory positive pow prelu qr quantile "
    "rad2deg record_stream register_hook reinforce relu remainder rename renorm requires_grad_ resize roll rot90 "
    "rsub scatter select sgn share_memory_ sigmoid sign sin sinh size smm softmax solve sqrt square stack stft "
    "storage storage_type stride sub subtract svd tan tanh tile to_dense to_mkldnn trapz true_divide trunc "
    "unflatten unfold unique untyped_storage values_ where"
)
# What makes a tensor of the default dtype, a floating-point one, where none is said.
FLOAT_RESULTS = _words(
    "bartlett_window blackman_window empty empty_permuted empty_strided eye hamming_window hann_window kaiser_window "
    "linspace logspace ones rand randn zeros Tensor FloatTensor"
)
UNINITIALIZED = _words(
    "empty empty_like empty_permuted empty_strided empty_quantized Tensor FloatTensor DoubleTensor HalfTensor "
    "BFloat16Tensor ByteTensor CharTensor ShortTensor IntTensor LongTensor BoolTensor new new_empty new_empty_strided"
)
