"""tinygrad's device KERR, for an unmodified tinygrad (docs/guide/tinygrad.md). Three ways to make it known:

    DEV=KERR python3 script.py                  where this package is installed (it comes with a .pth file)
    import kerr.tinygrad                        in a script or notebook, before a tensor names the device
    python3 -m kerr.tinygrad script.py ARGS     without installation; DEV is KERR if it is not set. Also: -m MODULE ARGS

Importing this module does not import tinygrad, which reads the environment when it is imported.
"""

import os
import runpy
import sys
from typing import Any

import kerr_tinygrad_finder

kerr_tinygrad_finder.install()

__all__ = ["KERRDevice", "KerrAllocator", "KerrCompiler", "KerrProgram", "KerrRenderer"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kerr import _tinygrad

    return getattr(_tinygrad, name)


def main(arguments: list[str]) -> None:
    """Runs a script or module as Python itself would."""
    if not arguments or arguments == ["-m"]:
        sys.exit("usage: python3 -m kerr.tinygrad SCRIPT.py [ARGUMENTS], or -m MODULE [ARGUMENTS]")
    os.environ.setdefault("DEV", "KERR")
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
