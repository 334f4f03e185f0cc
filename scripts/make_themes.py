"""Write `hermes_tui/ui/theme_builtin.py` from `themes/*.yaml`; run it after editing one of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from hermes_tui.bundled import bundled
from hermes_tui.ui.theme_files import read

ME = "`scripts/make_themes.py`"
TARGET = Path(__file__).resolve().parent.parent / "hermes_tui" / "ui" / "theme_builtin.py"


def source() -> str:
    """The module's text, not yet formatted."""
    lines = [
        f'"""The bundled themes, made from `themes/*.yaml` by {ME}: do not edit."""',
        "",
        "from __future__ import annotations",
        "",
        "from hermes_tui.ui.theme import ThemeSpec",
        "",
        "THEMES: dict[str, ThemeSpec] = {",
    ]
    for path in sorted(bundled("themes").glob("*.yaml")):
        spec = read(path)
        fields = ", ".join(f"{k}={v!r}" for k, v in msgspec.structs.asdict(spec).items())
        lines.append(f"    {spec.name!r}: ThemeSpec({fields}),")
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    TARGET.write_text(source())
    sys.exit(subprocess.call(["ruff", "format", "-q", str(TARGET)]))
