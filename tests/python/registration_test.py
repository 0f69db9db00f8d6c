"""How tinygrad finds the device, and how the device adapts to three shapes of tinygrad, none of which is needed here."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import fake_tinygrad

PACKAGE = pathlib.Path(__import__("kerr").__file__).parents[1]

RUN = """
    import kerr.tinygrad
    from tinygrad.runtime import ops_kerr
    import recorded
    from kerr._uops import loop_program
    kernel = next(recorded.kernels("head"))
    device = ops_kerr.KERRDevice(NAME)
    blob = device.compiler.compile(device.renderer.render(kernel["uops"]))
    class Elf:
        lib = blob
    program = device.runtime(Elf) if "runtime_t" in vars(device) else device.runtime("add", blob)
    buffers = []
    for data in kernel["before"]:
        whole = device.allocator.alloc(len(data) + 64)
        buffers.append(device.allocator._offset(whole, len(data), 32))
        device.allocator._copyin(buffers[-1], memoryview(data))
    seconds = program(*buffers, global_size=(1, 1, 1), local_size=(1, 1, 1), vals=(), wait=True)
    after = [bytearray(len(data)) for data in kernel["before"]]
    for data, buffer in zip(after, buffers):
        device.allocator._copyout(memoryview(data), buffer)
    assert [bytes(data) for data in after] == kernel["after"], "wrong results"
    device.synchronize()
    print("ran", device.kerr.name, "in no time" if seconds is None else "in wall time")
    device.finalize()
    device.allocator.free(buffers[0], 1)
