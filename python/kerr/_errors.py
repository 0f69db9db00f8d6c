"""What goes wrong, as exceptions. Each is also the exception of Python's that programs already catch for such a thing."""


class Error(RuntimeError):
    """Of any kind. `str()` of it is short; `report` is the device's whole account."""

    category = "Error"

    def __init__(self, text: str, *, category: str | None = None, report: str | None = None,
                 where: tuple[int, int] | None = None):
        self.category = category or type(self).category
        self.report = report or text
        self.where = where  # line and column of a program's text
        super().__init__("\n".join(text.splitlines()[:2]))

    def __reduce__(self):  # compilers run in other processes, too
        return _again, (type(self), self.args[0], self.category, self.report, self.where)


class InvalidArgument(Error, ValueError):
    category = "InvalidArgument"


class ProgramError(InvalidArgument):
    """The text is no loop program."""

    category = "Program"


class Unsupported(Error):
    category = "Unsupported"


class OutOfMemory(Error, MemoryError):
    category = "OutOfMemory"


class Fault(Error):
    category = "Fault"


class Deadlock(Error):
    category = "Deadlock"


class Timeout(Error, TimeoutError):
    category = "Timeout"


class Interrupted(Error):
    category = "Interrupted"


_CLASSES = {c.category: c for c in (InvalidArgument, ProgramError, Unsupported, OutOfMemory, Fault, Deadlock, Timeout, Interrupted)}


def _again(cls, text, category, report, where):
    return cls(text, category=category, report=report, where=where)


def error_of(report: dict) -> Error:
    """`report`: what kerr_error_json() gives."""
    category, text = report["category"], report["text"]
    where = (report["line"], report.get("column", 0)) if "line" in report else None
    account = report.get("report")
    return _CLASSES.get(category, Error)(text, category=category, report=f"{text}\n{account}" if account else None, where=where)
