"""A package named tinygrad with no more than what the adapter uses, in the shapes of three releases. tinygrad itself is nowhere here."""

import pathlib
import textwrap

_COMMON = {
    "__init__.py": "",
    "runtime/__init__.py": "",
    "helpers.py": """
        import os, contextlib
        class ContextVar:
            def __init__(self, key, default): self.key, self.value = key, type(default)(os.environ.get(key, default))
            def __bool__(self): return bool(self.value)
        NOOPT, ALLOW_TF32 = ContextVar("NOOPT", 0), ContextVar("ALLOW_TF32", 0)
        @contextlib.contextmanager
        def Context(**values):
            variables = {name: globals()[name] for name in values}
            before = {name: variable.value for name, variable in variables.items()}
            for name, value in values.items(): variables[name].value = value
            try: yield
            finally:
                for name, value in before.items(): variables[name].value = value
    """,
    "dtype.py": """
        class dtypes:
            ints = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
            bool, half, bfloat16, float, double = "bool", "half", "bfloat16", "float", "double"
    """,
    "renderer.py": "class Renderer: pass\n",
    "uop.py": """
        import enum
        class Ops(enum.IntEnum):
            ADD = 1; MUL = 2; FDIV = 3; MULACC = 4; POW = 5; PARAM = 6; BUFFER = 7; SHRINK = 8
    """,
    "codegen.py": "",
}

_DEVICE = """
    class CompileError(Exception): pass
    class Compiler:
        def __init__(self, cachekey=None): self.cachekey = cachekey
    class LRUAllocator:
        def __init__(self, dev): self.dev = dev
        def alloc(self, size, options=None): return self._alloc(size, options)
        def free(self, opaque, size, options=None): self._free(opaque, options)
"""

_COMPILED = {
    "v0.11": """
        class Compiled:
            def __init__(self, device, allocator, renderer, compiler, runtime, graph=None, group_id=None):
                self.device, self.allocator, self.renderer, self.compiler = device, allocator, renderer, compiler
                self.runtime = runtime
    """,
    "v0.12": """
        class CompilerPair:
            def __init__(self, renderer, compiler, ctrl_var=None): self.renderer, self.compiler = renderer, compiler
        class CompilerSet:
            def __init__(self, cset, ctrl_var=None): self.cset = cset
        class Compiled:
            def __init__(self, device, allocator, compilers, runtime, graph=None, group_id=None):
                self.device, self.allocator, self.runtime = device, allocator, runtime
                self.renderer = compilers.cset[0].renderer()
                self.compiler = self.renderer.compiler
    """,
    "head": """
        class Compiled:
            def __init__(self, device, allocator, renderers, runtime, graph=None, arch=None):
                from tinygrad.helpers import DEV
                self.device, self.allocator, self.runtime_t = device, allocator, runtime
                self.renderer = renderers[0](DEV.target(device.split(":")[0]))
                self.compiler = self.renderer.compiler
            def runtime(self, obj): return self.runtime_t(self, obj)
    """,
}

_TARGET = """
    from types import SimpleNamespace
    class DEV:
        @staticmethod
        def target(device):
            parts = (os.environ.get("DEV", "").split(";")[0].split("+")[-1] + "::").split(":")
            interface = os.environ.get("DEV", "").split("+")[0] if "+" in os.environ.get("DEV", "") else ""
            return SimpleNamespace(arch=parts[2], interface=interface)
"""

_TO_PROGRAM = """
    from tinygrad.helpers import NOOPT
    def do_to_program(ast, renderer): return ast, NOOPT.value
"""

_JIT = """
    class GraphRunner:
        def __init__(self, linear, input_uops=()):
            self.calls, self.runtimes, self.uop_replace = linear.calls, linear.runtimes, linear.uop_replace
        @staticmethod
        def supports_uop(batch_devs, new_call): return len(batch_devs) == 1
"""

STYLES = tuple(_COMPILED)


def write(folder: pathlib.Path, style: str) -> None:
    files = _COMMON | {"device.py": textwrap.dedent(_DEVICE) + textwrap.dedent(_COMPILED[style])}
    if style == "head":
        files["helpers.py"] = textwrap.dedent(files["helpers.py"]) + textwrap.dedent(_TARGET)
        files["codegen.py"] = _TO_PROGRAM
        files |= {"engine/__init__.py": "", "engine/realize.py": "def get_call_arg_uops(call): return call.src[1:]\n",
                  "engine/jit.py": _JIT}
    for name, text in files.items():
        path = folder / "tinygrad" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
