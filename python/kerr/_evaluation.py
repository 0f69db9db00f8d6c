"""Expressions over matrices."""

import ctypes
import json
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Mapping

from kerr import _arrays
from kerr._errors import Error, InvalidArgument
from kerr._library import Operand, options_text, take_text
from kerr._tensor import FORMATS, Tensor

if TYPE_CHECKING:
    from kerr import Device


class Report:
    """What an expression has run, or with explain=True would run.

    programs: a dict each, with "what", "cores", "vector_instructions", "spills", "layouts". cycles: of the device. ns: the same as
    time; None in relaxed timing. agreement: with float64, of check=True; else None.
    """

    def __init__(self, json_text: str):
        report = json.loads(json_text)
        self.programs: list[dict] = report["stages"]
        self.cycles: int = report["device_cycles"]
        self.ns: int | None = report["ns"] if report["ns"] >= 0 else None
        self.agreement: dict | None = report.get("agreement")

    def __repr__(self) -> str:
        return f"<kerr.Report {len(self.programs)} programs, {self.cycles} cycles>"

    def __str__(self) -> str:
        return "\n".join(f"{p['what']}: {p['cores']} cores" for p in self.programs)


def _format_of(operands: Mapping[str, Any]) -> str | None:
    """The one of all tensors among them; None: there are none."""
    found = {value.format for value in operands.values() if isinstance(value, Tensor) and value.format in FORMATS}
    if len(found) > 1:
        raise InvalidArgument(f"the tensors are in {' and '.join(sorted(found))}: say which format= the result has")
    return found.pop() if found else None


def evaluate(device: "Device", expression: str, operands: Mapping[str, Any], *, keep: bool, explain: bool, check: bool,
             format: str | None, **options: Any) -> Any:
    """What Device.eval() does."""
    if "\0" in expression:
        raise InvalidArgument("an expression is text, without zero bytes")  # C would see its beginning only
    array = (Operand * len(operands))()
    held = []
    for entry, (name, value) in zip(array, operands.items()):
        entry.name = name.encode()
        if isinstance(value, Tensor):
            entry.tensor = value._open_handle()
        else:
            host = _arrays.host_matrix(value, f"operand '{name}'")
            entry.matrix = ctypes.pointer(host.matrix)
            held.append(host)
    options |= {"format": format or _format_of(operands), "explain": explain or None, "check": check or None}
    wants_report = explain or check or device._recordings
    result, report = c_void_p(), c_void_p()
    device._call("kerr_tensor_eval", device._open_handle(), expression.encode(), array, len(operands), options_text(options),
                 byref(result), byref(report) if wants_report else None)
    told = Report(take_text(report)) if wants_report else None
    if explain:
        return told
    assert result.value is not None
    tensor = Tensor(device, result.value)
    if told is not None:
        _tell(device, told)
    if keep:
        return tensor
    try:
        return tensor.read()
    finally:
        tensor.free()


def _tell(device: "Device", report: Report) -> None:
    for recording in device._recordings:
        recording.reports.append(report)
    if report.agreement is not None and report.agreement["verdict"] == "wrong":
        raise Error(f"the result is not what float64 says: {report.agreement}", category="Internal")
