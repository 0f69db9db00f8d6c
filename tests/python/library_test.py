"""Devices, buffers and programs from Python, and errors as exceptions."""

import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import kerr

ADD = "kernel add\nparam p0 f32 4\nparam p1 f32 4\n%1 = loop i32 i32:4 weak\n%2 = load f32 p1[%1]\n%3 = add f32 %2 f32:1.0\n" \
      "store f32 p0[%1] %3\nend %1\n"
ENDLESS = "kernel endless\nparam p0 i32 1\ndo %1\nstore i32 p0[i32:0] i32:1\n%2 = load i32 p0[i32:0]\n%3 = cmpne i32 %2 i32:0\nwhile %1 %3\n"
OUTSIDE = "kernel outside\nparam p0 i32 4\nstore i32 p0[i32:4] i32:1\n"
SCALED = "kernel scaled\nparam p0 i32 8\nvar %1 i32 n 1 8\n%2 = loop i32 %1 weak\nstore i32 p0[%2] %2\nend %2\n"

ONE_TWO = bytes.fromhex("0000803f 00000040 00004040 00008040")  # 1, 2, 3, 4
TWO_THREE = bytes.fromhex("00000040 00004040 00008040 0000a040")


class Programs(unittest.TestCase):
    def setUp(self):
        self.device = kerr.Device("p100a", threads=1)
        self.addCleanup(self.device.close)

    def load(self, text, **options):
        return self.device.load(kerr.compile("p100a", text, path="definition", **options))

    def test_compute(self):
        to, source = self.device.alloc(16), self.device.alloc(16)
        source.write(ONE_TWO)
        self.assertIsNone(self.load(ADD).launch([(to, 0, 16), (source, 0, 16)]))
        self.assertEqual(to.read(), TWO_THREE)

    def test_take_parts_of_buffers(self):
        buffer = self.device.alloc(64)
        buffer.write(b"\xee" * 64)
        buffer.write(ONE_TWO, 40)
        self.load(ADD).launch([(buffer, 4, 16), (buffer, 40, 16)])
        self.assertEqual(buffer.read(), b"\xee" * 4 + TWO_THREE + b"\xee" * 20 + ONE_TWO + b"\xee" * 8)

    def test_take_numbers(self):
        buffer = self.device.alloc(32)
        buffer.write(bytes(32))
        self.load(SCALED).launch([(buffer, 0, 32)], [3])
        self.assertEqual(memoryview(buffer.read()).cast("i").tolist(), [0, 1, 2, 0, 0, 0, 0, 0])
        with self.assertRaises(kerr.Error):
            self.load(SCALED).launch([(buffer, 0, 32)], [9])

    def test_that_are_none_say_where(self):
        with self.assertRaisesRegex(kerr.ProgramError, "line 2") as caught:
            kerr.compile("p100a", "kernel k\nfrobnicate\n")
        self.assertEqual(caught.exception.where[0], 2)
        self.assertIsInstance(caught.exception, ValueError)

    def test_with_zero_bytes_are_none(self):
        with self.assertRaises(kerr.ProgramError):
            kerr.compile("p100a", ADD + "\0" + ADD)

    def test_of_a_hundred_thousand_lines_compile(self):
        lines = ["kernel long", "param p0 i32 1", "%0 = add i32 i32:1 i32:1"]
        lines += [f"%{i} = add i32 %{i - 1} i32:1" for i in range(1, 100000)] + ["store i32 p0[i32:0] %99999"]
        buffer = self.device.alloc(4)
        self.load("\n".join(lines)).launch([(buffer, 0, 4)])
        self.assertEqual(int.from_bytes(buffer.read(), "little"), 100001)

    def test_of_endless_extents_time_out(self):
        text = "kernel huge\nparam p0 i32 1\n%1 = loop i64 i64:9000000000000000000 weak\nstore i32 p0[i32:0] i32:1\nend %1\n"
        for path in ("definition", "scalar"):
            with self.subTest(path), self.assertRaises(kerr.Timeout):
                program = self.device.load(kerr.compile("p100a", text, path=path))
                program.launch([(self.device.alloc(4), 0, 4)], timeout_ms=100)

    def test_that_store_outside_their_parameter_are_faults_and_the_next_one_works(self):
        buffer = self.device.alloc(16)
        with self.assertRaisesRegex(kerr.Fault, "line 3"):
            self.load(OUTSIDE).launch([(buffer, 0, 16)])
        buffer.write(ONE_TWO)
        self.load(ADD).launch([(buffer, 0, 16), (buffer, 0, 16)])
        self.assertEqual(buffer.read(), TWO_THREE)

    def test_that_never_end_time_out(self):
        with self.assertRaises(kerr.Timeout) as caught:
            self.load(ENDLESS).launch([(self.device.alloc(4), 0, 4)], timeout_ms=200)
        self.assertIsInstance(caught.exception, TimeoutError)

    def test_that_never_end_take_no_longer_than_the_device_allows(self):
        with kerr.Device("p100a", threads=1, timeout_ms=150) as device:
            buffer = device.alloc(4)
            for path in ("definition", "scalar"):
                program = device.load(kerr.compile("p100a", ENDLESS, path=path))
                with self.subTest(path), self.assertRaisesRegex(kerr.Timeout, "it has not ended within 150 ms"):
                    program.launch([(buffer, 0, 4)])

    def test_end_at_control_c_and_the_next_one_works(self):
        program, buffer = self.load(ENDLESS), self.device.alloc(16)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        start = time.monotonic()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            program.launch([(buffer, 0, 4)], timeout_ms=20000)
        self.assertLess(time.monotonic() - start, 5)
        buffer.write(ONE_TWO)
        self.load(ADD).launch([(buffer, 0, 16), (buffer, 0, 16)])
        self.assertEqual(buffer.read(), TWO_THREE)

    def test_end_when_another_thread_says_so(self):
        program, buffer = self.load(ENDLESS), self.device.alloc(4)
        timer = threading.Timer(0.2, self.device.interrupt)
        timer.start()
        with self.assertRaises(kerr.Interrupted):
            program.launch([(buffer, 0, 4)], timeout_ms=20000)

    def test_explain_themselves(self):
        explanation = kerr.explain(kerr.compile("p100a", ADD))
        self.assertEqual((explanation["name"], explanation["board"]), ("add", "p100a"))
        self.assertEqual([p["bytes"] for p in explanation["parameters"]], [16, 16])

    def test_of_another_board_are_refused(self):
        with self.assertRaises(kerr.Error) as caught:
            self.device.load(kerr.compile("p150", ADD))
        self.assertEqual(caught.exception.category, "BadBlob")

    def test_that_are_damaged_are_refused(self):
        blob = bytearray(kerr.compile("p100a", ADD))
        blob[len(blob) // 2] ^= 1
        with self.assertRaises(kerr.Error):
            self.device.load(bytes(blob))


class Devices(unittest.TestCase):
    def test_are_closed_by_with(self):
        with kerr.Device("p100a", threads=1) as device:
            buffer = device.alloc(4)
            program = device.load(kerr.compile("p100a", ADD))
        with self.assertRaisesRegex(kerr.InvalidArgument, "closed"):
            device.alloc(4)
        with self.assertRaises(kerr.Error):
            buffer.read()
        with self.assertRaises(kerr.Error):
            program.launch([])
        device.close()
        buffer.free()
        program.free()

    def test_refuse_options_and_boards_that_there_are_none_of(self):
        with self.assertRaises(kerr.Error):
            kerr.Device("p100a", frobnicate=1)
        with self.assertRaises(kerr.Error):
            kerr.Device("p9000")

    def test_belong_to_the_process_that_opened_them(self):
        with kerr.Device("p100a", threads=1) as device:
            buffer = device.alloc(4)
            child = os.fork()
            if child == 0:
                try:
                    buffer.read()
                    os._exit(1)
                except kerr.Error as problem:
                    os._exit(0 if problem.category == "WrongProcess" else 2)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            buffer.write(b"abcd")
            self.assertEqual(buffer.read(), b"abcd")

    def test_can_be_opened_by_a_child_of_a_process_whose_threads_open_some(self):
        code = """
            import os, signal, threading, kerr
            stop = threading.Event()
            def opens():
                while not stop.is_set():
                    kerr.Device("p100a", threads=1).close()
            thread = threading.Thread(target=opens)
            thread.start()
            for _ in range(20):
                child = os.fork()
                if child == 0:
                    signal.alarm(20)
                    kerr.Device("p100a", threads=1).close()
                    os._exit(0)
                print(os.waitpid(child, 0)[1])
            stop.set()
            thread.join()
        """
        run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=200)
        self.assertEqual(run.stdout, "0\n" * 20, run.stderr)

    def test_have_time_in_exact_timing_only(self):
        with kerr.Device("p100a", threads=1, timing="exact") as device:
            self.assertEqual(device.timing, "exact")