"""


class WithFakeTinygrad(unittest.TestCase):
    def python(self, code, style, *arguments, succeeds=True, **environment):
        """Standard output of a Python that sees a tinygrad of that style."""
        with tempfile.TemporaryDirectory() as folder:
            fake_tinygrad.write(pathlib.Path(folder), style)
            script = pathlib.Path(folder) / "script.py"
            script.write_text(textwrap.dedent(code))
            path = [folder, str(PACKAGE), str(pathlib.Path(__file__).parent)]
            run = subprocess.run([sys.executable, *arguments, str(script)], capture_output=True, text=True, timeout=60,
                                 env={k: v for k, v in os.environ.items() if k not in ("DEV", "NOOPT")} | environment |
                                 {"PYTHONPATH": os.pathsep.join(path)})
            self.assertEqual(run.returncode == 0, succeeds, run.stderr)
            return run.stdout if succeeds else run.stderr


class Device(WithFakeTinygrad):
    def test_runs_a_kernel_in_each_shape_of_tinygrad(self):
        for style in fake_tinygrad.STYLES:
            with self.subTest(style):
                time = "in no time" if style == "head" else "in wall time"
                self.assertEqual(self.python(RUN.replace("NAME", "'KERR:1'"), style, KERR_PATH="definition"), f"ran p100a {time}\n")

    def test_takes_its_board_from_DEV_or_from_a_variable(self):
        run = RUN.replace("NAME", "'KERR'")
        self.assertEqual(self.python(run, "head", DEV="KERR::p150", KERR_PATH="definition"), "ran p150 in no time\n")
        self.assertEqual(self.python(run, "v0.12", KERR_BOARD="p150", KERR_PATH="definition"), "ran p150 in wall time\n")

    def test_refuses_a_setting_that_makes_no_sense(self):
        for name, given, text in [("KERR", {"KERR_PATH": "fast"}, "KERR_PATH=fast: it is one of auto, tiles, scalar, definition"),
                                  ("KERR", {"KERR_THREADS": "two"}, "InvalidArgument: KERR_THREADS: 'two' is no whole number"),
                                  ("KERR", {"KERR_TIMEOUT": "1m"}, "InvalidArgument: KERR_TIMEOUT: '1m' is no whole number"),
                                  ("KERR", {"KERR_MAX_HARTS": "0"}, "'max_harts' must be a whole number from 1 to 236"),
                                  ("KERR:-1", {}, "InvalidArgument: KERR:-1: '-1' is no whole number"),
                                  ("KERR:x", {}, "InvalidArgument: KERR:x: 'x' is no whole number")]:
            with self.subTest(text):
                self.assertIn(text, self.python(RUN.replace("NAME", repr(name)), "head", succeeds=False, **given))

    def test_says_how_to_allow_a_program_more_time(self):
        code = RUN.split("device = ")[0] + '''
    import kerr
    device = ops_kerr.KERRDevice("KERR")
    text = "kernel k\\nparam p0 i32 1\\ndo %1\\n%2 = load i32 p0[i32:0]\\n%3 = cmpeq i32 %2 %2\\nwhile %1 %3\\n"
    program = device.runtime("k", device.compiler.compile(text))
    try: program((device.kerr.alloc(4), 0, 4))
    except TimeoutError as problem: print(problem.__notes__[0])
    '''
        self.assertIn("KERR_TIMEOUT=600", self.python(code, "v0.12", KERR_TIMEOUT="1"))

    def test_takes_an_empty_setting_for_none(self):
        empty = dict.fromkeys(["KERR_BOARD", "KERR_CHECK", "KERR_MAX_HARTS", "KERR_PATH", "KERR_THREADS", "KERR_TIMEOUT",
                               "KERR_TIMING"], "")
        self.assertEqual(self.python(RUN.replace("NAME", "'KERR'"), "head", **empty), "ran p100a in no time\n")

    def test_takes_its_word_of_a_check_beside_those_of_the_checker(self):
        code = RUN.split("device = ")[0] + """
    from kerr._tinygrad import _check
    print(_check())
    """
        for value, word in (("1", None), ("memory,paths", "paths"), ("definition,1", "definition"), ("0", None)):
            self.assertEqual(self.python(code, "head", KERR_CHECK=value), f"{word}\n")
        code = RUN.split("device = ")[0] + """
    from kerr._tinygrad import _check
    try: _check()
    except kerr.InvalidArgument as problem: print(problem)
    """
        self.assertEqual(self.python(code, "head", KERR_CHECK="1,nothing"),
                         "KERR_CHECK=1,nothing: it is one of bounds, definition, paths, and perhaps one of 0, 1, memory behind a comma\n")

    def test_passes_on_what_the_compiler_says(self):
        code = RUN.split("device = ")[0] + """
    from tinygrad.device import CompileError
    compiler = ops_kerr.KERRDevice("KERR").compiler
    try: compiler.compile("kernel k\\nparam p0 f32 8\\nfrobnicate\\n")
    except CompileError as problem: print(problem)
    """
        self.assertIn("line 3", self.python(code, "head"))


class Graph(WithFakeTinygrad):
    # Two launches, t = x + n and y = t * m, of which x, y are inputs of the function; t stays.
    CODE = """
    import struct
    from types import SimpleNamespace as Is
    import kerr.tinygrad
    from tinygrad.runtime import ops_kerr
    from tinygrad.uop import Ops
    device = ops_kerr.KERRDevice("KERR")
    def program(name, operation):
        text = (f"kernel {name}\\nparam p0 i32 4\\nparam p1 i32 4\\nvar %n i32 {name} 0 99\\n%1 = loop i32 i32:4 weak\\n"
                f"%2 = load i32 p1[%1]\\n%3 = {operation} i32 %2 %n\\nstore i32 p0[%1] %3\\nend %1\\n")
        info = Is(globals=(0, 1), vars=(name,), vals=lambda values: (values[name],))
        return Is(arg=info), device.runtime(Is(lib=device.compiler.compile(text)))
    class Buffer:
        device = "KERR"
        def __init__(self, *numbers):
            self.opaque = device.allocator.alloc(16)
            device.allocator._copyin(self.opaque, memoryview(struct.pack("4i", *(numbers or (0, 0, 0, 0)))))
        def ensure_allocated(self): return self
        def get_buf(self, name): return self.opaque
        def numbers(self):
            out = bytearray(16)
            device.allocator._copyout(memoryview(out), self.opaque)
            return struct.unpack("4i", out)
    (add, run_add), (scale, run_scale) = program("n", "add"), program("m", "mul")
    x, y, t = Buffer(1, 2, 3, 4), Buffer(), Buffer()
    batch = Is(calls=[(0, add, [t, x], {}), (0, scale, [y, t], {"m": 10})], runtimes=[run_add, run_scale],
               uop_replace=[[(1, 0)], [(0, 1)]])
    inputs = lambda *buffers: tuple(Is(buffer=b) for b in buffers)
    graph = device.graph(batch, inputs(x, y))
    """

    def test_launches_with_the_inputs_and_numbers_of_each_call(self):
        code = self.CODE + """
    print(graph(inputs(x, y), {"n": 5}), y.numbers())
    other, out = Buffer(10, 20, 30, 40), Buffer()
    graph(inputs(other, out), {"n": 6})
    print(y.numbers(), out.numbers(), t.numbers())
    """
        self.assertEqual(self.python(code, "head"), "None (60, 70, 80, 90)\n(60, 70, 80, 90) (160, 260, 360, 460) (16, 26, 36, 46)\n")

    def test_says_how_long_the_launches_took_where_time_is_known(self):
        code = self.CODE + """
    seconds = graph(inputs(x, y), {"n": 5}, wait=True)
    print(0 < seconds < 1)
    """
        self.assertEqual(self.python(code, "head", KERR_TIMING="exact"), "True\n")

    def test_leaves_a_view_of_an_input_to_tinygrad(self):
        code = self.CODE + """
    x, buffer = Is(op=Ops.PARAM), Is(op=Ops.BUFFER, toposort=lambda: [])
    view = Is(op=Ops.SHRINK, toposort=lambda: [x])
    for arguments, devices in (((x, buffer), 1), ((view, buffer), 1), ((x, buffer), 2)):
        print(device.graph.supports_uop([device] * devices, Is(src=(None, *arguments))))
    """
        self.assertEqual(self.python(code, "head"), "True\nFalse\nFalse\n")

    def test_is_none_before_head(self):
        self.assertEqual(self.python("""
        import kerr.tinygrad
        from tinygrad.runtime import ops_kerr
        print(ops_kerr.KERRDevice("KERR").graph)
        """, "v0.12"), "None\n")


class Optimiser(WithFakeTinygrad):
    CODE = """
        import kerr.tinygrad, tinygrad.codegen, tinygrad.helpers
        from types import SimpleNamespace
        from tinygrad.runtime import ops_kerr
        device = ops_kerr.KERRDevice("KERR")
        ast = SimpleNamespace(arg=None)
        if hasattr(tinygrad.codegen, "do_to_program"):
            print(tinygrad.codegen.do_to_program(ast, device.renderer)[1], tinygrad.codegen.do_to_program(ast, None)[1])
        else:
            print(tinygrad.helpers.NOOPT.value)
    """

    def test_is_left_out_for_kernels_of_ours_only(self):
        self.assertEqual(self.python(self.CODE, "head"), "1 0\n")

    def test_is_used_where_the_environment_says_so(self):
        self.assertEqual(self.python(self.CODE, "head", NOOPT="0"), "0 0\n")
        self.assertEqual(self.python(self.CODE, "v0.11", NOOPT="0"), "0\n")

    def test_is_left_out_for_all_where_tinygrad_has_no_place_for_a_choice(self):
        self.assertEqual(self.python(self.CODE, "v0.11"), "1\n")


class Registration(WithFakeTinygrad):
    def test_the_file_for_site_packages_makes_the_device_known(self):
        pth = (PACKAGE / "kerr-tinygrad.pth").read_text()
        self.assertEqual(self.python(pth + "from tinygrad.runtime.ops_kerr import KERRDevice\nprint(KERRDevice.__module__)\n", "head"),
                         "kerr._tinygrad\n")

    def test_the_file_for_site_packages_imports_nothing_else(self):
        pth = (PACKAGE / "kerr-tinygrad.pth").read_text()
        code = f"import sys\nbefore = set(sys.modules)\n{pth}print(sorted(set(sys.modules) - before))\n"
        self.assertEqual(self.python(code, "head"), "['kerr_tinygrad_finder']\n")

    def test_importing_the_module_does_not_import_tinygrad(self):
        self.assertEqual(self.python("import kerr.tinygrad, sys\nprint('tinygrad' in sys.modules)\n", "head"), "False\n")

    def test_a_command_runs_a_script_with_the_device_known(self):
        code = "import os, sys\nfrom tinygrad.runtime import ops_kerr\nprint(__name__, os.environ['DEV'], len(sys.argv))\n"
        self.assertEqual(self.python(code, "head", "-m", "kerr.tinygrad"), "__main__ KERR 1\n")
        self.assertEqual(self.python(code, "head", "-m", "kerr.tinygrad", DEV="CPU"), "__main__ CPU 1\n")

    def test_renderers_are_pickled_and_bring_the_device_along(self):
        code = """
            import pickle, subprocess, sys, types
            from kerr.tinygrad import KerrRenderer
            data = pickle.dumps(KerrRenderer(None))
            other = "import pickle, sys; r = pickle.load(sys.stdin.buffer); import tinygrad.runtime.ops_kerr; print(r.compiler.board)"
            print(subprocess.run([sys.executable, "-c", other], input=data, capture_output=True).stdout.decode().strip())
        """
        self.assertEqual(self.python(code, "head"), "p100a\n")

    def test_only_operations_that_tinygrad_has_are_claimed(self):
        code = "from kerr.tinygrad import KerrRenderer\nprint(sorted(op.name for op in KerrRenderer.code_for_op))\n"
        self.assertEqual(self.python(code, "head"), "['ADD', 'FDIV', 'MUL']\n")


class Guide(unittest.TestCase):
    def test_names_the_variables_that_there_are(self):
        root = pathlib.Path(__file__).parents[2]
        said = set(re.findall(r"KERR_[A-Z]+", (root / "docs/guide/tinygrad.md").read_text()))
        read = set()
        for source in (root / "python/kerr").glob("*.py"):
            read |= set(re.findall(r"""(?:_environment|environ\.get)\("(KERR_[A-Z]+)""", source.read_text()))
        self.assertEqual(said, read)


if __name__ == "__main__":
    unittest.main()
