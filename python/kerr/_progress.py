"""What the library calls while a call takes long: for Ctrl-C, and to say how far it is."""

import json
import sys
import threading
from typing import Any, Callable, Generator

INTERVAL_MS = 50  # Ctrl-C has to wait for the next one

# done, total (both 0 where it is not known), text
Progress = Callable[[int, int, str], Any]


class Bar:
    """A line on standard error."""

    def __init__(self) -> None:
        self.width = 0

    def __call__(self, done: int, total: int, text: str) -> None:
        bar = f"[{'#' * (20 * done // total):20}] " if total else ""
        line = f"kerr: {bar}{text}"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def clear(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
            self.width = 0


def _tell(progress: Progress, report: bytes) -> None:
    facts = json.loads(report)
    steps = f", {facts['done']} of {facts['total']}" if "total" in facts else ""
    progress(facts.get("done", 0), facts.get("total", 0), f"{facts['what']}{steps}, {facts['seconds']:.1f} s")


def callbacks(raised: threading.local, progress: Progress | None) -> Generator[int, bytes, None]:
    """Python runs handlers of signals in Python code only, so Ctrl-C arrives here.

    An exception cannot pass through C; it is kept in `raised` and the answer ends the call. A function would be too late: handlers
    run when it is entered, before any `try` of its. A generator is entered inside one; the outer `try` is for a second Ctrl-C, behind
    the first one's handler.
    """
    answer = 0
    while True:
        try:
            while True:
                try:
                    while True:
                        report = yield answer
                        answer = 0
                        if progress is not None:
                            _tell(progress, report)
                except GeneratorExit:
                    return
                except BaseException as problem:
                    # Without this frame: traceback.clear_frames(), which unittest calls, would end the generator.
                    raised.exception = problem.with_traceback(problem.__traceback__ and problem.__traceback__.tb_next)
                    answer = 1
        except KeyboardInterrupt as problem:
            raised.exception = problem.with_traceback(None)
            answer = 1
