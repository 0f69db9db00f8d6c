"""What a device did while programs ran: how busy it was, when, and the files that others open."""

import json
import os
import tempfile
from ctypes import byref, c_int64, c_uint64, c_void_p
from html import escape
from typing import TYPE_CHECKING, Any

from kerr import _timeline_picture
from kerr._errors import InvalidArgument
from kerr._evaluation import Report
from kerr._library import take_text

if TYPE_CHECKING:
    from kerr import Device

_ROWS = 12  # of a table in a notebook


def file_name(path: str | os.PathLike[str]) -> bytes:
    """For the library."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise InvalidArgument("the name of a file has a zero byte")
    return name


def clock(device: "Device") -> tuple[int, int | None]:
    """Cycles, and nanoseconds where cycles are time."""
    cycles, ns = c_uint64(), c_int64()
    device._call("kerr_device_clock", device._open_handle(), byref(cycles), byref(ns))
    return cycles.value, ns.value if ns.value >= 0 else None


class Utilisation(dict):
    """How busy cores, units, links and DRAM banks were; shares from 0 to 1. Keys as `kerr matmul --utilisation --json` has them."""

    def unit(self, name: str) -> float:
        """The share in which a unit ("FPU", "SFPU", "unpacker 0", "packer") worked: the mean over the cores. 0 of one that none used."""
        cores = self["cores"]
        return sum(core["units"].get(name, 0.0) for core in cores) / len(cores) if cores else 0.0

    def units(self) -> dict[str, float]:
        """The shares of all units that worked."""
        return {name: self.unit(name) for name in sorted({name for core in self["cores"] for name in core["units"]})}

    def _lines(self) -> list[tuple[str, float]]:
        links = [(link["link"], link["busy"]) for link in self["links"][:3]]
        banks = [(f"DRAM bank {bank['bank']}", bank["busy"]) for bank in self["dram_banks"]]
        return [*self.units().items(), *links, *banks]

    def __str__(self) -> str:
        return "\n".join(f"{name:24} {100 * share:5.1f} %" for name, share in self._lines())

    def __repr__(self) -> str:
        return f"<kerr.Utilisation of {len(self['cores'])} cores, cycles {self['begin_cycles']} to {self['end_cycles']}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{escape(name)}</td><td style='text-align:right'>{100 * share:.1f} %</td></tr>"
                       for name, share in self._lines()[:_ROWS])
        return f"<table><tr><th>mean of {len(self['cores'])} cores</th><th>busy</th></tr>{rows}</table>"


class HeatMap:
    """The links and cores of the chip as a picture: an SVG text, which notebooks show."""

    def __init__(self, svg: str):
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg[max(self.svg.find("<svg"), 0):]

    _repr_html_ = _repr_svg_


class Timeline:
    """When each hart, unit and link worked, from cycle `begin` to `end`."""

    def __init__(self, device: "Device", begin: int, end: int):
        self._device, self.begin, self.end = device, begin, end

    def save(self, path: str | os.PathLike[str]) -> None:
        """A file that ui.perfetto.dev and chrome://tracing open."""
        self._device._call("kerr_timeline", self._device._open_handle(), self.begin, self.end, file_name(path))

    def json(self) -> dict:
        """The same, read."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "timeline.json")
            self.save(path)
            with open(path, encoding="utf-8") as file:
                return json.load(file)

    def svg(self, tile: str | None = None) -> str:
        """One tile's harts and units. `tile`: "(1,2)", in raw coordinates; None: the busiest."""
        return _timeline_picture.svg(self.json()["traceEvents"], tile)

    def _repr_html_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<kerr.Timeline cycles {self.begin} to {self.end}>"


class Recording:
    """What ran between two moments. Device.record() makes it.

    reports: of the expressions. cycles, ns: of the device, all together; ns is None in relaxed timing. What follows needs a device that
    was opened with timing="exact" and watch="timeline".
    """

    def __init__(self, device: "Device", path: str | os.PathLike[str] | None, snapshot: str | os.PathLike[str] | None):
        if snapshot is not None and path is None:
            raise InvalidArgument("a snapshot belongs to a recording: give path=, too")
        self._device, self._path, self._snapshot = device, path, snapshot
        self.reports: list[Report] = []
        self.begin = self.end = 0
        self.cycles = 0
        self.ns: int | None = None

    def __enter__(self) -> "Recording":
        device = self._device
        if self._path is not None:
            device._call("kerr_record_begin", device._open_handle(), file_name(self._path))
        if self._snapshot is not None:
            try:
                device.snapshot(self._snapshot)
            except BaseException:
                device._call("kerr_record_end", device._open_handle())
                raise
        self.begin, self._begin_ns = clock(device)
        device._recordings.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        device = self._device
        device._recordings.remove(self)
        if device.closed:
            return
        self.end, ns = clock(device)
        self.cycles = self.end - self.begin
        if ns is not None and self._begin_ns is not None:
            self.ns = ns - self._begin_ns
        if self._path is not None:
            device._call("kerr_record_end", device._open_handle())

    def _stretch(self) -> tuple[int, int]:
        if self.end <= self.begin:
            raise InvalidArgument("the recording has not ended, or nothing ran in it")
        return self.begin, self.end

    def utilisation(self) -> Utilisation:
        text = c_void_p()
        self._device._call("kerr_utilisation", self._device._open_handle(), *self._stretch(), byref(text))
        return Utilisation(json.loads(take_text(text)))

    def heat_map(self, title: str = "") -> HeatMap:
        text = c_void_p()
        self._device._call("kerr_heat_map", self._device._open_handle(), *self._stretch(), title.encode(), byref(text))
        return HeatMap(take_text(text))

    def timeline(self) -> Timeline:
        return Timeline(self._device, *self._stretch())

    def _repr_html_(self) -> str:
        return self.heat_map()._repr_html_() + self.utilisation()._repr_html_() + self.timeline()._repr_html_()

    def __repr__(self) -> str:
        return f"<kerr.Recording {len(self.reports)} expressions, {self.cycles} cycles>"
