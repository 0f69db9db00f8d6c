"""Matrices on a device, and what expressions make of them."""

import array
import math
import os
import struct
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import kerr

try:
    import numpy as np
except ImportError:
    np = None

with_numpy = unittest.skipUnless(np, "no NumPy here")


# Prints how many bytes 200 rounds of calls of all kinds, failing ones among them, add to the memory of the process.
CALLS = """
    import gc, os, kerr
    device = kerr.Device("p100a", threads=1)
    t = device.tensor([[1.0, 2.0]])
    sizes = []
    for _ in range(3):
        for _ in range(200):
            t.read(), t.bits(), t.__dlpack__(), device.eval("t + 1", t=t), device.alloc(64).place(), device.tensor([[1.0]])
            for mistake in ("t @ t", "t +", "u"):
                try:
                    device.eval(mistake, t=t)
                except ValueError:
                    pass
        gc.collect()
        with open("/proc/self/statm") as file:
            sizes.append(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    print(sizes[2] - sizes[1])
"""


def rows_of(result):
    return result.tolist()


class OnADevice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.device = kerr.Device("p100a", threads=1)

    @classmethod
    def tearDownClass(cls):
        cls.device.close()


class Expressions(OnADevice):
    def test_take_lists_and_numbers(self):
        result = self.device.eval("a @ b + c", a=[[1.0, 2.0]], b=[[3.0], [4.0]], c=0.5)
        self.assertEqual(rows_of(result), [[11.5]])
        self.assertEqual(tuple(result.shape), (1, 1))

    def test_take_one_axis_as_a_row(self):
        self.assertEqual(rows_of(self.device.eval("a * 2", a=[1.0, 2.0, 3.0])), [[2.0, 4.0, 6.0]])

    def test_of_integers_make_integers(self):
        result = self.device.eval("n * 3", n=[[1, -2], [70000, 4]])
        self.assertEqual(rows_of(result), [[3, -6], [210000, 12]])
        self.assertEqual(memoryview(result).format, "i")

    def test_take_names_that_mean_something_here(self):
        self.assertEqual(rows_of(self.device.eval("format + keep", {"format": [[1.0]], "keep": [[2.0]]})), [[3.0]])

    def test_are_explained_without_being_computed(self):
        before = self.device.cycles()
        report = self.device.eval("a @ a", a=[[1.0] * 64] * 64, explain=True)
        self.assertEqual([p["what"] for p in report.programs], ["matmul 64x64 @ 64x64"])
        self.assertIn("matmul 64x64", str(report))
        self.assertEqual((report.cycles, self.device.cycles()), (0, before))

    def test_are_compared_with_float64(self):
        with self.device.record() as run:
            self.device.eval("softmax(a @ a)", a=[[0.25] * 40] * 40, check=True)
        self.assertEqual(run.reports[0].agreement["verdict"], "verified")

    def test_that_make_no_sense_are_value_errors(self):
        for expression, operands in [("a @ a", {"a": [[1.0, 2.0]]}), ("a +", {"a": 1.0}), ("a + b", {"a": 1.0}), ("a\0", {"a": 1.0}),
                                     ("a", {"a": "text"}), ("a", {"a": [[1.0], [2.0, 3.0]]}), ("a", {"a": [["x"]]}), ("a", {"a": None}),
                                     ("a", {"a": [[[1.0]]]}), ("a + 1", {"a": [2**31]}), ("a + 1", {"a": []}), ("a + 1", {"a": [10**400, 1.0]})]:
            with self.subTest(expression, operands=operands), self.assertRaises(ValueError) as caught:
                self.device.eval(expression, operands)
            self.assertIsInstance(caught.exception, kerr.InvalidArgument)
        for options in [{"format": "fp8"}, {"fidelity": "hifi9"}, {"cores": 0}, {"cores": "many"}, {"timeout_ms": -1}]:
            with self.subTest(options), self.assertRaises(kerr.InvalidArgument):
                self.device.eval("a + 1", a=1.0, **options)

    def test_are_there_without_a_device_too(self):
        self.assertEqual(rows_of(kerr.matmul([[2.0]], [[3.0]])), [[6.0]])
        self.assertEqual(rows_of(kerr.eval("x + y", x=[[2.0]], y=[[3.0]])), [[5.0]])
        self.assertIn("p100a", kerr.devices()["emulated"])


