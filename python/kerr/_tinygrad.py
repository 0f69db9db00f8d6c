"""The classes behind kerr.tinygrad: device, allocator, renderer, compiler, program. Imports tinygrad, any from v0.11.0 on.

The renderer translates names (_uops.py), the compiler is kerr_compile(); both are pure, because tinygrad runs them in other
processes, too, and neither opens a device.
"""

import functools
import inspect
import os
import time
from dataclasses import replace
from typing import Any

import tinygrad.codegen
import tinygrad.helpers
from tinygrad.device import Compiled, CompileError, Compiler, LRUAllocator
from tinygrad.dtype import dtypes
from tinygrad.renderer import Renderer
from tinygrad.uop import Ops

import kerr
import kerr_tinygrad_finder
from kerr._uops import CLAIMED, UnsupportedUOp, loop_program

kerr_tinygrad_finder.install()  # in a process that compiles, unpickling a class of this file is all that happens

DEFAULT_BOARD = "p100a"
_CHECKS = ("bounds", "definition", "paths")  # of KERR_CHECK
_CHECKER = ("0", "1", "memory")  # words of it that the device itself obeys: docs/reference/checker.md
_CONSTRUCTOR = inspect.signature(Compiled.__init__).parameters


def _environment(name: str, *allowed: str) -> str | None:
    """None if it is not set, or empty."""
    value = os.environ.get(name) or None
    if value is not None and allowed and value not in allowed:
        raise kerr.InvalidArgument(f"{name}={value}: it is one of {', '.join(allowed)}")
    return value


def _check() -> str | None:
    """The word of KERR_CHECK that is ours; those of the checker may stand beside it, behind a comma."""
    words = (_environment("KERR_CHECK") or "0").split(",")
    ours = [word for word in words if word not in _CHECKER]
    if len(ours) > 1 or any(word not in _CHECKS for word in ours):
        raise kerr.InvalidArgument(f"KERR_CHECK={','.join(words)}: it is one of {', '.join(_CHECKS)}, and perhaps one of "
                                   f"{', '.join(_CHECKER)} behind a comma")
    return ours[0] if ours else None


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise kerr.InvalidArgument(f"{name}: {text!r} is no whole number")
    return int(text)


def _target() -> Any:
    """What DEV says of us: board and interface. Nothing before v0.13."""
    dev = getattr(tinygrad.helpers, "DEV", None)
    return dev.target("KERR") if hasattr(dev, "target") else None


class KerrCompiler(Compiler):
    """Loop programs to what a device runs. KERR_PATH: auto, tiles, scalar, definition. KERR_MATH=exact: tiles only where they
    give the definition's bits. KERR_CHECK=bounds: accesses are checked."""

    def __init__(self, board: str = ""):
        self.board = board or _environment("KERR_BOARD") or DEFAULT_BOARD
        self.options: dict[str, Any] = {}
        if path := _environment("KERR_PATH", "auto", "tiles", "scalar", "definition"):
            self.options["path"] = path
        if math := _environment("KERR_MATH", "bounded", "exact"):
            self.options["math"] = math
        if _check() == "bounds":
            self.options["check_bounds"] = True
        options = "_".join(f"{key}-{value}" for key, value in sorted(self.options.items()))
        # The cache on disk outlives upgrades.
        super().__init__(f"kerr_{kerr.ABI}_{kerr.version()}_{self.board}_{options}")

    def compile(self, src: str) -> bytes:
        try:
            return kerr.compile(self.board, src, **self.options)
        except kerr.Error as problem:
            raise CompileError(problem.report) from problem

    def disassemble(self, lib: bytes) -> None:
        print(kerr.explain(lib)["explanation"])


class KerrRenderer(Renderer):
    device = "KERR"  # before v0.13
    has_local = has_shared = has_threads = supports_float4 = False
    global_max = local_max = None
    tensor_cores: list = []
    code_for_op = {getattr(Ops, name): lambda *_: "" for name in CLAIMED if hasattr(Ops, name)}

    def __init__(self, target: Any = None):
        self.target = target
        self.compiler = KerrCompiler(getattr(target, "arch", ""))

    def __reduce__(self):
        return type(self), () if self.target is None else (self.target,)

    def render(self, uops: list) -> str:
        try:
            return loop_program(uops, tf32=bool(getattr(tinygrad.helpers, "ALLOW_TF32", 0)))
        except UnsupportedUOp as problem:
            raise CompileError(f"Kerr: {problem}") from None

    def supported_dtypes(self) -> set:
        return {*dtypes.ints, dtypes.bool, dtypes.half, dtypes.bfloat16, dtypes.float, dtypes.double}


class KerrAllocator(LRUAllocator):
    """What tinygrad calls an opaque buffer is a view: (kerr.Buffer, offset, bytes)."""

    def __init__(self, dev: "KERRDevice"):
        super().__init__(dev)
        # Python may finalise a kerr.Buffer before the object of tinygrad that gives it back to be used again; these it
        # may not.
        self.held: set = set()

    def _alloc(self, size: int, options: Any) -> tuple:
        if getattr(options, "external_ptr", None) is not None:
            raise kerr.Unsupported("Kerr's buffers are memory of the device: they cannot be made of a pointer")
        buffer = self.dev.kerr.alloc(size)
        self.held.add(buffer)
        return buffer, 0, size

    def _free(self, opaque: tuple, options: Any) -> None:
        self.held.discard(opaque[0])
        opaque[0].free()

    def _offset(self, buf: tuple, size: int, offset: int) -> tuple:
        return buf[0], buf[1] + offset, size

    def _copyin(self, dest: tuple, src: memoryview) -> None:
        dest[0].write(src, dest[1])

    def _copyout(self, dest: memoryview, src: tuple) -> None:
        src[0].read_into(dest, src[1])


