"""Tells Python where tinygrad's device KERR is: tinygrad imports `tinygrad.runtime.ops_kerr`, which is no file of its own.

Runs at every start of Python when the package is installed (kerr-tinygrad.pth), so it imports nothing.
"""

import sys

NAME = "tinygrad.runtime.ops_kerr"


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != NAME:
            return None
        from importlib.util import spec_from_loader

        return spec_from_loader(name, Finder)

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        from kerr._tinygrad import KERRDevice

        module.KERRDevice = KERRDevice


def install():
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)


install()