class Tensors(OnADevice):
    def test_have_shape_format_and_place(self):
        t = self.device.tensor([[1.0] * 40] * 33)
        self.assertEqual((t.shape, t.format, t.dtype), ((33, 40), "bf16", "float32"))
        self.assertEqual(repr(t), f"<kerr.Tensor 33x40 bf16 on p100a#{self.device.number}>")
        self.assertEqual((t.place.page_bytes, t.place.bytes), (2048, 4 * 2048))

    def test_are_operands_and_results(self):
        t = self.device.tensor([[1.0, 2.0], [3.0, 4.0]], format="fp32")
        twice = self.device.eval("t + t", t=t, keep=True)
        self.assertIsInstance(twice, kerr.Tensor)
        self.assertEqual(rows_of(self.device.matmul(twice, [[1.0], [1.0]])), [[6.0], [14.0]])

    def test_give_results_their_format(self):
        fp32, bf16 = self.device.tensor([[1.0]], format="fp32"), self.device.tensor([[1.0]])
        self.assertEqual(self.device.eval("t + 1", t=fp32, keep=True).format, "fp32")
        self.assertEqual(self.device.eval("t + 1", t=bf16, keep=True).format, "bf16")
        self.assertEqual(self.device.eval("t + 1", t=[[1.0]], keep=True).format, "bf16")
        self.assertEqual(self.device.eval("t + 1", t=fp32, keep=True, format="bf16").format, "bf16")
        with self.assertRaisesRegex(kerr.InvalidArgument, "bf16 and fp32"):
            self.device.eval("t + u", t=fp32, u=bf16)

    def test_know_their_bits(self):
        t = self.device.tensor([[1.0, -3.140625]])
        self.assertEqual(rows_of(t.bits()), [[0x3F80, 0xC049]])
        self.assertEqual(rows_of(self.device.tensor([[1.5]], format="fp32").bits()), [[0x3FC00000]])
        self.assertEqual(rows_of(self.device.tensor([[7, 8]]).bits()), [[7, 8]])
        with self.assertRaises(kerr.Unsupported):
            self.device.tensor([[1.5]], format="fp16").bits()
        bits = memoryview(array.array("H", [0x3F80, 0xC049])).cast("B").cast("H", (1, 2))
        self.assertEqual(rows_of(self.device.tensor(bits, dtype="bfloat16").read()), [[1.0, -3.140625]])
        for value, dtype in [(bits, "float16"), ([[1.0]], "bfloat16")]:
            with self.assertRaises(kerr.InvalidArgument):
                self.device.tensor(value, dtype=dtype)

    def test_of_every_bf16_number_come_back_as_they_were(self):
        finite = [bits for bits in range(1 << 16) if bits >> 7 & 255 != 255 and (bits >> 7 & 255 != 0 or bits & 127 == 0)]
        t = self.device.tensor(memoryview(array.array("H", finite)), dtype="bfloat16")
        self.assertEqual(rows_of(t.bits())[0], finite)
        widened = struct.unpack(f"{len(finite)}f", struct.pack(f"{len(finite)}I", *[bits << 16 for bits in finite]))
        self.assertEqual(rows_of(t.read())[0], list(widened))

    def test_can_be_freed_twice_but_not_used_afterwards(self):
        t = self.device.tensor([[1.0]])
        t.free()
        t.free()
        for use in (t.read, t.bits, lambda: self.device.eval("t + 1", t=t)):
            with self.assertRaisesRegex(kerr.InvalidArgument, "freed"):
                use()
        self.assertIn("freed", repr(t))

    def test_of_another_device_are_refused(self):
        with kerr.Device("p100a", threads=1) as other:
            t = other.tensor([[1.0]])
            with self.assertRaisesRegex(kerr.InvalidArgument, "another device"):
                self.device.eval("t + 1", t=t)
        with self.assertRaises(kerr.Error):
            t.read()
        t.free()

    def test_keep_their_device_alive(self):
        t = kerr.Device("p100a", threads=1).tensor([[5.0]])
        self.assertEqual(rows_of(t.read()), [[5.0]])

    def test_leave_nothing_behind(self):
        before = self.device.info()
        for i in range(300):
            t = self.device.tensor([[float(i)]])
            self.device.eval("t + 1", t=t, keep=True)
        del t
        after = self.device.info()
        self.assertEqual((after["memory"]["used"], after["tensors"]), (before["memory"]["used"], before["tensors"]))

    @unittest.skipUnless(os.path.exists("/proc/self/statm"), "no /proc here")
    def test_take_no_memory_of_the_host_either(self):
        ran = subprocess.run([sys.executable, "-c", textwrap.dedent(CALLS)], capture_output=True, text=True, timeout=280)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        # 600 results or reports of errors that stay would be more: each has some hundred bytes.
        self.assertLess(int(ran.stdout), 100_000)

    def test_come_back_with_a_snapshot(self):
        with tempfile.TemporaryDirectory() as folder:
            t = self.device.tensor([[3.0, 4.0]])
            self.device.snapshot(os.path.join(folder, "device"))
            u = self.device.eval("t * 2", t=t, keep=True)
            self.device.restore(os.path.join(folder, "device"))
            self.assertEqual(rows_of(t.read()), [[3.0, 4.0]])
            self.assertEqual(rows_of(self.device.eval("t * 2", t=t)), [[6.0, 8.0]])
            u.free()
            with self.assertRaises(kerr.Error):
                self.device.restore(os.path.join(folder, "none"))


