"""The tensors of a message in safetensors' form, each of which is checked when it comes."""

from typing import Any

import safetensors
import torch

from autograder.worker import bounds
from autograder.worker.bounds import ProtocolError

_KINDS = {  # by the words that safetensors' header has for them
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
    "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
}  # fmt: skip
_WRITTEN: dict[str, torch.dtype] = {word: getattr(torch, name) for word, name in _KINDS.items()}
DTYPES: dict[str, torch.dtype] = {name: getattr(torch, name) for name in _KINDS.values()}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
_BASE: Any = torch._C.TensorBase  # whose attributes nobody can replace
Tensors = list[torch.Tensor]


def written(tensors: Tensors) -> bytes:
    """Return contiguous tensors as bytes."""
    return safetensors.serialize({str(i): _spec(t) for i, t in enumerate(tensors)}) if tensors else b""


def read(payload: bytes) -> Tensors:
    """Return the tensors that `written` has written; anything else is a ProtocolError."""
    bounds.check_tensor_header(payload)
    try:
        named = dict(safetensors.deserialize(payload))  # type: ignore[no-untyped-call]
        tensors = [_tensor(named[str(index)]) for index in range(len(named))]
    except Exception as error:  # safetensors raises its own type and several others
        raise ProtocolError(f"a payload is not safetensors: {type(error).__name__}") from None
    if len(tensors) > bounds.MAX_TENSORS or not all(map(is_plain, tensors)):
        raise ProtocolError("a payload holds a tensor that has no form of its own")
    return tensors


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether a tensor can be sent: it is no subclass, and is dense, on the CPU and of a common dtype."""
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout is torch.strided
        and tensor.device.type == "cpu"
        and not tensor.is_quantized
        and tensor.dtype in NAMES
        and bounds.is_small(tensor)
    )


def _spec(tensor: torch.Tensor) -> safetensors.TensorSpec:
    """Return where a contiguous tensor lies in memory; safetensors' own way by numpy is ten times slower.

    It asks torch itself: a submission may have put attributes of its own into torch's class.
    """
    return safetensors.TensorSpec(
        dtype=NAMES[_BASE.dtype.__get__(tensor)],
        shape=list(_BASE.shape.__get__(tensor)),
        data_ptr=_BASE.data_ptr(tensor),
        data_len=_BASE.nbytes.__get__(tensor),
    )


def _tensor(part: dict[str, Any]) -> torch.Tensor:
    """Return one tensor of a payload; safetensors' own function for torch takes twice as long."""
    dtype, shape, data = _WRITTEN[part["dtype"]], part["shape"], part["data"]
    return torch.frombuffer(data, dtype=dtype).reshape(shape) if data else torch.empty(shape, dtype=dtype)