class KerrProgram:
    """Made with (device, object with `lib`) by head, with (device, name, bytes, ...) by the releases before."""

    def __init__(self, dev: "KERRDevice", obj: Any, lib: bytes | None = None, *_: Any, **__: Any):
        self.dev = dev
        self.program = dev.kerr.load(obj.lib if lib is None else lib)

    def __call__(self, *bufs: tuple, vals: tuple = (), wait: bool = False, timeout: int | None = None, **_: Any) -> float | None:
        start = time.perf_counter()
        try:
            ns = self.program.launch(bufs, vals, timeout)
        except kerr.Timeout as problem:
            problem.add_note("KERR_TIMEOUT=600 allows every program 600 seconds, KERR_TIMEOUT=0 any time.")
            raise
        if not wait:
            return None
        if ns is not None:
            return ns * 1e-9
        # Releases that BEAM cannot be kept from want a time to compare; wall time is what they would measure without
        # one.
        return None if _OPTIMISER_WRAPPED else time.perf_counter() - start


class KERRDevice(Compiled):
    """One emulated board each for KERR, KERR:1, ...; `DEV=VFIO+KERR`: cards. DEV=KERR::p150 (before v0.13: KERR_BOARD) is another board.

    KERR_THREADS: of the emulator. KERR_MAX_HARTS: of a launch. KERR_TIMING=exact: device time is time, and launches report it.
    KERR_TIMEOUT: seconds that a program may take, 0: any.
    """

    has_copy_queue = False

    def __init__(self, device: str):
        target = _target()
        number = _number(device, device.partition(":")[2] or "0")
        options: dict[str, Any] = {"timing": _environment("KERR_TIMING", "relaxed", "exact")}
        check = _check()
        if check in ("definition", "paths"):
            options["check"] = check
        if threads := _environment("KERR_THREADS"):
            options["threads"] = _number("KERR_THREADS", threads)
        if timeout := _environment("KERR_TIMEOUT"):
            options["timeout_ms"] = 1000 * _number("KERR_TIMEOUT", timeout)
        if harts := _environment("KERR_MAX_HARTS"):
            options["max_harts"] = _number("KERR_MAX_HARTS", harts)
        if getattr(target, "interface", "").upper() == "VFIO":
            name = f"vfio:{number}"
        else:
            name = getattr(target, "arch", "") or _environment("KERR_BOARD") or DEFAULT_BOARD
        self.kerr = kerr.Device(name, **options)
        # Before head the runtime is called without the device.
        runtime = KerrProgram if "runtime" in vars(Compiled) else functools.partial(KerrProgram, self)
        allocator = KerrAllocator(self)
        if "renderers" in _CONSTRUCTOR:
            super().__init__(device, allocator, [KerrRenderer], runtime)
        elif "compilers" in _CONSTRUCTOR:
            from tinygrad.device import CompilerPair, CompilerSet

            super().__init__(device, allocator, CompilerSet([CompilerPair(KerrRenderer, None)]), runtime)
        elif "renderer" in _CONSTRUCTOR:
            renderer = KerrRenderer()
            super().__init__(device, allocator, renderer, renderer.compiler, runtime)
        else:
            raise RuntimeError("Kerr's device works with tinygrad v0.11.0 and later; this one's Compiled takes "
                               f"({', '.join(_CONSTRUCTOR)})")
        if not _OPTIMISER_WRAPPED and "NOOPT" not in os.environ:
            tinygrad.helpers.NOOPT.value = 1
        self.graph = _graph()

    def synchronize(self) -> None:
        if self.kerr.usable:
            self.kerr.synchronize()

    def finalize(self) -> None:
        self.kerr.close()


def _graph() -> Any:
    """For batches of tinygrad's JIT. Before head None: its graphs are made of other things."""
    try:
        from kerr._tinygrad_graph import KerrGraph
    except ImportError:
        return None
    return KerrGraph


def _without_optimiser() -> bool:
    """Kernels of ours come without tinygrad's optimiser, which would hide their loops; those of other devices with it.

    NOOPT in the environment, or optimisations that a program names, are obeyed. Search by measuring (BEAM) is left out: relaxed
    timing has no time. Before v0.13 there is no such function; opening a device then sets NOOPT for the whole process.
    """
    to_program = getattr(tinygrad.codegen, "do_to_program", None)
    if to_program is None:
        return False

    @functools.wraps(to_program)
    def wrapper(ast: Any, renderer: Any, *arguments: Any, **named: Any) -> Any:
        if not isinstance(renderer, KerrRenderer):
            return to_program(ast, renderer, *arguments, **named)
        if getattr(ast.arg, "beam", 0):
            ast = ast.replace(arg=replace(ast.arg, beam=0))
        with tinygrad.helpers.Context(NOOPT=int(os.environ.get("NOOPT", 1))):
            return to_program(ast, renderer, *arguments, **named)

    tinygrad.codegen.do_to_program = wrapper
    return True


_OPTIMISER_WRAPPED = _without_optimiser()
