"""A device for those who do not want to think of one."""

import atexit
import json
import os
import threading
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any

from kerr._library import call, take_text

if TYPE_CHECKING:
    from kerr import Device

_lock = threading.Lock()
_device: "Device | None" = None


def device() -> "Device":
    """A P100A, opened on first use, and anew in a child process or after it was closed. It is closed at exit."""
    from kerr import Device

    global _device
    with _lock:
        if _device is None or not _device.usable:
            if _device is None:
                atexit.register(_close)
            _device = Device(os.environ.get("KERR_BOARD") or "p100a")
        return _device


def _close() -> None:
    if _device is not None:
        _device.close()


def devices() -> dict[str, Any]:
    """What there is to open: {"emulated": ["p100a", "p150"], "cards": [{"address", "driver", "usable", ...}]}."""
    text = c_void_p()
    call("kerr_devices", byref(text))
    return json.loads(take_text(text))