class Buffers(unittest.TestCase):
    def setUp(self):
        self.device = kerr.Device("p100a", threads=1)
        self.addCleanup(self.device.close)

    def test_keep_bytes(self):
        data = random.Random(1).randbytes(3 * 4096 + 5)
        buffer = self.device.alloc(len(data))
        buffer.write(data)
        self.assertEqual(buffer.read(), data)
        self.assertEqual(buffer.read(4090, 20), data[4090:4110])

    def test_read_into_what_can_be_written_only(self):
        buffer = self.device.alloc(4)
        with self.assertRaises(kerr.InvalidArgument):
            buffer.read_into(b"1234")

    def test_refuse_what_lies_outside(self):
        with self.assertRaises(kerr.Error):
            self.device.alloc(4).write(b"12345")
        for offset, size in [(5, None), (0, -1), (-1, 1)]:
            with self.subTest((offset, size)), self.assertRaisesRegex(kerr.InvalidArgument, "do not lie in a buffer of 4 bytes"):
                self.device.alloc(4).read(offset, size)

    def test_beyond_the_memory_are_a_memory_error(self):
        with self.assertRaises(MemoryError):
            held = [self.device.alloc(2 << 30) for _ in range(100)]
            del held

    def test_can_be_freed_twice_but_not_used_afterwards(self):
        buffer = self.device.alloc(4)
        buffer.free()
        buffer.free()
        with self.assertRaisesRegex(kerr.InvalidArgument, "freed"):
            buffer.read()

    def test_leave_nothing_behind(self):
        before = self.device.info()["memory"]["used"]
        order = random.Random(2)
        held = []
        for _ in range(20000):
            held.append(self.device.alloc(order.randrange(1, 20000)))
            if len(held) > 50:
                held.pop(order.randrange(len(held)))
        held.clear()
        info = self.device.info()
        self.assertEqual((info["memory"]["used"], info["buffers"]), (before, 0))


