"""What pyproject.toml has no words for: a .pth file beside the packages, and a wheel for each platform but for every Python 3."""

import pathlib

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel  # before setuptools 70

FOLDER = pathlib.Path(__file__).parent


class WithPth(build_py):
    def run(self):
        super().run()
        self.copy_file(str(FOLDER / "kerr-tinygrad.pth"), self.build_lib)

    def get_outputs(self, *arguments):
        return super().get_outputs(*arguments) + [str(pathlib.Path(self.build_lib) / "kerr-tinygrad.pth")]


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(cmdclass={"build_py": WithPth, "bdist_wheel": PlatformWheel}, version=(FOLDER / "VERSION").read_text().strip())
