"""libkerr.so over ctypes: finding it, declaring its functions (bindings/c/kerr.h), turning its errors into exceptions."""

import ctypes
import functools
import json
import operator
import os
import pathlib
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable

from kerr._arguments import shown
from kerr._errors import Error, InvalidArgument, error_of

ABI = 1


class View(ctypes.Structure):
    """kerr_view: a part of a buffer."""

    _fields_ = [("buffer", c_void_p), ("offset", c_uint64), ("bytes", c_uint64)]


class Matrix(ctypes.Structure):
    """kerr_matrix: one of the host."""

    _fields_ = [("name", c_char_p), ("type", c_char_p), ("data", c_void_p), ("rows", c_uint64), ("columns", c_uint64)]


class Operand(ctypes.Structure):
    """kerr_operand: a tensor, or a matrix of the host."""

    _fields_ = [("name", c_char_p), ("tensor", c_void_p), ("matrix", POINTER(Matrix))]


class Place(ctypes.Structure):
    """kerr_place: where bytes lie in DRAM. Page p is at `address` + p // `banks` * `page_bytes` of bank p % `banks`."""

    _fields_ = [("address", c_uint64), ("bytes", c_uint64), ("page_bytes", c_uint32), ("banks", c_uint32)]

    address: int
    bytes: int
    page_bytes: int
    banks: int

    def __repr__(self) -> str:
        return f"Place(address={self.address:#x}, bytes={self.bytes}, page_bytes={self.page_bytes}, banks={self.banks})"


class TensorInfo(ctypes.Structure):
    """kerr_tensor_info."""

    _fields_ = [("rows", c_uint64), ("columns", c_uint64), ("format", c_char_p), ("place", Place)]


class File(ctypes.Structure):
    """kerr_file."""

    _fields_ = [("name", c_char_p), ("data", c_char_p), ("bytes", c_uint64)]


# kerr_progress without its last parameter, `user`: a generator's send() takes one.
PROGRESS = ctypes.CFUNCTYPE(c_int, c_char_p)

# Arguments without the last one of every function, its error.
_FUNCTIONS: dict[str, list[Any]] = {
    "kerr_devices": [POINTER(c_void_p)],
    "kerr_device_open": [c_char_p, POINTER(c_void_p)],
    "kerr_device_close": [c_void_p],
    "kerr_device_info": [c_void_p, POINTER(c_void_p)],
    "kerr_device_reset": [c_void_p],
    "kerr_device_synchronize": [c_void_p],
    "kerr_device_clock": [c_void_p, POINTER(c_uint64), POINTER(c_int64)],
    "kerr_device_set_progress": [c_void_p, PROGRESS, c_void_p],
    "kerr_device_interrupt": [c_void_p],
    "kerr_buffer_alloc": [c_void_p, c_uint64, POINTER(c_void_p)],
    "kerr_buffer_free": [c_void_p],
    "kerr_buffer_write": [c_void_p, c_uint64, c_void_p, c_uint64],
    "kerr_buffer_read": [c_void_p, c_uint64, c_void_p, c_uint64],
    "kerr_buffer_copy": [c_void_p, c_uint64, c_void_p, c_uint64, c_uint64],
    "kerr_buffer_place": [c_void_p, POINTER(Place)],
    "kerr_compile": [c_char_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t)],
    "kerr_blob_explain": [c_char_p, c_size_t, POINTER(c_void_p)],
    "kerr_program_load": [c_void_p, c_char_p, c_size_t, POINTER(c_void_p)],
    "kerr_program_free": [c_void_p],
    "kerr_launch": [c_void_p, POINTER(View), c_size_t, POINTER(c_int64), c_size_t, c_char_p, POINTER(c_int64)],
    "kerr_tensor_make": [c_void_p, POINTER(Matrix), c_char_p, POINTER(c_void_p)],
    "kerr_tensor_free": [c_void_p],
    "kerr_tensor_read": [c_void_p, c_char_p, c_void_p, c_uint64],
    "kerr_tensor_describe": [c_void_p, POINTER(TensorInfo)],
    "kerr_tensor_eval": [c_void_p, c_char_p, POINTER(Operand), c_size_t, c_char_p, POINTER(c_void_p), POINTER(c_void_p)],
    "kerr_run": [c_void_p, c_char_p, POINTER(File), c_size_t, c_char_p, POINTER(c_void_p)],
    "kerr_timeline": [c_void_p, c_uint64, c_uint64, c_char_p],
    "kerr_utilisation": [c_void_p, c_uint64, c_uint64, POINTER(c_void_p)],
    "kerr_heat_map": [c_void_p, c_uint64, c_uint64, c_char_p, POINTER(c_void_p)],
    "kerr_snapshot": [c_void_p, c_char_p],
    "kerr_restore": [c_void_p, c_char_p],
    "kerr_record_begin": [c_void_p, c_char_p],
    "kerr_record_end": [c_void_p],
}


