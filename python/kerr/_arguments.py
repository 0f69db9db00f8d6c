"""Arguments that the library cannot check itself, because C has no such values: ctypes would cut numbers to 64 bits without a word."""

import operator
from typing import Any

from kerr._errors import InvalidArgument


def shown(value: Any) -> str:
    """`value` for a message."""
    try:
        return f"{value!r:.60}"
    except ValueError:  # of thousands of digits
        return f"this {type(value).__name__}"


def whole(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """A whole number of any library. `name`: whose argument it is, as in "Buffer.write(): offset"."""
    try:
        number = int(operator.index(value))
    except TypeError:
        raise InvalidArgument(f"{name} must be a whole number, not {shown(value)}") from None
    if not least <= number <= most:
        raise InvalidArgument(f"{name} must be a whole number from {least} to {most}, not {shown(number)}")
    return number


def text(name: str, value: Any) -> bytes:
    if not isinstance(value, str):
        raise InvalidArgument(f"{name} must be a text, not {shown(value)}")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} must be a text of Unicode characters, not {shown(value)}") from None


def blob(name: str, value: Any) -> bytes:
    """A compiled program."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise InvalidArgument(f"{name} must be the bytes that compile() has made, not {shown(value)}")
    return bytes(value)


def elements(name: str, values: Any, what: str) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise InvalidArgument(f"{name} must be a list of {what}, not {shown(values)}") from None
