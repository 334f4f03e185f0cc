"""The second reader of shell text never ends the process, whatever the text is."""

from __future__ import annotations

import subprocess
import sys

from hermes_tui.security.shell_second import command_names

ENDS_IT = (
    "a<<圩((>$'猍焿\t$(((~$''\\霧((\x08\n䗶<<-\"賓\U000a3d6f$(*!>~#鴓="
    "\U000a3d6f} \tꙌ᩹#)转;(($é((a<){\U000a3d6f<輜坎"
)
"""With its signs as they are, this makes tree-sitter-bash 0.25 write outside its memory."""
MANY = """\
import random
from hermes_tui.security.shell_second import command_names
random.seed(5)
signs = ["<<", "<<-", "'", '"', "`", "$(", ")", "((", "\\n", "\\\\", " ", "a", "{", "}", "$'", "~"]
for _ in range(4000):
    some = [random.choice(signs) if random.random() < 0.8 else chr(random.randrange(1, 0xD7FF))
            for _ in range(random.randrange(1, 60))]
    command_names("".join(some))
"""


def test_here_documents_with_any_word_are_read() -> None:
    command = f"{MANY}\ncommand_names({ENDS_IT!r})"
    ran = subprocess.run([sys.executable, "-c", command], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr[-500:]


def test_names_beyond_ascii_are_still_compared() -> None:
    names, broken = command_names("echo hi; rm -rf x")
    assert (names, broken) == ({"echo", "rm"}, False)
    assert command_names("grüße a")[0] == {"grxxe"}