class Arguments(unittest.TestCase):
    """Mistakes that the library would not see, or would see as something else: numbers are cut to 64 bits on the way to C."""

    def setUp(self):
        self.device = kerr.Device("p100a", threads=1)
        self.addCleanup(self.device.close)

    def refused(self, sentence, call):
        with self.subTest(sentence), self.assertRaisesRegex(kerr.InvalidArgument, sentence):
            call()

    def test_that_are_no_whole_numbers_of_64_bits_are_named(self):
        buffer = self.device.alloc(16)
        buffer.write(ONE_TWO)
        program = self.device.load(kerr.compile("p100a", SCALED))
        data = bytearray(4)
        for value in (-1, 2**64, 10**5000, float("nan"), 1.5, "1", None, [1]):
            self.refused(r"alloc\(\): bytes must be a whole number", lambda: self.device.alloc(value))
            self.refused(r"write\(\): offset must be a whole number", lambda: buffer.write(data, value))
            self.refused(r"read_into\(\): offset must be a whole number", lambda: buffer.read_into(data, value))
            self.refused(r"a view's offset must be a whole number", lambda: program.launch([(buffer, value, 4)], [1]))
            self.refused(r"a view's bytes must be a whole number", lambda: program.launch([(buffer, 0, value)], [1]))
        for value in (2**63, -2**63 - 1, float("nan"), 1.5, "1", None):
            self.refused(r"launch\(\): each of numbers must be a whole number", lambda: program.launch([(buffer, 0, 16)], [value]))
        for value in (2**64, float("nan"), "1"):
            self.refused(r"read\(\): offset must be a whole number", lambda: buffer.read(value))
            self.refused(r"read\(\): bytes must be a whole number", lambda: buffer.read(0, value))
        self.refused("5 bytes at offset 12 do not lie", lambda: buffer.read(12, 5))
        self.assertEqual(buffer.read(), ONE_TWO)

    def test_of_another_kind_are_named(self):
        buffer = self.device.alloc(16)
        program = self.device.load(kerr.compile("p100a", ADD))
        for value in (None, 3, b"text", "\udc80"):
            self.refused("Device.*name must be a text", lambda: kerr.Device(value))
            self.refused("board must be a text", lambda: kerr.compile(value, ADD))
            self.refused("text must be a text", lambda: kerr.compile("p100a", value))
        for value in (None, 3, "text"):
            self.refused("blob must be the bytes", lambda: self.device.load(value))
            self.refused("blob must be the bytes", lambda: kerr.explain(value))
            self.refused("data must be bytes", lambda: buffer.write(value))
            self.refused("data must be bytes", lambda: buffer.read_into(value))
            self.refused("the buffer of a view must be a Buffer", lambda: program.launch([(value, 0, 16)] * 2))
            self.refused("a view must be a buffer, an offset and bytes", lambda: program.launch([value] * 2))
        self.refused("views must be a list", lambda: program.launch(None))
        self.refused("numbers must be a list", lambda: program.launch([(buffer, 0, 16)] * 2, 3))

    def test_of_options_are_named(self):
        for value in (float("nan"), float("inf"), object(), {1}, "\udc80"):
            self.refused("option 'threads' must be a number, a text or a truth value", lambda: kerr.Device("p100a", threads=value))
        for value in (-1, 0, 10**30, 1.5, "1", True, [1]):
            self.refused("option 'threads' must be a whole number from 1 to", lambda: kerr.Device("p100a", threads=value))
            self.refused("option 'max_harts' must be a whole number from 1 to", lambda: kerr.compile("p100a", ADD, max_harts=value))
        self.refused("option 'check_bounds' must be true or false", lambda: kerr.compile("p100a", ADD, check_bounds=1))
        self.refused("option 'path' must be one of", lambda: kerr.compile("p100a", ADD, path="fast"))


class Errors(unittest.TestCase):
    def test_are_pickled_whole(self):
        try:
            kerr.compile("p100a", "kernel k\nfrobnicate\n")
        except kerr.ProgramError as problem:
            again = pickle.loads(pickle.dumps(problem))
            self.assertEqual((type(again), str(again), again.report, again.where),
                             (kerr.ProgramError, str(problem), problem.report, problem.where))

    def test_are_those_that_python_has_for_such_things(self):
        for ours, pythons in [(kerr.InvalidArgument, ValueError), (kerr.OutOfMemory, MemoryError), (kerr.Timeout, TimeoutError),
                              (kerr.ProgramError, ValueError), (kerr.Fault, RuntimeError)]:
            self.assertTrue(issubclass(ours, pythons))


if __name__ == "__main__":
    unittest.main()
