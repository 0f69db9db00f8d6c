"""Kernels of one's own on a device: assembler text or raw code; and whole programs as `kerr run` takes them."""

import json
import os
import struct
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

from kerr import _arrays
from kerr._errors import InvalidArgument
from kerr._library import File, options_text, take_text
from kerr._tensor import Tensor

if TYPE_CHECKING:
    from kerr import Device

_DRAM_PAGE = 4096  # where nothing else is said
Code = str | bytes | os.PathLike[str]


class Results(Mapping[str, Any]):
    """What a program left in its buffers, by name. cycles, ns: of the device; ns is None in relaxed timing.

    A buffer of L1 that several cores have comes with an axis in front: a row for each of `cores`, which are (x, y).
    """

    def __init__(self, report: dict, arrays: dict[str, Any]):
        self.name: str = report["name"]
        self.cycles: int = report["device_cycles"]
        self.ns: int | None = report["ns"] if report["ns"] >= 0 else None
        self.cores: list[tuple[int, int]] = [(x, y) for x, y in report["cores"]]
        self._arrays = arrays

    def __getitem__(self, name: str) -> Any:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        return f"<kerr.Results of '{self.name}': {', '.join(self) or 'nothing'}; {self.cycles} cycles>"


def run_program(device: "Device", text: str, files: Mapping[str, Any], folder: str | os.PathLike[str] | None, name: str | None,
                timeout_ms: int | None) -> tuple[dict, dict[str, list[bytes]]]:
    """The report, and the bytes of each dump: one for each core."""
    if "\0" in text:
        raise InvalidArgument("a program is text, without zero bytes")
    array = (File * len(files))()
    for entry, (its_name, content) in zip(array, files.items()):
        data = content.encode() if isinstance(content, str) else bytes(content)
        entry.name, entry.data, entry.bytes = its_name.encode(), data, len(data)
    options = {"folder": None if folder is None else os.fspath(folder), "name": name, "timeout_ms": timeout_ms}
    out = c_void_p()
    device._call("kerr_run", device._open_handle(), text.encode(), array, len(files), options_text(options), byref(out))
    report = json.loads(take_text(out))
    dumps: dict[str, list[bytes]] = {}
    for dump in report.pop("dumps"):
        dumps.setdefault(dump["text"], []).append(bytes.fromhex(dump["bytes"]))
    return report, dumps


# The formats of dumps (docs/guide/run.md); bytes without one.
_LETTERS = {"u32": "I", "i32": "i", "u16": "H", "i16": "h", "u8": "B", "i8": "b", "fp32": "f", "fp16": "e", "bf16": "H"}


def run_text(device: "Device", text: str, files: Mapping[str, Any], folder: str | os.PathLike[str] | None, name: str | None,
             timeout_ms: int | None) -> Results:
    """What Device.run_program() does."""
    report, dumps = run_program(device, text, files, folder, name, timeout_ms)
    arrays = {}
    for place, parts in dumps.items():
        what, _, letters = place.partition("=")[0].rpartition(":")
        letter = _LETTERS.get(letters) if what else None
        arrays[what if letter else place.partition("=")[0]] = _array(parts, letter or "B", None)
    return Results(report, arrays)


