"""Kerr from Python: an emulated Tenstorrent Blackhole, or a card (docs/guide/python.md).

    c = kerr.matmul(a, b)                               # NumPy in, NumPy out
    with kerr.Device("p100a", threads=2) as device:
        y = device.eval("gelu(a @ b + c)", a=a, b=b, c=c, format="bf16")

tinygrad runs on it without a change: kerr.tinygrad, docs/guide/tinygrad.md.
"""

import ctypes
import json
import os
import threading
from ctypes import byref, c_int64, c_size_t, c_void_p
from typing import Any, Mapping, Sequence

from kerr import _arguments, _default, _evaluation, _kernels, _observing, _progress, _tensor
from kerr._default import devices
from kerr._errors import (Deadlock, Error, Fault, Interrupted, InvalidArgument, OutOfMemory, ProgramError, Timeout,
                          Unsupported)
from kerr._evaluation import Report
from kerr._kernels import Results
from kerr._library import (ABI, PROGRESS, Place, View, at_the_end, call, error_of_call, functions, library, options_text,
                           take_text)
from kerr._observing import HeatMap, Recording, Timeline, Utilisation
from kerr._tensor import Tensor

__all__ = ["ABI", "Buffer", "Deadlock", "Device", "Error", "Fault", "HeatMap", "Interrupted", "InvalidArgument", "OutOfMemory", "Place",
           "Program", "ProgramError", "Recording", "Report", "Results", "Tensor", "Timeline", "Timeout", "Unsupported", "Utilisation",
           "compile", "devices", "eval", "explain", "matmul", "version"]


def version() -> str:
    """The library's version."""
    return library().kerr_version(None).decode()


def compile(board: str, text: str, **options: Any) -> bytes:
    """A loop program made ready for `board`; needs no device. Options: path, math, check_bounds, max_harts (kerr.h)."""
    board_name, program = _arguments.text("compile(): board", board), _arguments.text("compile(): text", text)
    if "\0" in text:
        raise ProgramError("a program is text, without zero bytes")  # C would see its beginning only
    blob, size = c_void_p(), c_size_t()
    call("kerr_compile", board_name, program, options_text(options), byref(blob), byref(size))
    try:
        return ctypes.string_at(blob, size.value)
    finally:
        library().kerr_free(blob)


def explain(blob: bytes) -> dict:
    """What a compiled program is: path, parameters, variables, text, explanation."""
    blob = _arguments.blob("explain(): blob", blob)
    text = c_void_p()
    call("kerr_blob_explain", blob, len(blob), byref(text))
    return json.loads(take_text(text))


def _view_of(data: Any) -> memoryview:
    try:
        return memoryview(data)
    except TypeError:
        raise InvalidArgument(f"data must be bytes, or an array of NumPy or another library, not {_arguments.shown(data)}") from None


def _bytes_of(data: Any) -> tuple[Any, int]:
    """An argument for the library that points to `data`, and its length."""
    view = _view_of(data)
    if not view.c_contiguous:
        raise InvalidArgument("the bytes of a buffer must follow each other: pass a contiguous array")
    if view.readonly:
        return view.tobytes(), view.nbytes
    return (byref(ctypes.c_char.from_buffer(view)) if view.nbytes else None), view.nbytes