def _candidates() -> list[str]:
    if chosen := os.environ.get("KERR_LIBRARY"):
        return [chosen]
    beside = pathlib.Path(__file__).parent / "lib" / f"libkerr.so.{ABI}"
    return ([str(beside)] if beside.exists() else []) + [f"libkerr.so.{ABI}"]


def _load() -> ctypes.CDLL:
    problems = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as problem:
            problems.append(str(problem))
    raise Error("Kerr's library cannot be loaded: " + "; ".join(problems) +
                ". Build it ('make python' in Kerr's source), or set KERR_LIBRARY to the file.")


@functools.cache
def library() -> ctypes.CDLL:
    """Loaded on first use, so that importing the package costs little and needs no library."""
    lib = _load()
    lib.kerr_version.argtypes = [POINTER(c_int)]
    lib.kerr_version.restype = c_char_p
    abi = c_int()
    lib.kerr_version(byref(abi))
    if abi.value != ABI:
        raise Error(f"{lib._name} has ABI {abi.value}, but this package needs {ABI}: install a package and a library of one version.")
    for name, arguments in _FUNCTIONS.items():
        function = getattr(lib, name)
        function.argtypes = [*arguments, POINTER(c_void_p)]
        function.restype = c_int
        functions[name] = function
    for name, argument, result in [("kerr_free", c_void_p, c_int), ("kerr_error_free", c_void_p, c_int),
                                   ("kerr_error_json", c_void_p, c_char_p), ("kerr_category_name", c_int, c_char_p)]:
        getattr(lib, name).argtypes = [argument]
        getattr(lib, name).restype = result
    return lib


functions: dict[str, Any] = {}  # of the library, once it is loaded; a look-up costs less than an attribute of it


def call(name: str, *arguments: Any) -> None:
    """Raises what the function reports."""
    function = functions.get(name)
    if function is None:
        library()
        function = functions[name]
    error = c_void_p()
    if function(*arguments, byref(error)):
        raise error_of_call(name, error)


def error_of_call(name: str, error: c_void_p) -> Error:
    """What a function that did not return 0 reports."""
    lib = library()
    if not error.value:
        return Error(f"{name} failed")
    try:
        return error_of(json.loads(lib.kerr_error_json(error)))
    finally:
        lib.kerr_error_free(error)


def at_the_end(give_back: Callable[[Any], None]) -> Callable[[Any], None]:
    """A `__del__` that calls it."""

    def finalize(self: Any) -> None:
        try:
            give_back(self)
        except Exception:
            pass  # at the end of the interpreter

    return finalize


def take_text(text: c_void_p) -> str:
    """A string that the library has handed out, which goes back to it."""
    try:
        return ctypes.string_at(text).decode()
    finally:
        library().kerr_free(text)


def options_text(options: dict) -> bytes | None:
    """Options as the library reads them; those that are None are left out."""
    options = {key: value for key, value in options.items() if value is not None}
    for key, value in options.items():
        try:
            json.dumps({key: value}, ensure_ascii=False, allow_nan=False, default=operator.index).encode()
        except (TypeError, ValueError, RecursionError):  # an object, a NaN, half a character
            raise InvalidArgument(f"option {key!r} must be a number, a text or a truth value, not {shown(value)}") from None
    return json.dumps(options, default=operator.index).encode() if options else None