def _array(parts: list[bytes], letter: str, shape: tuple[int, ...] | None) -> Any:
    """One core's bytes with `shape`; those of several cores get an axis in front."""
    data = bytearray().join(parts)
    shape = (len(parts[0]) // struct.calcsize(letter),) if shape is None else shape
    if len(parts) > 1:
        shape = (len(parts), *shape)
    if (np := _arrays.numpy()) is not None:
        return np.frombuffer(data, letter).reshape(shape)
    view = memoryview(data) if letter == "B" else memoryview(data).cast(letter)
    return view if len(shape) == 1 or not shape else view.cast("B").cast(letter, shape)


class _Buffer:
    """A buffer of a run: its first bytes, and as what it comes back."""

    shape: tuple[int, ...]

    def __init__(self, name: str, value: Any):
        if isinstance(value, int) and not isinstance(value, bool):
            if value < 1:
                raise InvalidArgument(f"buffer '{name}' has {value} bytes: there must be some")
            self.data, self.letter, self.shape = bytes(value), "B", (value,)
            return
        view, letter, shape = _arrays.raw(value, f"buffer '{name}'")
        self.data, self.letter, self.shape = view.tobytes(), letter, shape
        if not self.data:
            raise InvalidArgument(f"buffer '{name}' is empty")


def _word(value: Any) -> Any:
    """An argument of a kernel as the text of programs has it."""
    if isinstance(value, Tensor):
        value._open_handle()
        return value.place.address
    if hasattr(value, "place"):  # a kerr.Buffer
        return value.place().address
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise InvalidArgument(f"an argument is a number, the name of a buffer, a kerr.Buffer or a kerr.Tensor, not {value!r:.40}")
    return value


def _value(value: Any) -> str:
    """TOML, whose texts, numbers and lists are those of JSON but for what is no number."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(each) for each in value) + "]"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, float) and value != value:
        return "nan"
    return json.dumps(value, ensure_ascii=False)  # TOML has no surrogates


def _table(name: str, entries: Mapping[str, Any]) -> str:
    return f"[[{name}]]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in entries.items() if value is not None)


def _code_of(code: Code) -> tuple[str | bytes, str]:
    """Its content, and the ending of its file's name."""
    if isinstance(code, os.PathLike):
        with open(code, "rb") as file:
            return file.read(), os.path.basename(os.fspath(code))
    if not isinstance(code, (str, bytes)):
        raise InvalidArgument(f"code is text, bytes or a path, not a {type(code).__name__}")
    return code, "s" if isinstance(code, str) else "bin"


def run(device: "Device", kernels: Code | Mapping[str, Code], *, args: Sequence[Any] | Mapping[str, Sequence[Any]], cores: str,
        l1: Mapping[str, Any], dram: Mapping[str, Any], semaphores: Sequence[int], circular_buffers: Mapping[int, tuple[int, int]],
        name: str, timeout_ms: int | None) -> Results:
    """What Device.run() does: writes the program that says it."""
    of_harts = dict(kernels) if isinstance(kernels, Mapping) else {"brisc": kernels}
    files: dict[str, Any] = {}
    tables = []
    for hart, code in of_harts.items():
        content, ending = _code_of(code)
        file = ending if "." in ending else f"{name if len(of_harts) == 1 else hart}.{ending}"
        if file in files:
            file = f"{hart}.{file}"
        files[file] = content
        words = args.get(hart, ()) if isinstance(args, Mapping) else args
        tables.append(_table("kernel", {"file": file, "hart": hart, "args": [_word(word) for word in words]}))
    for number, (pages, page_bytes) in circular_buffers.items():
        tables.append(_table("circular_buffer", {"id": number, "pages": pages, "page_bytes": page_bytes}))
    buffers = {}
    for place, given in (("l1", l1), ("dram", dram)):
        for its_name, value in given.items():
            value, page = value if place == "dram" and isinstance(value, tuple) else (value, _DRAM_PAGE)
            buffers[its_name] = buffer = _Buffer(its_name, value)
            files[f"{its_name}.data"] = buffer.data
            size = {"bytes": len(buffer.data)} if place == "l1" else {"pages": -(-len(buffer.data) // page), "page_bytes": page}
            tables.append(_table(place, {"name": its_name, **size, "data": f"{its_name}.data"}))
    head = {"name": name, "cores": cores, "semaphores": list(semaphores), "dump": list(buffers)}
    text = "".join(f"{key} = {_value(value)}\n" for key, value in head.items()) + "\n" + "\n".join(tables)
    report, dumps = run_program(device, text, files, None, name, timeout_ms)
    arrays = {its_name: _array([part[:len(b.data)] for part in dumps[its_name]], b.letter, b.shape) for its_name, b in buffers.items()}
    return Results(report, arrays)