class Device:
    """`name`: a board ("p100a", "p150") that is emulated, or "vfio:0": the first card. Options: threads, timing, watch, path, ... (kerr.h).

    progress: True for a line on standard error while a call takes long, or a function that is called with how many programs of an
    expression are done, how many there are (both 0 where it is not known) and a text. Ctrl-C ends a call: KeyboardInterrupt.
    """

    _opened = 0

    def __init__(self, name: str = "p100a", *, progress: bool | _progress.Progress = False, **options: Any):
        self._handle: int | None = None
        _arguments.text("Device(): name", name)
        kind, _, number = name.partition(":")
        options |= {"card": number or "0"} if kind == "vfio" else {"board": name}
        self.name, self._process, self._raised = name, os.getpid(), threading.local()
        self._recordings: list[Recording] = []
        self._bar = _progress.Bar() if progress is True else None
        handle = c_void_p()
        options.setdefault("progress_ms", _progress.INTERVAL_MS)
        call("kerr_device_open", options_text(options), byref(handle))
        self._handle = handle.value
        self.number, Device._opened = Device._opened, Device._opened + 1
        signals = _progress.callbacks(self._raised, self._bar if isinstance(progress, bool) else progress)
        next(signals)
        self._callback = PROGRESS(signals.send)
        call("kerr_device_set_progress", handle, self._callback, None)
        self.timing = self.info()["timing"]

    def _call(self, name: str, *arguments: Any) -> None:
        error = c_void_p()
        failed = functions[name](*arguments, byref(error))
        if self._bar is not None:
            self._bar.clear()
        if failed:
            self._raise(name, error)

    def _raise(self, name: str, error: c_void_p) -> None:
        problem = error_of_call(name, error)
        if isinstance(problem, Interrupted) and (own := self._raised.__dict__.pop("exception", None)) is not None:
            raise own from None  # what the callback has kept
        raise problem

    def _open_handle(self) -> int:
        if self._handle is None:
            raise InvalidArgument(f"device {self.name} is closed")
        return self._handle

    @property
    def usable(self) -> bool:
        """Open, and opened by this process."""
        return self._handle is not None and self._process == os.getpid()

    @property
    def closed(self) -> bool:
        return self._handle is None

    def close(self) -> None:
        """Its buffers, tensors and programs cannot be used any more. Twice is once."""
        if self.usable:
            handle, self._handle = self._handle, None
            call("kerr_device_close", handle)

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    __del__ = at_the_end(close)

    def __repr__(self) -> str:
        return f"<kerr.Device {self.name}#{self.number}{'' if self._handle is not None else ' closed'}>"

    def info(self) -> dict:
        text = c_void_p()
        self._call("kerr_device_info", self._open_handle(), byref(text))
        return json.loads(take_text(text))

    def reset(self) -> None:
        self._call("kerr_device_reset", self._open_handle())

    def synchronize(self) -> None:
        self._call("kerr_device_synchronize", self._open_handle())

    def interrupt(self) -> None:
        """Ends the call that another thread has running."""
        call("kerr_device_interrupt", self._open_handle())

    def tensor(self, array: Any, format: str | None = None, dtype: str | None = None) -> Tensor:
        """A matrix in the device's memory. `array`: of NumPy or any other library, nested lists, a number; one axis is one row.

        `format`: of floats on the device: "bf16" (default), "fp32", "fp16", "bfp8", "bfp4". Integers keep their type; those of 64 bits
        become int32 if all fit. `dtype`: "bfloat16" takes an array of uint16 as the bits of such numbers.
        """
        return _tensor.make(self, array, format, dtype)

    def eval(self, expression: str, operands: Mapping[str, Any] | None = None, *, format: str | None = None, fidelity: str | None = None,
             accumulate: str | None = None, cores: int | None = None, timeout_ms: int | None = None, keep: bool = False,
             explain: bool = False, check: bool = False, **named: Any) -> Any:
        """What an expression, written as for NumPy (docs/guide/expressions.md), makes of its operands: eval("gelu(a @ b)", a=a, b=b).

        Operands are arrays, or tensors of this device; `operands` has those whose names mean something here. The result is an array of
        two axes: float32, or the type of integers; with `keep` a Tensor. `format`: of floats on the device (default: that of the tensors,
        else bf16). `fidelity`: of products: "lofi", "hifi2" (default), "hifi3", "hifi4". `accumulate`: "bf16" (default) or "fp32".
        `cores`: at most. `explain`: runs nothing, and returns a Report of what would be run. `check`: compares with float64, and raises
        Error if the result is wrong.
        """
        return _evaluation.evaluate(self, expression, {**(operands or {}), **named}, keep=keep, explain=explain, check=check, format=format,
                                    fidelity=fidelity, accumulate=accumulate, cores=cores, timeout_ms=timeout_ms)

    def matmul(self, a: Any, b: Any, **options: Any) -> Any:
        """a @ b; options as of eval()."""
        return self.eval("a @ b", {"a": a, "b": b}, **options)

    def run(self, kernels: _kernels.Code | Mapping[str, _kernels.Code], *, args: Sequence[Any] | Mapping[str, Sequence[Any]] = (),
            cores: str = "1,2", l1: Mapping[str, Any] = {}, dram: Mapping[str, Any] = {}, semaphores: Sequence[int] = (),
            circular_buffers: Mapping[int, tuple[int, int]] = {}, name: str = "kernel", timeout_ms: int | None = None) -> Results:
        """Runs code of one's own, and returns what is in its buffers then (docs/guide/run.md says what kernels are).

        `kernels`: assembler text, bytes of code, or a path: for BRISC; or a dict of them by hart. `args`: words: numbers, names
        of the buffers below, Buffers and Tensors (their addresses); by hart, if a dict. `cores`: "1,2", "1-4,2-3", "all". `l1`, `dram`:
        buffers by name: an array with which it begins, or how many bytes of zeros; of DRAM (array, page bytes) where pages are not 4096.
        `circular_buffers`: (pages, page bytes) by number.
        """
        return _kernels.run(self, kernels, args=args, cores=cores, l1=l1, dram=dram, semaphores=semaphores,
                            circular_buffers=circular_buffers, name=name, timeout_ms=timeout_ms)

    def run_program(self, text: str, files: Mapping[str, Any] = {}, *, folder: str | os.PathLike[str] | None = None,
                    name: str | None = None, timeout_ms: int | None = None) -> Results:
        """The same of a program as `kerr run FILE.toml` takes it. Files that it names are in `files` or in `folder`.

        Results are its dumps.
        """
        return _kernels.run_text(self, text, files, folder, name, timeout_ms)

    def record(self, path: str | os.PathLike[str] | None = None, *, snapshot: str | os.PathLike[str] | None = None) -> Recording:
        """`with device.record() as run:` what happens inside: run.cycles, run.utilisation(), run.timeline().

        `path`: also a file for `kerr replay`; of a device that was used before, with the `snapshot` from which that starts.
        """
        return Recording(self, path, snapshot)

    def cycles(self) -> int:
        """Device time so far."""
        return _observing.clock(self)[0]

    def snapshot(self, path: str | os.PathLike[str]) -> None:
        """The whole device to a file."""
        self._call("kerr_snapshot", self._open_handle(), _observing.file_name(path))

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Back. Buffers and tensors that were there when it was saved have their contents of then."""
        self._call("kerr_restore", self._open_handle(), _observing.file_name(path))

    def alloc(self, bytes: int) -> "Buffer":
        return Buffer(self, bytes)

    def load(self, blob: bytes) -> "Program":
        return Program(self, blob)


class Buffer:
    """Bytes in the device's DRAM, flat."""

    def __init__(self, device: Device, bytes: int):
        self._handle: int | None = None
        self.device, self.bytes = device, _arguments.whole("alloc(): bytes", bytes, least=1)
        handle = c_void_p()
        device._call("kerr_buffer_alloc", device._open_handle(), self.bytes, byref(handle))
        self._handle = handle.value

    def _open_handle(self) -> int:
        if self._handle is None:
            raise InvalidArgument("the buffer has been freed")
        return self._handle

    def place(self) -> Place:
        """Where its pages are, for kernels of one's own."""
        place = Place()
        self.device._call("kerr_buffer_place", self._open_handle(), byref(place))
        return place

    def write(self, data: Any, offset: int = 0) -> None:
        offset = _arguments.whole("write(): offset", offset)
        pointer, size = _bytes_of(data)
        self.device._call("kerr_buffer_write", self._open_handle(), offset, pointer, size)

    def read_into(self, data: Any, offset: int = 0) -> None:
        """`data`: anything that can be written to."""
        offset, view = _arguments.whole("read_into(): offset", offset), _view_of(data)
        if view.readonly or not view.c_contiguous:
            raise InvalidArgument("what is read into must be writable and contiguous")
        pointer, size = _bytes_of(view)
        self.device._call("kerr_buffer_read", self._open_handle(), offset, pointer, size)

    def read(self, offset: int = 0, bytes: int | None = None) -> bytearray:
        offset = _arguments.whole("read(): offset", offset, -2**64)
        size = self.bytes - offset if bytes is None else _arguments.whole("read(): bytes", bytes, -2**64)
        if offset < 0 or size < 0 or offset + size > self.bytes:
            raise InvalidArgument(f"{size} bytes at offset {offset} do not lie in a buffer of {self.bytes} bytes")
        data = bytearray(size)
        if data:
            self.read_into(data, offset)
        return data

    def free(self) -> None:
        """Twice is once; after the device was closed it does nothing."""
        handle, self._handle = self._handle, None
        if handle is not None and self.device.usable:
            call("kerr_buffer_free", handle)

    __del__ = at_the_end(free)

    def __repr__(self) -> str:
        return f"<kerr.Buffer {self.bytes} bytes on {self.device.name}>"


