"""Give a screen's memory back to the system once it has been left."""

from __future__ import annotations

import ctypes
import gc


def give_back_memory() -> None:
    """Collect what the screen left behind and return freed pages, where the C library can."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
