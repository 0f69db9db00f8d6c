"""Arrays of the host: whatever holds numbers becomes a kerr_matrix, and results become NumPy's arrays, or memoryviews without NumPy."""

import array
import ctypes
import importlib
import struct
import sys
from types import ModuleType
from typing import Any

from kerr import _dlpack
from kerr._errors import InvalidArgument, Unsupported
from kerr._library import Matrix

# What kerr.h takes, by the letters of memoryview.format (which are those of the module struct).
TYPES = {"f": "float32", "d": "float64", "e": "float16", "b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "i": "int32", "?": "bool"}
LETTERS = {name: letter for letter, name in TYPES.items()} | {"bfloat16": "H"}
BYTES = {name: struct.calcsize(letter) for name, letter in LETTERS.items()}
# The same without a type of their own on the device: taken if each number is one of int32.
_WIDE = "IlLqQ"
# typestr of __array_interface__ to letters.
_INTERFACE = {"f4": "f", "f8": "d", "f2": "e", "b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q",
              "u8": "Q"}


def numpy() -> ModuleType | None:
    """NumPy if there is one. It is not imported before somebody has a result."""
    try:
        import numpy as module
    except ImportError:
        return None
    return module


class HostMatrix:
    """`matrix` for the library; `held`: what its pointer needs to stay alive."""

    def __init__(self, view: memoryview, type: str, rows: int, columns: int):
        self.held, address = _address(view)
        self.matrix = Matrix(None, type.encode(), address, rows, columns)


def host_matrix(value: Any, what: str, dtype: str | None = None) -> HostMatrix:
    """A number, nested lists, or an array of at most two axes; one axis is one row.

    `dtype`: "bfloat16" takes an array of uint16 as the bits of such numbers.
    """
    view, letter, shape = _view_of(value, what)
    if len(shape) > 2:
        raise InvalidArgument(f"{what} has {len(shape)} axes: a matrix has two, and a vector is a row")
    rows, columns = (1, 1) if not shape else (1, shape[0]) if len(shape) == 1 else shape
    if letter == "bfloat16" or (letter == "H" and dtype == "bfloat16"):
        type = "bfloat16"
    elif dtype is not None:
        raise InvalidArgument(f'{what}: dtype can be "bfloat16" only, of an array of uint16')
    elif letter in TYPES:
        type = TYPES[letter]
    else:
        raise InvalidArgument(f"{what} has elements of '{letter}': there are {', '.join([*TYPES.values(), 'bfloat16'])}")
    return HostMatrix(view, type, rows, columns)


def raw(value: Any, what: str) -> tuple[memoryview, str, tuple[int, ...]]:
    """Its bytes as they are, in row-major order, the letter of its elements ("B" of bytes) and its shape."""
    if isinstance(value, (bytes, bytearray)):
        return memoryview(value), "B", (len(value),)
    view, letter, shape = _view_of(value, what, narrow=False)
    return view, "H" if letter == "bfloat16" else letter, shape


def empty(shape: tuple[int, int], type: str) -> tuple[Any, ctypes.c_void_p, int]:
    """An array for a result: itself, where its bytes are, and how many."""
    size = shape[0] * shape[1] * BYTES[type]
    memory = bytearray(size)
    pointer = ctypes.c_void_p(ctypes.addressof((ctypes.c_char * size).from_buffer(memory)))
    if (np := numpy()) is not None:
        return np.frombuffer(memory, "uint16" if type == "bfloat16" else type).reshape(shape), pointer, size
    return memoryview(memory).cast(LETTERS[type], shape), pointer, size


def _address(view: memoryview) -> tuple[Any, int]:
    if view.readonly or not view.c_contiguous:
        data = view.tobytes()
        return data, ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0
    held = (ctypes.c_char * view.nbytes).from_buffer(view)
    return held, ctypes.addressof(held)


def _view_of(value: Any, what: str, narrow: bool = True) -> tuple[memoryview, str, tuple[int, ...]]:
    """Its bytes, the letter of its elements and its shape."""
    if isinstance(value, (bool, int, float)):
        return _of_list([value], what)[0:2] + ((),)
    if isinstance(value, (list, tuple)):
        return _of_list(value, what)
    view = _of_buffer(value) or _of_interface(value, what) or _of_dlpack(value, what) or _of_array_method(value)
    if view is None:
        raise InvalidArgument(f"{what} is a {type(value).__name__}: an array, nested lists or a number is wanted")
    data, letter, shape = view
    if narrow and letter in _WIDE:
        data, letter = _narrowed(data, letter, what), "i"
    return data, letter, shape


def _of_buffer(value: Any) -> tuple[memoryview, str, tuple[int, ...]] | None:
    np = sys.modules.get("numpy")
    if np is not None and isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.name == "bfloat16":  # of ml_dtypes, which has no letter
            value = np.asarray(value).view(np.uint16)
            return memoryview(np.ascontiguousarray(value)), "bfloat16", value.shape
        if not value.dtype.isnative:
            value = value.astype(value.dtype.newbyteorder("="))
    try:
        view = memoryview(value)
    except (TypeError, ValueError):
        return None
    letter = view.format.lstrip("@=<" if sys.byteorder == "little" else "@=")
    return view, letter, tuple(view.shape or ())


def _of_interface(value: Any, what: str) -> tuple[memoryview, str, tuple[int, ...]] | None:
    interface = getattr(value, "__array_interface__", None)
    if interface is None:
        return None
    letter = _INTERFACE.get(interface["typestr"].lstrip("<|="))
    if letter is None or interface.get("strides") is not None:
        return None  # __array__ may help
    shape = tuple(interface["shape"])
    if any(axis < 0 for axis in shape):
        raise InvalidArgument(f"{what}: its __array_interface__ has the shape {shape}")
    size = struct.calcsize(letter)
    for axis in shape:
        size *= axis
    data = interface.get("data")
    if isinstance(data, tuple):
        return memoryview(ctypes.string_at(data[0], size)), letter, shape
    view = memoryview(value if data is None else data).cast("B")
    if view.nbytes < size:
        raise InvalidArgument(f"{what}: its __array_interface__ has {view.nbytes} bytes, and its shape needs {size}")
    return view[:size], letter, shape


def _of_dlpack(value: Any, what: str) -> tuple[memoryview, str, tuple[int, ...]] | None:
    return _dlpack.take(value, what) if hasattr(value, "__dlpack__") else None


def _of_array_method(value: Any) -> tuple[memoryview, str, tuple[int, ...]] | None:
    return _of_buffer(value.__array__()) if hasattr(value, "__array__") else None


def _of_list(value: Any, what: str) -> tuple[memoryview, str, tuple[int, ...]]:
    """Numbers of Python: floats if one is, else integers, or bools if all are."""
    shape: list[int] = []
    flat = [value]
    while flat and isinstance(flat[0], (list, tuple)):
        lengths = {len(row) if isinstance(row, (list, tuple)) else -1 for row in flat}
        if len(lengths) != 1 or -1 in lengths:
            raise InvalidArgument(f"{what}: its rows are not of one length")
        shape.append(lengths.pop())
        flat = [number for row in flat for number in row]
    for number in flat:
        if not isinstance(number, (bool, int, float)):
            raise InvalidArgument(f"{what} holds {number!r:.40}, which is no number")
    if all(isinstance(number, bool) for number in flat):
        return memoryview(bytes(flat)), "?", tuple(shape)
    if any(isinstance(number, float) for number in flat):
        try:
            return memoryview(array.array("d", flat)).cast("B"), "d", tuple(shape)
        except OverflowError:
            raise InvalidArgument(f"{what} holds a whole number that is too large for a float") from None
    return _int32(flat, what), "i", tuple(shape)


def _int32(numbers: list, what: str) -> memoryview:
    try:
        return memoryview(array.array("i", numbers)).cast("B")
    except OverflowError:
        least, most = min(numbers), max(numbers)
        raise InvalidArgument(f"{what} holds {least if least < -2**31 else most}, which is no number of int32") from None


def _narrowed(view: memoryview, letter: str, what: str) -> memoryview:
    np = sys.modules.get("numpy")
    if np is None:
        return _int32(memoryview(view.tobytes()).cast(letter).tolist(), what)
    numbers = np.frombuffer(view.tobytes(), letter)
    if numbers.size and (numbers.min() < -2**31 or numbers.max() >= 2**31):
        return _int32([int(numbers.min()), int(numbers.max())], what)
    return memoryview(numbers.astype(np.int32))


def bf16_of_ml_dtypes() -> Any:
    """NumPy's type of that name, which another package makes."""
    try:
        return importlib.import_module("ml_dtypes").bfloat16
    except ImportError:
        raise Unsupported("NumPy has no bfloat16: install ml_dtypes, or take .bits() or the float32 of .numpy()") from None