def _view(view: Any) -> tuple[int, int, int]:
    """A view of a launch, as the library takes it."""
    try:
        buffer, offset, size = view
    except (TypeError, ValueError):
        raise InvalidArgument(f"launch(): a view must be a buffer, an offset and bytes, not {_arguments.shown(view)}") from None
    if not isinstance(buffer, Buffer):
        raise InvalidArgument(f"launch(): the buffer of a view must be a Buffer, not {_arguments.shown(buffer)}")
    return buffer._open_handle(), _arguments.whole("launch(): a view's offset", offset), _arguments.whole("launch(): a view's bytes", size)


class Program:
    """A compiled loop program on a device."""

    def __init__(self, device: Device, blob: bytes):
        self._handle: int | None = None
        self.device = device
        handle, blob = c_void_p(), _arguments.blob("load(): blob", blob)
        device._call("kerr_program_load", device._open_handle(), blob, len(blob), byref(handle))
        self._handle = handle.value

    def launch(self, views: Sequence[tuple[Buffer, int, int]], numbers: Sequence[int] = (),
               timeout_ms: int | None = None) -> int | None:
        """`views`: buffer, offset and bytes for each parameter. Returns device time in nanoseconds; None where there is none."""
        if self._handle is None:
            raise InvalidArgument("the program has been freed")
        places = [_view(view) for view in _arguments.elements("launch(): views", views, "buffer, offset and bytes for each parameter")]
        array = (View * len(places))(*places)  # type: ignore[misc]
        whole_numbers = [_arguments.whole("launch(): each of numbers", number, -2**63, 2**63 - 1)
                         for number in _arguments.elements("launch(): numbers", numbers, "whole numbers")]
        values = (c_int64 * len(whole_numbers))(*whole_numbers)
        ns = c_int64()
        options = None if timeout_ms is None else options_text({"timeout_ms": timeout_ms})
        self.device._call("kerr_launch", self._handle, array, len(places), values, len(whole_numbers), options, byref(ns))
        return ns.value if ns.value >= 0 else None

    def free(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None and self.device.usable:
            call("kerr_program_free", handle)

    __del__ = at_the_end(free)


def matmul(a: Any, b: Any, **options: Any) -> Any:
    """a @ b on a device that is opened for it: a P100A, or the board that KERR_BOARD names. Options as of Device.eval()."""
    return _default.device().matmul(a, b, **options)


def eval(expression: str, operands: Mapping[str, Any] | None = None, **named: Any) -> Any:
    """An expression on that device: kerr.eval("relu(a @ b)", a=a, b=b)."""
    return _default.device().eval(expression, operands, **named)
