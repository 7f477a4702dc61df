"""A question's rules: the names that its answer must not use, and the torch operators that it may run."""

from collections.abc import Iterable
from dataclasses import dataclass

_SHAPES = """
    alias as_strided atleast_1d atleast_2d atleast_3d broadcast_tensors broadcast_to cat chunk column_stack
    concat concatenate constant_pad_nd contiguous diagonal dstack expand expand_as flatten flip gather
    hsplit hstack index index_select mT mH matrix_H movedim moveaxis narrow narrow_copy
    numpy_T pad permute ravel repeat repeat_interleave reshape reshape_as _reshape_alias resize roll
    select slice split split_with_sizes squeeze stack swapaxes swapdims t take take_along_dim tensor_split
    tile transpose unbind unflatten unfold unsafe_chunk unsafe_split unsafe_split_with_sizes _unsafe_view
    unsqueeze view view_as vsplit vstack
"""
_CREATION = """
    arange clone copy _copy_from detach empty empty_like empty_strided eye fill full full_like
    lift lift_fresh linspace new_empty new_empty_strided new_full new_ones new_zeros ones ones_like
    scalar_tensor set_data to _to_copy triu tril type_as zero zeros zeros_like
"""
_NUMBERS = """
    __and__ __iand__ __ior__ __ixor__ __or__ __xor__ abs absolute add addcdiv addcmul bitwise_and
    bitwise_not bitwise_or bitwise_xor ceil clamp clamp_max clamp_min clip div divide exp exp2 expm1
    float_power floor floor_divide fmax fmin frac ger kron lerp log log10 log1p log2 maximum minimum mul
    multiply nan_to_num neg negative outer positive pow real reciprocal remainder resolve_conj
    resolve_neg round rsqrt rsub sgn sign special_exp2 special_expm1 sqrt square sub subtract true_divide
    trunc
"""
_COMPARISONS = """
    all allclose amax amin aminmax any argmax argmin argsort can_cast count_nonzero cummax cummin eq equal fix
    ge greater greater_equal gt _is_all_true _is_any_true is_nonzero is_same_size isclose isfinite isinf isnan
    isneginf isposinf item le less less_equal _local_scalar_dense logical_and logical_not logical_or
    logical_xor lt masked_fill masked_scatter masked_select max min msort ne nonzero nonzero_numpy not_equal
    promote_types result_type sort topk where
"""
_SUMS = """
    cumprod cumsum index_add index_copy index_fill _index_put_impl index_put linalg_norm linalg_vector_norm
    logaddexp logaddexp2 logcumsumexp logsumexp mean nanmean nansum norm prod scatter scatter_add
    scatter_reduce special_logsumexp std sum var
"""
_PRODUCTS = """
    addbmm addmm addmv addr baddbmm bmm chain_matmul dot einsum inner linalg_matmul linalg_multi_dot
    linalg_vecdot linear matmul mm mv tensordot vdot
"""
_SOFTMAXES = """
    log_softmax _log_softmax softmax _softmax special_log_softmax special_softmax
"""
GROUPS = {
    "basics": frozenset(
        (_SHAPES + _CREATION + _NUMBERS + _COMPARISONS).split()
    ),  # views, new tensors, element-wise operators and comparisons
    "sums": frozenset(_SUMS.split()),  # sums, means and products of elements, and writing by index
    "products": frozenset(_PRODUCTS.split()),  # products of vectors and matrices
    "softmaxes": frozenset(_SOFTMAXES.split()),
}


def all_operators(names: Iterable[str]) -> frozenset[str]:
    """Return the operators in `names`, which contains names of operators and of groups of operators."""
    return frozenset[str]().union(*(GROUPS.get(name, {name}) for name in names))


@dataclass(frozen=True, slots=True)
class Rule:
    """One question's rules. If an answer breaks a rule, an instructor must check the answer."""

    forbid: tuple[str, ...] = ()  # names that the answer's code must not use
    operators: frozenset[str] | None = None  # the only operators that the answer may run; None allows all
