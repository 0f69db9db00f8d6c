"""Recordings of a device, utilisation, pictures, progress, and calls that somebody ends."""

import contextlib
import io
import json
import os
import pathlib
import random
import signal
import tempfile
import threading
import time
import unittest
import xml.dom.minidom

import kerr


class Recordings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.device = kerr.Device("p100a", threads=1, timing="exact", watch="timeline")
        x = cls.device.tensor([[0.5] * 64] * 64)
        with cls.device.record() as cls.run_:
            cls.device.matmul(x, x, keep=True)

    @classmethod
    def tearDownClass(cls):
        cls.device.close()

    def test_know_programs_and_times(self):
        run = self.run_
        self.assertEqual([p["what"] for p in run.reports[0].programs], ["matmul 64x64 @ 64x64"])
        self.assertEqual(run.reports[0].cycles, run.cycles)
        self.assertAlmostEqual(run.ns, run.cycles * 1000 / 1350, delta=2)
        self.assertIn("1 expressions", repr(run))

    def test_know_how_busy_units_were(self):
        busy = self.run_.utilisation()
        self.assertTrue(0 < busy.unit("FPU") < 1)
        self.assertEqual(busy.unit("no such unit"), 0)
        self.assertIn("FPU", str(busy))
        self.assertIn("<td>FPU</td>", busy._repr_html_())
        self.assertGreater(busy["end_cycles"], busy["begin_cycles"])

    def test_become_files_for_trace_viewers(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.json"
            self.run_.timeline().save(path)
            self.assertTrue(json.loads(path.read_text())["traceEvents"])
            with self.assertRaises(kerr.Error) as caught:
                self.run_.timeline().save(os.path.join(folder, "no/such"))
            self.assertEqual(caught.exception.category, "Io")

    def test_become_pictures(self):
        html = self.run_._repr_html_()
        self.assertEqual((html.count("<svg"), html.count("<table")), (2, 1))
        for svg in (self.run_.timeline().svg(), self.run_.heat_map("a <title>")._repr_svg_()):
            xml.dom.minidom.parseString(svg)
        self.assertIn("FPU", self.run_.timeline().svg())
        self.assertIn("works", self.run_.timeline().svg())
        with self.assertRaisesRegex(kerr.InvalidArgument, r"\(99,99\)"):
            self.run_.timeline().svg("(99,99)")

    def test_say_what_they_need(self):
        with kerr.Device("p100a", threads=1) as device:
            with device.record() as run:
                device.eval("a + 1", a=[[1.0]])
                with self.assertRaises(kerr.InvalidArgument):
                    run.utilisation()
            self.assertGreater(run.cycles, 0)
            self.assertIsNone(run.ns)
            with self.assertRaisesRegex(kerr.Unsupported, "timeline"):
                run.utilisation()
            with self.assertRaises(kerr.InvalidArgument), device.record(snapshot="x"):
                pass

    def test_that_cannot_begin_leave_the_device_free_for_another(self):
        with tempfile.TemporaryDirectory() as folder, kerr.Device("p100a", threads=1) as device:
            log = os.path.join(folder, "log")
            with self.assertRaises(kerr.Error), device.record(log, snapshot=os.path.join(folder, "no/such")):
                pass
            with device.record(os.path.join(folder, "another")):
                device.eval("a + 1", a=[[1.0]])

    def test_become_logs_for_a_replay(self):
        with tempfile.TemporaryDirectory() as folder, kerr.Device("p100a", threads=1) as device:
            log, snapshot = os.path.join(folder, "log"), os.path.join(folder, "snapshot")
            with device.record(log, snapshot=snapshot):
                device.eval("a + 1", a=[[1.0]])
            self.assertGreater(os.path.getsize(log), 1000)
            self.assertGreater(os.path.getsize(snapshot), 1000)


def large(device):
    """A product that takes long."""
    x = device.tensor([[0.5] * 1024] * 1024)
    return x, lambda: device.matmul(x, x, keep=True, fidelity="hifi4", format="fp32")


class LongCalls(unittest.TestCase):
    def test_say_how_far_they_are(self):
        told = []
        with kerr.Device("p100a", threads=1, progress=lambda *report: told.append(report), progress_ms=1) as device:
            device.eval("softmax(a @ a) @ a", a=[[0.5] * 256] * 256)
        self.assertTrue(told)
        self.assertTrue(any(total > 1 and 0 <= done < total for done, total, text in told), told)
        self.assertTrue(all("eval" in text or total == 0 for done, total, text in told))

    def test_show_a_bar(self):
        with contextlib.redirect_stderr(io.StringIO()) as shown, kerr.Device("p100a", threads=1, progress=True, progress_ms=1) as device:
            device.matmul([[0.5] * 256] * 256, [[0.5] * 256] * 256)
        self.assertIn("kerr: [", shown.getvalue())
        self.assertTrue(shown.getvalue().endswith("\r"))

    def test_end_by_an_exception_of_their_progress(self):
        class Enough(Exception):
            pass

        def progress(done, total, text):
            raise Enough

        with kerr.Device("p100a", threads=1, progress=progress, progress_ms=1) as device:
            x, multiply = large(device)
            with self.assertRaises(Enough):
                multiply()

    def test_end_at_control_c_and_the_device_goes_on(self):
        with kerr.Device("p100a", threads=1) as device:
            x, multiply = large(device)
            for _ in range(3):
                timer = threading.Timer(random.Random(_).uniform(0.05, 0.3), lambda: os.kill(os.getpid(), signal.SIGINT))
                timer.start()
                with self.assertRaises(KeyboardInterrupt):
                    while True:
                        multiply()
                self.assertEqual(x.read().tolist()[1023][1023], 0.5)
            self.assertEqual(device.eval("sum(x)", x=x, format="fp32").tolist(), [[512 * 1024]])

    def test_end_when_another_thread_says_so(self):
        with kerr.Device("p100a", threads=1) as device:
            x, multiply = large(device)
            stop = threading.Event()

            def interrupt():
                while not stop.wait(0.05):
                    device.interrupt()

            thread = threading.Thread(target=interrupt)
            thread.start()
            try:
                with self.assertRaises(kerr.Interrupted):
                    while True:
                        multiply()
            finally:
                stop.set()
                thread.join()

    def test_end_at_their_time(self):
        with kerr.Device("p100a", threads=1) as device:
            x, multiply = large(device)
            begin = time.monotonic()
            with self.assertRaisesRegex(kerr.Timeout, "it has not ended within 1 ms"):
                device.matmul(x, x, timeout_ms=1)
            self.assertLess(time.monotonic() - begin, 60)


if __name__ == "__main__":
    unittest.main()
