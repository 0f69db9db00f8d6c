"""Programs of pages run, and print what the pages say."""

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]


def parts_of(page):
    """The blocks of Python of a page, each with the indented block below it: what it prints."""
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        if lines[at] != "```python":
            at += 1
            continue
        end = lines.index("```", at)
        code, at, printed = "\n" * (at + 1) + "\n".join(lines[at + 1:end]) + "\n", end + 1, []
        while at < len(lines) and (not lines[at] or lines[at].startswith("    ")):
            printed.append(lines[at][4:])
            at += 1
        yield code, "\n".join(printed).strip("\n")


def matches(said, printed):
    """On a page "..." stands for anything: in a line for any text, alone in a line for any number of lines."""
    pattern = ""
    for line in said.splitlines():
        pattern += r"(?:.*\n)*" if line == "..." else ".*".join(re.escape(part) for part in line.split("...")) + r"\n"
    return re.fullmatch(pattern, printed if printed.endswith("\n") or not printed else printed + "\n") is not None


class Pages(unittest.TestCase):
    def test_of_the_guide_run_from_top_to_bottom(self):
        page = ROOT / "docs/guide/python.md"
        # In a process of its own, with devices numbered from 0.
        if "KERR_PAGE" not in os.environ:
            with tempfile.TemporaryDirectory() as folder:
                ran = subprocess.run([sys.executable, "-m", "unittest", "pages_test.Pages.test_of_the_guide_run_from_top_to_bottom"], text=True,
                                     capture_output=True, env={**os.environ, "KERR_PAGE": folder})
            self.assertEqual(ran.returncode, 0, ran.stderr)
            return
        os.chdir(os.environ["KERR_PAGE"])
        names, count = {}, 0
        for code, said in parts_of(page.read_text()):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(code, str(page), "exec"), names)
            self.assertTrue(matches(said, out.getvalue()), f"\nthe page says\n{said}\nand it prints\n{out.getvalue()}")
            count += 1
        self.assertGreaterEqual(count, 6)

    def test_of_examples_say_what_they_print(self):
        page = (ROOT / "examples/python/README.md").read_text()
        commands = re.findall(r"^    \$ python3 (\S+)(.*)\n((?:    (?!\$).*\n)*)", page, re.M)
        self.assertEqual(sorted(os.path.basename(file) for file, *_ in commands),
                         sorted(path.name for path in (ROOT / "examples/python").glob("*.py")))
        for file, arguments, said in commands:
            with self.subTest(file), tempfile.TemporaryDirectory() as folder:
                ran = subprocess.run([sys.executable, ROOT / file, *arguments.split()], cwd=folder, capture_output=True, text=True)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                said = "\n".join(line[4:] for line in said.splitlines())
                self.assertTrue(matches(said, ran.stdout), f"\nthe page says\n{said}\nand it prints\n{ran.stdout}")

    def test_are_compared_line_by_line(self):
        self.assertTrue(matches("a\n...\nb", "a\nx\ny\nb\n"))
        self.assertTrue(matches("a ... c", "a b c"))
        self.assertFalse(matches("a", "a\nb\n"))
        self.assertFalse(matches("a\nb", "a\n"))


if __name__ == "__main__":
    unittest.main()
