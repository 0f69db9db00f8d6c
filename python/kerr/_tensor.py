"""Matrices that stay on a device."""

from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any

from kerr import _arrays, _dlpack
from kerr._errors import InvalidArgument, Unsupported
from kerr._library import Place, TensorInfo, at_the_end, call, options_text

if TYPE_CHECKING:
    from kerr import Device

FORMATS = ("fp32", "fp16", "bf16", "bfp8", "bfp4")


class Tensor:
    """A matrix in the device's memory; Device.tensor() and Device.eval(keep=True) make it. It keeps its device alive.

    shape: (rows, columns). format: "fp32", "fp16", "bf16", "bfp8", "bfp4", "int32", "int16", "uint16", "int8", "uint8".
    place: where its tiles are, a page each (docs/reference/c-library.md "Memory").
    """

    def __init__(self, device: "Device", handle: int):
        self._handle: int | None = handle
        self.device = device
        info = TensorInfo()
        device._call("kerr_tensor_describe", handle, byref(info))
        self.shape: tuple[int, int] = (info.rows, info.columns)
        self.format: str = info.format.decode()
        self.place: Place = info.place

    def _open_handle(self) -> int:
        if self._handle is None:
            raise InvalidArgument("the tensor has been freed")
        return self._handle

    @property
    def dtype(self) -> str:
        """The type in which numbers come to the host: "float32", which holds each format's exactly, or that of the integers."""
        return "float32" if self.format in FORMATS else self.format

    def _read(self, type: str) -> Any:
        result, pointer, size = _arrays.empty(self.shape, type)
        self.device._call("kerr_tensor_read", self._open_handle(), type.encode(), pointer, size)
        return result

    def read(self) -> Any:
        """Its numbers in `dtype`: an array of NumPy's, or a memoryview where there is no NumPy."""
        return self._read(self.dtype)

    def numpy(self, dtype: Any = None) -> Any:
        """The same, of NumPy always. `dtype`: another type of NumPy's; "bfloat16" needs ml_dtypes and a tensor in bf16."""
        import numpy

        if dtype == "bfloat16":
            return self._bf16().view(_arrays.bf16_of_ml_dtypes())
        return numpy.asarray(self.read(), dtype)

    def _bf16(self) -> Any:
        if self.format != "bf16":
            raise InvalidArgument(f"{self!r} is not in bf16")
        return self._read("bfloat16")

    def bits(self) -> Any:
        """The bits of its numbers: of bf16 as uint16, of fp32 as int32; integers are their own."""
        if self.format == "bf16":
            return self._bf16()
        if self.format in ("fp16", "bfp8", "bfp4"):
            raise Unsupported(f"the bits of {self.format} are not told: read() has the numbers")
        result = self.read()
        if self.format != "fp32":
            return result
        return result.cast("B").cast("i", self.shape) if isinstance(result, memoryview) else result.view("int32")

    def free(self) -> None:
        """Twice is once; after the device was closed it does nothing."""
        handle, self._handle = self._handle, None
        if handle is not None and self.device.usable:
            call("kerr_tensor_free", handle)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if copy is False:
            raise ValueError("a tensor of a device cannot be an array without a copy")
        return self.numpy(dtype)

    @property
    def __array_interface__(self) -> dict:
        data = memoryview(self.read()).cast("B")
        kind = {"f": "f", "i": "i", "u": "u"}[self.dtype[0]]
        return {"shape": self.shape, "typestr": f"<{kind}{_arrays.BYTES[self.dtype]}", "data": data, "version": 3}

    def __buffer__(self, flags: int) -> memoryview:
        """memoryview(tensor), from Python 3.12 on."""
        return memoryview(self.read())

    def __dlpack_device__(self) -> tuple[int, int]:
        return _dlpack.CPU

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
        """A copy on the host. bf16 stays bf16, which torch takes and NumPy does not."""
        if copy is False:
            raise BufferError("a tensor of a device cannot be given away without a copy")
        if dl_device is not None and tuple(dl_device) != _dlpack.CPU:
            raise BufferError("a tensor of Kerr's can be copied to the host only")
        type = "bfloat16" if self.format == "bf16" else self.dtype
        data = bytearray(memoryview(self._read(type)).cast("B"))
        return _dlpack.give(data, type, self.shape)

    __del__ = at_the_end(free)

    def __repr__(self) -> str:
        freed = " freed" if self._handle is None else ""
        return f"<kerr.Tensor {self.shape[0]}x{self.shape[1]} {self.format} on {self.device.name}#{self.device.number}{freed}>"


def make(device: "Device", value: Any, format: str | None, dtype: str | None) -> Tensor:
    if isinstance(value, Tensor):
        if value.device is device and format in (None, value.format):
            return value
        raise InvalidArgument(f"{value!r} is on a device already: copy it by way of read(), or convert it: "
                              'eval("fp32(t)", t=t, keep=True)')
    host = _arrays.host_matrix(value, "the array", dtype)
    handle = c_void_p()
    device._call("kerr_tensor_make", device._open_handle(), byref(host.matrix), options_text({"format": format}), byref(handle))
    assert handle.value is not None
    return Tensor(device, handle.value)
