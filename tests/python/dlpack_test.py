"""Arrays of other libraries by DLPack, both ways."""

import gc
import unittest

import kerr
from kerr import _dlpack

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None


class Capsules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.device = kerr.Device("p100a", threads=1)

    @classmethod
    def tearDownClass(cls):
        cls.device.close()

    def test_come_back_to_us(self):
        for value, format in [([[1.0, 2.0], [3.0, 4.5]], "fp32"), ([[1.0, 2.0]], "bf16"), ([[1, -2]], None)]:
            t = self.device.tensor(value, format=format)
            self.assertEqual(self.device.tensor(_Only(t), format="fp32").read().tolist(), value)

    def test_that_nobody_takes_leave_nothing_behind(self):
        t = self.device.tensor([[1.0] * 64])
        for _ in range(100):
            t.__dlpack__()
        gc.collect()
        self.assertEqual(len(_dlpack._given), 0)

    def test_of_other_devices_are_refused(self):
        class Elsewhere:
            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self):
                raise AssertionError

        class Wrong:
            def __dlpack__(self):
                return object()

        with self.assertRaises(kerr.Unsupported):
            self.device.tensor(Elsewhere())
        with self.assertRaises(kerr.InvalidArgument):
            self.device.tensor(Wrong())
        with self.assertRaises(BufferError):
            self.device.tensor([[1.0]]).__dlpack__(dl_device=(2, 0))
        self.assertEqual(self.device.tensor([[1.0]]).__dlpack_device__(), (1, 0))

    @unittest.skipUnless(np, "no NumPy here")
    def test_of_numpy_go_both_ways(self):
        t = self.device.tensor([[1.0, 2.0]], format="fp32")
        taken = np.from_dlpack(t)
        self.assertTrue(np.array_equal(taken, [[1, 2]]))
        del t, taken
        gc.collect()
        self.assertEqual(len(_dlpack._given), 0)
        a = np.arange(24, dtype=np.float32).reshape(4, 6)
        for value in (a, a.T, a[::2, ::3], a[1:1 + 1]):
            self.assertTrue(np.array_equal(self.device.tensor(_Only(value), format="fp32").numpy(), value))

    @unittest.skipUnless(torch, "no torch here")
    def test_of_torch_keep_bfloat16(self):
        t = self.device.tensor([[1.0, -3.140625]])
        taken = torch.from_dlpack(t)
        self.assertEqual(taken.dtype, torch.bfloat16)
        self.assertEqual(taken.float().tolist(), [[1.0, -3.140625]])
        self.assertEqual(self.device.tensor(torch.tensor([[1.5], [2.5]]).bfloat16()).bits().tolist(), [[0x3FC0], [0x4020]])
        self.assertEqual(self.device.eval("x + 1", x=torch.ones(3, 2).t(), format="fp32").tolist(), [[2.0] * 3] * 2)


class _Only:
    """An array that has no other way out."""

    def __init__(self, value):
        self.value = value

    def __dlpack__(self):
        return self.value.__dlpack__()

    def __dlpack_device__(self):
        return self.value.__dlpack_device__()


if __name__ == "__main__":
    unittest.main()
