"""tinygrad's lists of UOps as data: written by record.py where tinygrad is, read back as objects that look like UOps where it is not.

A file holds a kernel a line, in JSON: its UOps as [operation, type, sources, argument], the bytes of its buffers before and after
a launch that was checked against NumPy, and the launch's variables. A type is "float", "float*4" (a vector), "float[96]@GLOBAL"
(a pointer, in releases that have such types); "float." is a plain type of such a release.
"""

import base64
import gzip
import json
import pathlib
from types import SimpleNamespace

FOLDER = pathlib.Path(__file__).parent / "recorded"
VERSIONS = ("v0.11.0", "v0.12.0", "v0.13.0", "head")


def encode_type(dtype):
    name = getattr(dtype, "base", dtype).name
    if hasattr(dtype, "addrspace"):
        return f"{name}[{dtype.size}]@{dtype.addrspace.name}"
    if not hasattr(dtype, "count"):
        return name
    return f"{dtype.scalar().name}*{dtype.count}" if dtype.count > 1 else f"{name}."


def encode_argument(u):
    name = u.op.name
    if name == "SINK":
        return u.arg.function_name if u.arg is not None else None
    if name == "RANGE":
        return [u.arg[0], u.arg[-1].name] if isinstance(u.arg, tuple) else u.arg
    if hasattr(u.arg, "slot"):
        space = u.arg.addrspace.name
        return {"slot": u.arg.slot, "addrspace": space, "vmin_vmax": u.arg.vmin_vmax, "name": u.arg.name,
                "elements": u.max_numel() if space != "ALU" else 1}
    if name in ("CONST", "DEFINE_VAR", "DEFINE_GLOBAL", "DEFINE_REG", "DEFINE_LOCAL", "GEP", "PARAM"):
        return list(u.arg) if isinstance(u.arg, tuple) else u.arg
    return None


def encode(uops):
    """Only what is needed to say it again. A UOp of the list may have a source that is not in the list: the shape of a buffer."""
    number = {u: i for i, u in enumerate(uops)}
    return [[u.op.name, encode_type(u.dtype), [number[s] for s in u.src if s in number], encode_argument(u)] for u in uops]


class FakeType:
    def __init__(self, text):
        name, _, pointer = text.partition("[")
        name, _, count = name.partition("*")
        if count or name.endswith(".") or pointer:
            self.count = int(count or 1)
            self.scalar = lambda: SimpleNamespace(name=name.rstrip("."))
        self.name = name.rstrip(".")
        if pointer:
            size, _, space = pointer.partition("]@")
            self.base = SimpleNamespace(name=name)
            self.size, self.addrspace = int(size), SimpleNamespace(name=space)


class FakeUOp:
    def __init__(self, op, dtype, src, arg):
        self.op, self.dtype, self.src, self.arg = SimpleNamespace(name=op), FakeType(dtype), tuple(src), arg
        if op == "SINK" and arg is not None:
            self.arg = SimpleNamespace(function_name=arg)
        elif op == "RANGE" and isinstance(arg, list):
            self.arg = (arg[0], SimpleNamespace(name=arg[1]))
        elif isinstance(arg, dict):
            self.arg = SimpleNamespace(**arg | {"addrspace": SimpleNamespace(name=arg["addrspace"])})
        elif isinstance(arg, list):
            self.arg = tuple(arg)

    def max_numel(self):
        return self.arg.elements


def decode(rows):
    uops = []
    for op, dtype, sources, argument in rows:
        uops.append(FakeUOp(op, dtype, [uops[s] for s in sources], argument))
    return uops


def kernels(version):
    """What a file holds, with `uops` as objects and `before`, `after` as bytes."""
    with gzip.open(FOLDER / f"{version}.jsonl.gz", "rt") as file:
        for line in file:
            kernel = json.loads(line)
            kernel["uops"] = decode(kernel["uops"])
            for when in ("before", "after"):
                kernel[when] = [base64.b64decode(data) for data in kernel[when]]
            yield kernel
