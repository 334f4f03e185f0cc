"""When garbage is collected: not while a process starts, thoroughly once a screen was left."""

from __future__ import annotations

import gc


def imported() -> None:
    """Everything that was needed is there: collect from now on, and never look at it again."""
    gc.freeze()
    gc.enable()


def give_back_memory() -> None:
    """Collect what the screen left behind and return freed pages, where the C library can."""
    import ctypes

    gc.enable()
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
