"""The renderer, without tinygrad: what becomes of UOps of four releases."""

import unittest

import kerr
import recorded
from kerr._uops import UnsupportedUOp, literal, loop_program


def text_of(*rows):
    return loop_program(recorded.decode(rows))


ADD_ONE = [
    ["PARAM", "float", [], {"slot": 0, "addrspace": "GLOBAL", "vmin_vmax": None, "name": None, "elements": 8}],
    ["PARAM", "float", [], {"slot": 3, "addrspace": "GLOBAL", "vmin_vmax": None, "name": None, "elements": 8}],
    ["CONST", "weakint", [], 8],
    ["CAST", "int", [2], None],
    ["RANGE", "int", [3], [0, "WEAK"]],
    ["INDEX", "float", [1, 4], None],
    ["LOAD", "float", [5], None],
    ["CONST", "weakint", [], 1],
    ["CAST", "float", [7], None],
    ["ADD", "float", [6, 8], None],
    ["INDEX", "float", [0, 4], None],
    ["STORE", "void", [10, 9], None],
    ["END", "void", [11, 4], None],
    ["SINK", "void", [12], "add_one"],
]


def changed(rows, **others):
    """`others`: r5=[...] replaces row 5."""
    return [others.get(f"r{i}", row) for i, row in enumerate(rows)]


class Literals(unittest.TestCase):
    def test_integers_wrap_around_the_type(self):
        self.assertEqual(literal("u8", -1), "u8:255")
        self.assertEqual(literal("i8", 200), "i8:-56")
        self.assertEqual(literal("u64", -1), "u64:18446744073709551615")
        self.assertEqual(literal("i32", 2.9), "i32:2")
        self.assertEqual(literal("i32", True), "i32:1")

    def test_floats_are_written_as_python_writes_them(self):
        self.assertEqual(literal("f32", -0.0), "f32:-0.0")
        self.assertEqual(literal("f32", 3), "f32:3.0")
        self.assertEqual(literal("f32", float("-inf")), "f32:-inf")
        self.assertEqual(literal("f16", float("nan")), "f16:nan")

    def test_floats_beyond_the_type_are_infinite(self):
        self.assertEqual(literal("f32", 1e300), "f32:inf")
        self.assertEqual(literal("f32", -(10**400)), "f32:-inf")
        self.assertEqual(literal("f64", 1e300), "f64:1e+300")

    def test_bools_are_words(self):
        self.assertEqual(literal("bool", 1), "bool:True")
        self.assertEqual(literal("bool", 0.0), "bool:False")

    def test_infinity_is_no_integer(self):
        with self.assertRaises(UnsupportedUOp):
            literal("i32", float("inf"))


