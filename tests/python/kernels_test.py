"""Kernels of one's own, launched from Python."""

import array
import os
import pathlib
import tempfile
import unittest

import kerr

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples/assembler_text"
ADD_ONE = (EXAMPLES / "add_one.s").read_text()
WRONG = "        nop\n        lw   t1, 2(zero)\n        ret\n"
POLLS = "        lw   t0, 0(a0)\nloop:   lw   t1, 0(t0)\n        bnez t1, loop\n        ret\n"


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.device = kerr.Device("p100a", threads=1)

    @classmethod
    def tearDownClass(cls):
        cls.device.close()

    def test_work_on_arrays(self):
        done = self.device.run(ADD_ONE, args=["x", 3], l1={"x": array.array("i", [1, 2, -3])})
        self.assertEqual(done["x"].tolist(), [2, 3, -2])
        self.assertGreater(done.cycles, 0)
        self.assertIsNone(done.ns)
        self.assertEqual((done.cores, list(done), len(done)), ([(1, 2)], ["x"], 1))

    def test_run_on_several_cores(self):
        done = self.device.run(ADD_ONE, args=["x", 2], cores="1-2,2-3", l1={"x": array.array("i", [1, 2])})
        self.assertEqual(done["x"].tolist(), [[2, 3]] * 4)
        self.assertEqual(len(done.cores), 4)

    def test_come_from_files_and_run_on_several_harts(self):
        done = self.device.run({"brisc": EXAMPLES / "square.s", "ncrisc": EXAMPLES / "sum.s"}, semaphores=[0],
                               args={"brisc": ["numbers", 3], "ncrisc": ["numbers", 3, "total"]},
                               l1={"numbers": array.array("i", [1, 2, 3]), "total": array.array("i", [0])})
        self.assertEqual((done["numbers"].tolist(), done["total"].tolist()), ([1, 4, 9], [14]))

    def test_keep_shapes_and_begin_with_zeros(self):
        square = memoryview(array.array("i", [1, 2, 3, 4])).cast("B").cast("i", (2, 2))
        done = self.device.run(ADD_ONE, args=["x", 4], l1={"x": square, "room": 8}, dram={"d": array.array("f", [1.5]), "e": (16, 64)})
        self.assertEqual(done["x"].tolist(), [[2, 3], [4, 5]])
        self.assertEqual(done["room"].tolist(), [0] * 8)
        self.assertEqual((done["d"].tolist(), done["e"].tolist()), ([1.5], [0] * 16))

    def test_are_told_where_buffers_and_tensors_are(self):
        store = "        lw   t0, 0(a0)\n        lw   t1, 4(a0)\n        lw   t2, 8(a0)\n        sw   t1, 0(t0)\n        sw   t2, 4(t0)\n        ret\n"
        buffer, t = self.device.alloc(100), self.device.tensor([[1.0]])
        done = self.device.run(store, args=["x", buffer, t], l1={"x": array.array("I", [0, 0])})
        self.assertEqual(done["x"].tolist(), [buffer.place().address, t.place.address])

    def test_take_words_of_all_kinds(self):
        store = "        lw   t0, 0(a0)\n" + "".join(f"        lw   t1, {4 * i}(a0)\n        sw   t1, {4 * i - 4}(t0)\n" for i in range(1, 5)) + "        ret\n"
        done = self.device.run(store, args=["x", 1.5, -1, "x+4", 0x80000000], l1={"x": array.array("I", [0] * 4)})
        self.assertEqual(done["x"].tolist()[:2] + done["x"].tolist()[3:], [0x3FC00000, 0xFFFFFFFF, 0x80000000])

    def test_that_fault_leave_the_interpreter_usable(self):
        t = self.device.tensor([[1.0, 2.0]])
        for _ in range(3):
            with self.assertRaises(kerr.Fault) as caught:
                self.device.run(WRONG, name="wrong")
            self.assertIn("wrong.s:2", caught.exception.report)
            self.assertEqual(caught.exception.category, "Fault")
            self.assertLessEqual(len(str(caught.exception).splitlines()), 2)
            self.assertEqual(t.read().tolist(), [[1.0, 2.0]])
            self.assertEqual(self.device.eval("t + 1", t=t).tolist(), [[2.0, 3.0]])

    def test_that_hang_are_deadlocks(self):
        with self.assertRaises(kerr.Deadlock) as caught:
            self.device.run(POLLS, args=["x"], l1={"x": array.array("i", [1])}, name="polls")
        self.assertIn("polls.s:2", caught.exception.report)

    def test_that_never_end_time_out(self):
        with self.assertRaises(TimeoutError):
            self.device.run("loop:   addi t0, t0, 1\n        j    loop\n", timeout_ms=100)

    def test_that_make_no_sense_are_value_errors(self):
        x = {"x": array.array("i", [1])}
        for arguments in [dict(kernels="frobnicate t0\n"), dict(kernels=""), dict(kernels=5), dict(kernels={}), dict(kernels={"core": ADD_ONE}),
                          dict(kernels=ADD_ONE, args=["y"], l1=x), dict(kernels=ADD_ONE, args=[2**32], l1=x), dict(kernels=ADD_ONE, args=[None]),
                          dict(kernels=ADD_ONE, cores="8,2"), dict(kernels=ADD_ONE, l1={"x": 0}), dict(kernels=ADD_ONE, l1={"x": 1 << 30}),
                          dict(kernels=ADD_ONE, l1={"no name": 4}), dict(kernels=ADD_ONE, l1=x, dram=x), dict(kernels=ADD_ONE, dram={"x": (4, 1)}),
                          dict(kernels=ADD_ONE, l1={"x": ""}), dict(kernels=ADD_ONE, name="a\0b")]:
            with self.subTest(arguments), self.assertRaises(ValueError):
                self.device.run(**arguments)

    def test_of_a_program_file_run(self):
        text = (EXAMPLES / "squares.toml").read_text()
        for options in [dict(folder=EXAMPLES), dict(files={name: (EXAMPLES / name).read_text() for name in ("square.s", "sum.s")})]:
            done = self.device.run_program(text, **options)
            self.assertEqual(done["numbers"].tolist(), [[1, 4, 9, 16, 25, 36, 49, 64]] * 2)
            self.assertEqual(done["total"].tolist(), [[204]] * 2)
        with self.assertRaisesRegex(kerr.InvalidArgument, "none of the files"):
            self.device.run_program(text)
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(kerr.InvalidArgument, "cannot be read"):
            self.device.run_program(text, folder=os.path.join(folder, "none"))

    def test_have_time_in_exact_timing(self):
        with kerr.Device("p100a", threads=1, timing="exact") as device:
            done = device.run(ADD_ONE, args=["x", 1], l1={"x": array.array("i", [41])})
            self.assertEqual(done["x"].tolist(), [42])
            self.assertGreater(done.ns, 0)


if __name__ == "__main__":
    unittest.main()
