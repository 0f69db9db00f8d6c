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
