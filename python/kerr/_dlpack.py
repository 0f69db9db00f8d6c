"""DLPack, by which array libraries pass arrays to each other: both ways, always by a copy in the host's memory."""

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import Any

from kerr._errors import InvalidArgument, Unsupported

CPU = (1, 0)
_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6
_CODES = {"float32": (_FLOAT, 32), "bfloat16": (_BFLOAT, 16), "int8": (_INT, 8), "uint8": (_UINT, 8), "int16": (_INT, 16),
          "uint16": (_UINT, 16), "int32": (_INT, 32)}
_LETTERS = {(_FLOAT, 32): "f", (_FLOAT, 64): "d", (_FLOAT, 16): "e", (_BFLOAT, 16): "bfloat16", (_INT, 8): "b", (_UINT, 8): "B",
            (_INT, 16): "h", (_UINT, 16): "H", (_INT, 32): "i", (_UINT, 32): "I", (_INT, 64): "q", (_UINT, 64): "Q", (_BOOL, 8): "?"}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8),
                ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class _Managed(ctypes.Structure):
    """DLManagedTensor, as it is before version 1 and still asked for."""


_DELETER = ctypes.CFUNCTYPE(None, c_void_p)
_Managed._fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", _DELETER)]

_api = ctypes.pythonapi
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, c_void_p)
_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, _DESTRUCTOR)(("PyCapsule_New", _api))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _api))

_NAME = b"dltensor"  # compared by its characters; a capsule keeps the pointer, so this object stays
_given: dict[int, Any] = {}  # what others use now, by the address of its structure


@_DELETER
def _delete(address: int) -> None:
    _given.pop(address, None)


@_DESTRUCTOR
def _unused(capsule: int) -> None:
    """The end of a capsule that nobody has taken; who takes it gives it another name."""
    if _is_valid(capsule, _NAME):
        _given.pop(_pointer(capsule, _NAME), None)


def give(data: bytearray, type: str, shape: tuple[int, int]) -> Any:
    """A capsule of a matrix without gaps."""
    memory = (ctypes.c_char * len(data)).from_buffer(data)
    sizes = (c_int64 * 2)(*shape)
    code, bits = _CODES[type]
    managed = _Managed(_Tensor(ctypes.addressof(memory), *CPU, 2, code, bits, 1, sizes, None, 0), None, _delete)
    address = ctypes.addressof(managed)
    _given[address] = (managed, sizes, memory)
    return _new(address, _NAME, _unused)


def take(value: Any, what: str) -> tuple[memoryview, str, tuple[int, ...]]:
    """A copy of an array of another library, the letter of its elements, its shape."""
    device = tuple(value.__dlpack_device__()) if hasattr(value, "__dlpack_device__") else CPU
    if device[0] != CPU[0]:
        raise Unsupported(f"{what} lies on a device (DLPack's type {device[0]}): copy it to the host first")
    capsule = value.__dlpack__()
    try:
        tensor = ctypes.cast(_pointer(id(capsule), _NAME), POINTER(_Managed)).contents.tensor
    except ValueError:
        raise InvalidArgument(f"{what}: what its __dlpack__() gives is no DLPack tensor, or one that was used before") from None
    letter = _LETTERS.get((tensor.code, tensor.bits))
    if letter is None or tensor.lanes != 1:
        raise InvalidArgument(f"{what} has elements of DLPack's type ({tensor.code}, {tensor.bits}, {tensor.lanes}): Kerr has none for it")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None
    begin = (tensor.data or 0) + tensor.byte_offset
    return memoryview(_copied(begin, tensor.bits // 8, shape, strides)), letter, shape


def _copied(address: int, size: int, shape: tuple[int, ...], strides: tuple[int, ...] | None) -> bytes:
    """Row-major and without gaps. `strides`: in elements; None: it is so already."""
    if not shape:
        return ctypes.string_at(address, size)
    below = size
    for axis in shape[1:]:
        below *= axis
    if shape[0] * below == 0:
        return b""
    gaps = strides is not None and not _without_gaps(shape, strides)
    if not gaps:
        return ctypes.string_at(address, shape[0] * below)
    assert strides is not None
    return b"".join(_copied(address + i * strides[0] * size, size, shape[1:], strides[1:]) for i in range(shape[0]))


def _without_gaps(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    expected = 1
    for axis, stride in zip(reversed(shape), reversed(strides)):
        if axis != 1 and stride != expected:
            return False
        expected *= axis
    return True
