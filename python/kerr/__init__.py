"""Kerr from Python: an emulated Tenstorrent Blackhole, or a card, with buffers and loop programs.

    with kerr.Device("p100a") as device:
        blob = kerr.compile("p100a", open("add.loops").read())
        program = device.load(blob)
        ...

tinygrad runs on it without a change: kerr.tinygrad, docs/guide/tinygrad.md.
"""

import ctypes
import json
import os
import threading
from ctypes import byref, c_int64, c_size_t, c_void_p
from typing import Any, Generator, Sequence

from kerr import _arguments
from kerr._errors import (Deadlock, Error, Fault, Interrupted, InvalidArgument, OutOfMemory, ProgramError, Timeout,
                          Unsupported)
from kerr._library import ABI, PROGRESS, View, call, library, options_text, take_text

__all__ = ["ABI", "Buffer", "Deadlock", "Device", "Error", "Fault", "Interrupted", "InvalidArgument", "OutOfMemory", "Program",
           "ProgramError", "Timeout", "Unsupported", "compile", "explain", "version"]


def version() -> str:
    """Of the library."""
    return library().kerr_version(None).decode()


def compile(board: str, text: str, **options: Any) -> bytes:
    """A loop program made ready for `board`; needs no device. Options: path, check_bounds, max_harts (kerr.h)."""
    board_name, program = _arguments.text("compile(): board", board), _arguments.text("compile(): text", text)
    if "\0" in text:
        raise ProgramError("a program is text, without zero bytes")  # C would see its beginning only
    blob, size = c_void_p(), c_size_t()
    call("kerr_compile", board_name, program, options_text(options), byref(blob), byref(size))
    try:
        return ctypes.string_at(blob.value, size.value)
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
    return (ctypes.c_char * view.nbytes).from_buffer(view), view.nbytes


def _signals(raised: threading.local) -> Generator[int, bytes, None]:
    """What the library calls while a call takes long, so that Ctrl-C arrives: Python runs handlers of signals in Python code only.

    An exception cannot pass through C; it is kept in `raised` and the answer ends the call. A function would be too late: handlers
    run when it is entered, before any `try` of its. A generator is entered inside one.
    """
    answer = 0
    while True:
        try:
            while True:
                yield answer
                answer = 0
        except GeneratorExit:
            return
        except BaseException as problem:
            raised.exception = problem
            answer = 1


class Device:
    """`name`: a board ("p100a", "p150") that is emulated, or "vfio:0": the first card. Options: threads, timing, path, ... (kerr.h)."""

    def __init__(self, name: str = "p100a", **options: Any):
        self._handle: int | None = None
        _arguments.text("Device(): name", name)
        kind, _, number = name.partition(":")
        options |= {"card": number or "0"} if kind == "vfio" else {"board": name}
        self.name, self._process, self._raised = name, os.getpid(), threading.local()
        handle = c_void_p()
        call("kerr_device_open", options_text(options), byref(handle))
        self._handle = handle.value
        signals = _signals(self._raised)
        next(signals)
        self._callback = PROGRESS(signals.send)
        call("kerr_device_set_progress", handle, self._callback, None)
        self.timing = self.info()["timing"]

    def _call(self, name: str, *arguments: Any) -> None:
        try:
            call(name, *arguments)
        except Interrupted:
            if (problem := self._raised.__dict__.pop("exception", None)) is not None:
                raise problem from None
            raise

    def _open_handle(self) -> int:
        if self._handle is None:
            raise InvalidArgument(f"device {self.name} is closed")
        return self._handle

    @property
    def usable(self) -> bool:
        """Open, and opened by this process."""
        return self._handle is not None and self._process == os.getpid()

    def close(self) -> None:
        """Its buffers and programs cannot be used any more. Twice is once."""
        if self.usable:
            handle, self._handle = self._handle, None
            call("kerr_device_close", handle)

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:
            pass  # at the end of the interpreter

    def __repr__(self) -> str:
        return f"<kerr.Device {self.name}{'' if self._handle is not None else ' closed'}>"

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

    def __del__(self) -> None:
        try:
            self.free()
        except Exception:
            pass  # at the end of the interpreter

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
        array = (View * len(places))(*places)
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

    def __del__(self) -> None:
        try:
            self.free()
        except Exception:
            pass  # at the end of the interpreter