class Arrays(OnADevice):
    def taken(self, value, **options):
        return rows_of(self.device.tensor(value, format="fp32", **options).read())

    def test_of_all_letters_are_taken(self):
        for letter in "fdbBhHilLqQI":
            with self.subTest(letter):
                numbers = memoryview(array.array(letter, [1, 2, 3, 4, 5, 6])).cast("B").cast(letter, (2, 3))
                self.assertEqual(self.taken(numbers), [[1, 2, 3], [4, 5, 6]])
        self.assertEqual(self.taken([[True, False]]), [[1, 0]])

    def test_of_64_bits_must_fit_32(self):
        self.assertEqual(self.taken(array.array("q", [2**31 - 1, -5])), [[2**31 - 1, -5]])
        with self.assertRaisesRegex(kerr.InvalidArgument, str(2**31)):
            self.device.tensor(array.array("q", [1, 2**31]))

    def test_with_an_interface_alone_are_taken(self):
        class Interface:
            __array_interface__ = {"shape": (1, 2), "typestr": "<f4", "data": struct.pack("2f", 1, 2), "version": 3}

        class Short:
            __array_interface__ = {"shape": (9, 9), "typestr": "<f4", "data": b"1234", "version": 3}

        self.assertEqual(self.taken(Interface()), [[1, 2]])
        class Negative:
            __array_interface__ = {"shape": (-1,), "typestr": "|u1", "data": (1, False), "version": 3}

        with self.assertRaisesRegex(kerr.InvalidArgument, "4 bytes"):
            self.device.tensor(Short())
        with self.assertRaisesRegex(kerr.InvalidArgument, "shape"):
            self.device.tensor(Negative())

    def test_that_are_read_only_or_have_gaps_are_copied(self):
        self.assertEqual(self.taken(memoryview(struct.pack("4f", 1, 2, 3, 4)).cast("f")[::2]), [[1, 3]])

    def test_of_bytes_without_numbers_are_refused(self):
        with self.assertRaises(kerr.InvalidArgument):
            self.device.tensor(memoryview(b"abcd").cast("c"))

    @with_numpy
    def test_of_numpy_come_and_go(self):
        rng = np.random.default_rng(1)
        a = rng.normal(size=(70, 50)).astype(np.float32)
        self.assertTrue(np.array_equal(self.device.tensor(a, format="fp32").numpy(), a))
        for value in (a.T, a[::2, 1:], np.asfortranarray(a), a.astype(">f4"), a.astype(np.float64)):
            self.assertTrue(np.array_equal(self.device.tensor(value, format="fp32").numpy(), value))
        for dtype in ("int8", "uint8", "int16", "uint16", "int32", "int64", "uint32"):
            with self.subTest(dtype):
                n = np.arange(12, dtype=dtype).reshape(3, 4)
                self.assertTrue(np.array_equal(self.device.tensor(n).numpy(), n))
        half = np.array([[1.5, -2, 0.25]], np.float16)
        self.assertTrue(np.array_equal(self.device.tensor(half, format="fp16").numpy(), half))
        self.assertEqual(self.device.tensor(np.float32(2.5)).shape, (1, 1))

    @with_numpy
    def test_of_results_are_numpys(self):
        rng = np.random.default_rng(2)
        a, b = rng.normal(size=(40, 64)), rng.normal(size=(64, 33))
        c = self.device.matmul(a, b, format="fp32", fidelity="hifi4", accumulate="fp32")
        self.assertIsInstance(c, np.ndarray)
        self.assertTrue(np.allclose(c, a @ b, atol=0.05))
        self.assertTrue(c.flags.writeable)
        t = self.device.tensor(a)
        self.assertTrue(np.array_equal(np.asarray(t), t.read()))
        self.assertEqual(np.asarray(t, np.float64).dtype, np.float64)
        self.assertEqual(np.sum(self.device.tensor([[1, 2]])), 3)
        with self.assertRaises(kerr.Unsupported if not _has_ml_dtypes() else AssertionError):
            t.numpy("bfloat16")
            raise AssertionError

    @with_numpy
    def test_of_nan_and_infinity_stay_what_they_are(self):
        a = np.array([[np.nan, np.inf, -np.inf, 0.0]], np.float32)
        self.assertTrue(np.array_equal(self.device.tensor(a, format="fp32").numpy(), a, equal_nan=True))
        with self.assertRaises(kerr.InvalidArgument):
            self.device.tensor(a, format="bfp8")


