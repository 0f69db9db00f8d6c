"""The package as others get it: types, wheel, other versions of Python, without NumPy."""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import kerr

PACKAGE = pathlib.Path(kerr.__file__).parents[1]
SMOKE = """
import kerr
t = kerr.Device("p100a", threads=1).tensor([[1.0, 2.0]])
result = t.device.eval("t @ t.T + n", t=t, n=[[1.0]])
assert result.tolist() == [[6.0]], result.tolist()
assert t.bits().tolist() == [[0x3F80, 0x4000]]
print(type(result).__name__)
"""


def run(*command, **environment):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=280, env={**os.environ, **environment})


def pythons():
    """Others of this machine, one of each version."""
    found = {}
    for path in [*glob.glob("/usr/bin/python3.[0-9]*"), *glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3.[0-9]*"))]:
        if path.rsplit(".", 1)[-1].isdigit() and int(path.rsplit(".", 1)[-1]) >= 11:
            found.setdefault(run(path, "-c", "import sys; print(sys.version_info[:3])").stdout, path)
    return list(found.values())


class Package(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mypy"), "no mypy here")
    def test_has_types_that_agree(self):
        with tempfile.TemporaryDirectory() as cache:
            checked = subprocess.run(["mypy", "--config-file", "pyproject.toml", "--cache-dir", cache], cwd=PACKAGE, capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout)

    @unittest.skipUnless(shutil.which("mypy"), "no mypy here")
    def test_has_types_that_others_see(self):
        with tempfile.TemporaryDirectory() as folder:
            user = pathlib.Path(folder) / "user.py"
            user.write_text("import kerr\nreveal_type(kerr.Device().tensor(1.0).shape)\nkerr.Device().tensor(1.0).frobnicate()\n")
            checked = subprocess.run(["mypy", "--cache-dir", folder, user], cwd=folder, capture_output=True, text=True,
                                     env={**os.environ, "MYPYPATH": str(PACKAGE)})
        self.assertIn('"Tuple[builtins.int, builtins.int]"', checked.stdout)
        self.assertIn('has no attribute "frobnicate"', checked.stdout)

    def test_works_without_numpy(self):
        hidden = "import sys\nsys.modules['numpy'] = None\n"
        ran = run(sys.executable, "-c", hidden + SMOKE)
        self.assertEqual((ran.stdout, ran.returncode), ("memoryview\n", 0), ran.stderr)
        ran = run(sys.executable, "-c", hidden + "import kerr\nkerr.Device('p100a', threads=1).tensor([[1.0]]).numpy()\n")
        self.assertIn("ModuleNotFoundError", ran.stderr)

    def test_imports_neither_numpy_nor_the_library(self):
        ran = run(sys.executable, "-c", "import sys, kerr\nprint('numpy' in sys.modules, 'torch' in sys.modules)", KERR_LIBRARY="/no/such/file")
        self.assertEqual(ran.stdout, "False False\n", ran.stderr)

    def test_works_with_other_versions_of_python(self):
        for python in pythons():
            with self.subTest(python):
                ran = run(python, "-c", SMOKE, PYTHONPATH=str(PACKAGE))
                self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_is_installed_by_pip_without_a_network(self):
        if run(sys.executable, "-m", "pip", "--version").returncode != 0:
            self.skipTest("no pip here")
        nowhere = {f"{name}_proxy": "http://127.0.0.1:9" for name in ("http", "https")}
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "source"
            shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("CMakeFiles", "__pycache__"))
            target = pathlib.Path(folder) / "installed"
            ran = run(sys.executable, "-m", "pip", "install", "--target", target, source, PIP_NO_INDEX="1", PYTHONPATH="", **nowhere)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertTrue((target / "kerr-tinygrad.pth").exists())
            ran = run(sys.executable, "-c", SMOKE + "print(kerr.__file__)", PYTHONPATH=str(target))
            self.assertIn(str(target), ran.stdout, ran.stderr)

    def test_is_one_wheel_for_every_python(self):
        code = "import sys; sys.path.insert(0, '.'); import kerr_build; print(kerr_build.build_wheel(sys.argv[1]))"
        with tempfile.TemporaryDirectory() as folder:
            made = [subprocess.run([sys.executable, "-c", code, str(path)], cwd=PACKAGE, capture_output=True, text=True)
                    for path in (pathlib.Path(folder), pathlib.Path(folder))]
            name = made[0].stdout.strip()
            self.assertRegex(name, r"^kerr-\d+\.\d+\.\d+-py3-none-[a-z0-9_]+\.whl$", made[0].stderr)
            listed = subprocess.run([sys.executable, "-m", "zipfile", "-l", os.path.join(folder, name)], capture_output=True, text=True).stdout
            for file in ("kerr/py.typed", "kerr/lib/libkerr.so.1", "kerr_tinygrad_finder.py", "dist-info/RECORD"):
                self.assertIn(file, listed)
            shutil.copy(PACKAGE / "kerr_build.py", folder)
            refused = subprocess.run([sys.executable, "-c", code, folder], cwd=folder, capture_output=True, text=True)
            self.assertIn("make python", refused.stderr)


if __name__ == "__main__":
    unittest.main()