class Translation(unittest.TestCase):
    def test_a_list_becomes_one_line_for_each_operation(self):
        self.assertEqual(text_of(*ADD_ONE), "kernel add_one\nparam p0 f32 8\nparam p3 f32 8\n%4 = loop i32 i32:8 weak\n"
                         "%6 = load f32 p3[%4]\n%9 = add f32 %6 f32:1.0\nstore f32 p0[%4] %9\nend %4\n")

    def test_an_operation_that_is_not_known_is_named(self):
        with self.assertRaisesRegex(UnsupportedUOp, r"kernel 'add_one', UOp 9 FROBNICATE: loop programs have no such operation"):
            text_of(*changed(ADD_ONE, r9=["FROBNICATE", "float", [6, 8], None]))

    def test_a_type_that_is_not_known_is_named(self):
        with self.assertRaisesRegex(UnsupportedUOp, "float8_e4m3"):
            text_of(*changed(ADD_ONE, r6=["LOAD", "float8_e4m3", [5], None]))

    def test_work_items_are_refused(self):
        with self.assertRaisesRegex(UnsupportedUOp, "SPECIAL"):
            text_of(*changed(ADD_ONE, r4=["SPECIAL", "int", [3], None]))

    def test_a_gated_store_has_an_if_of_its_own(self):
        rows = changed(ADD_ONE, r9=["CMPLT", "bool", [4, 3], None], r11=["STORE", "void", [10, 6, 9], None])
        self.assertIn("%9 = cmplt i32 %4 i32:8\nif %9\nstore f32 p0[%4] %6\nendif\nend %4\n", text_of(*rows))

    def test_a_store_inside_the_if_of_its_gate_has_one_if(self):
        rows = ADD_ONE[:9] + [
            ["CMPLT", "bool", [4, 3], None],
            ["INDEX", "float", [0, 4, 9], None],
            ["IF", "void", [9, 10], None],
            ["STORE", "void", [10, 6], None],
            ["ENDIF", "void", [11], None],
            ["END", "void", [12, 4], None],
            ["SINK", "void", [14], "gated"],
        ]
        self.assertIn("if %9\nstore f32 p0[%4] %6\nendif\n", text_of(*rows))

    def test_a_gated_load_names_condition_and_default(self):
        newer = ADD_ONE[:4] + [
            ["RANGE", "int", [3], [0, "WEAK"]],
            ["CMPLT", "bool", [4, 3], None],
            ["INDEX", "float", [1, 4], None],
            ["CONST", "weakfloat", [], 2.5],
            ["CAST", "float", [7], None],
            ["LOAD", "float", [6, 8, 5], None],
        ]
        older = newer[:6] + [
            ["INDEX", "float", [1, 4, 5], None],
            ["CONST", "float.", [], 2.5],
            ["LOAD", "float.", [6, 7], None],
        ]
        self.assertIn("= load f32 p3[%4] %5 f32:2.5\n", text_of(*newer))
        self.assertIn("= load f32 p3[%4] %5 f32:2.5\n", text_of(*older))

    def test_variables_come_in_the_order_in_which_they_are_passed(self):
        variable = {"slot": 2, "addrspace": "ALU", "vmin_vmax": [1, 9], "name": "b", "elements": 1}
        newer = text_of(["PARAM", "int", [], variable], ["PARAM", "int", [], variable | {"slot": 1, "name": "z"}])
        self.assertIn("var %1 i32 z 1 9\nvar %0 i32 b 1 9\n", newer)
        older = text_of(["DEFINE_VAR", "int.", [], ["n", 1, 4]], ["DEFINE_VAR", "int.", [], ["m", 0, 3]])
        self.assertIn("var %1 i32 m 0 3\nvar %0 i32 n 1 4\n", older)

    def test_a_loop_with_a_condition_is_a_do_while(self):
        rows = ADD_ONE[:2] + [
            ["RANGE", "void", [], [0, "LOOP"]],
            ["CONST", "weakint", [], 0],
            ["CAST", "int", [3], None],
            ["INDEX", "float", [1, 4], None],
            ["LOAD", "float", [5], None],
            ["CAST", "bool", [6], None],
            ["NOOP", "void", [], None],
            ["END", "void", [8, 2, 7], None],
        ]
        self.assertIn("do %2\n%6 = load f32 p3[i32:0]\n%7 = cast bool %6\nwhile %2 %7\n", text_of(*rows))

    def test_vectors_are_packed_loaded_and_taken_apart(self):
        rows = ADD_ONE[:4] + [
            ["CONST", "weakint", [], 4],
            ["CAST", "int", [4], None],
            ["SHRINK", "float", [1, 5, 5], None],
            ["LOAD", "float", [6], None],
            ["INDEX", "float", [7, 5], None],
            ["STACK", "float", [8, 8], None],
        ]
        self.assertIn("%7 = load f32x4 p3[i32:4]\n%8 = lane f32 %7 i32:4\n%9 = pack f32x2 %8 %8\n", text_of(*rows))

    def test_a_buffer_can_be_seen_as_one_of_another_type(self):
        rows = ADD_ONE[:4] + [
            ["BITCAST", "int", [1], None],
            ["INDEX", "int", [4, 3], None],
            ["LOAD", "int", [5], None],
            ["INDEX", "float", [1, 3], None],
            ["BITCAST", "unsigned int", [7], None],
            ["LOAD", "unsigned int", [8], None],
        ]
        self.assertIn("%6 = load i32 p3~i32[i32:8]\n%9 = load u32 p3[i32:8]~u32\n", text_of(*rows))


class Recorded(unittest.TestCase):
    """Each list was recorded with a launch whose outcome NumPy has confirmed."""

    PATHS = ("definition", "scalar")

    def check(self, version):
        with kerr.Device("p100a", threads=1) as device:
            count = 0
            for kernel in recorded.kernels(version):
                text = loop_program(kernel["uops"])
                for path in self.PATHS:
                    with self.subTest(kernel["name"], path=path, text=text):
                        program = device.load(kerr.compile("p100a", text, path=path))
                        buffers = [device.alloc(len(data)) for data in kernel["before"]]
                        for buffer, data in zip(buffers, kernel["before"]):
                            buffer.write(data)
                        program.launch([(b, 0, b.bytes) for b in buffers], kernel["numbers"])
                        self.assertEqual([bytes(b.read()) for b in buffers], kernel["after"])
                        count += 1
            self.assertGreaterEqual(count, 24)

    def test_lists_of_v0_11_compute_what_they_did(self):
        self.check("v0.11.0")

    def test_lists_of_v0_12_compute_what_they_did(self):
        self.check("v0.12.0")

    def test_lists_of_v0_13_compute_what_they_did(self):
        self.check("v0.13.0")

    def test_lists_of_head_compute_what_they_did(self):
        self.check("head")


if __name__ == "__main__":
    unittest.main()