def _has_ml_dtypes():
    try:
        import ml_dtypes  # noqa: F401
    except ImportError:
        return False
    return True


class Threads(unittest.TestCase):
    def test_run_two_devices_at_once(self):
        """Each device waits, inside a call, for the other to be inside one."""
        inside, both = [threading.Event(), threading.Event()], threading.Barrier(2)
        met = []

        def work(mine, others):
            def progress(done, total, text):
                inside[mine].set()
                if inside[others].wait(60):
                    met.append(mine)

            with kerr.Device("p100a", threads=1, progress=progress, progress_ms=1) as device:
                both.wait()
                a = device.tensor([[math.sin(i * j) for j in range(256)] for i in range(256)])
                until = time.monotonic() + 60
                while mine not in met and time.monotonic() < until:
                    results.append(bytes(memoryview(device.matmul(a, a)).cast("B")))

        results = []
        threads = [threading.Thread(target=work, args=pair) for pair in ((0, 1), (1, 0))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(met), {0, 1})
        self.assertEqual(len(set(results)), 1)

    def test_share_a_device(self):
        with kerr.Device("p100a", threads=1) as device:
            wrong = []

            def work(number):
                for _ in range(20):
                    if rows_of(device.eval("a + 1", a=[[float(number)]])) != [[number + 1.0]]:
                        wrong.append(number)

            threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
