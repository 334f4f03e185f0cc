"""The `hermes` command: picks the way in, and keeps watch over the terminal while a core uses it.

Nothing heavy is imported here. The process that was started forks before anything is, and only
waits: the child is the core with its screen, and can leave the terminal whenever it likes.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` alone would cost more than the rest of this file
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from hermes_tui.cli.start_options import Options
    from hermes_tui.cli.start_terminal import Terminal

_UNHEARD = 141  # as a shell counts a command that wrote to a pipe nobody reads any more


def main() -> int:
    """Run the command line and return the exit code."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        return _version()
    from hermes_tui.errors import HermesError

    try:
        return _run(arguments)
    except HermesError as error:
        print(f"hermes: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _UNHEARD
    finally:
        _flush()


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["--core"]:
        _collect_later()
        from hermes_tui.cli.start import headless

        return headless()
    from hermes_tui.cli.start_options import HELP, parse

    options = parse(arguments)
    match options.what:
        case "version":
            return _version()
        case "help":
            print(HELP, end="")
            return 0
        case "screen":
            return watch(lambda terminal: _screen(options, terminal))
        case "oneshot":
            from hermes_tui.cli.oneshot import run

            return run(options, watch)
        case "attach":
            return _attach(options)
        case "daemon":
            from hermes_tui.cli.daemon import run as daemon

            return daemon(options.rest)
        case _:
            return _group(arguments)


def _version() -> int:
    from hermes_tui import __version__

    print(f"hermes-tui {__version__}")
    return 0


def _screen(options: Options, terminal: Terminal) -> int:
    from hermes_tui.cli.start import screen

    return screen(options, terminal)


def _attach(options: Options) -> int:
    from hermes_tui.cli.attach import parse_attach

    wanted = parse_attach(options.rest)
    if wanted is None:
        return 0
    if wanted.stdio:
        from hermes_tui.cli.bridge import bridge
        from hermes_tui.home import Home

        return bridge(Home.find())

    def body(terminal: Terminal) -> int:
        from hermes_tui.cli.attach import attach

        return attach(wanted, terminal)

    return watch(body)


def _group(arguments: list[str]) -> int:
    from hermes_tui.cli.main import app

    result: Any = app(args=arguments, prog_name="hermes", standalone_mode=False)
    return result if isinstance(result, int) else 0


def watch(body: Callable[[Terminal], int]) -> int:
    """Run `body` in a child and keep watch over the terminal; the exit code to leave with.

    Returns when the child has ended or has left the terminal to go on alone.
    """
    import signal

    from hermes_tui.cli.start_terminal import Terminal, remember
    from hermes_tui.cli.start_watch import Watch

    settings = remember()
    heard, tell = os.pipe()
    alive, life = os.pipe()
    held = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGTSTP)
    signal.pthread_sigmask(signal.SIG_BLOCK, held)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        terminal = Terminal(tell, alive)
        terminal.guard()
        os.close(heard)
        os.close(life)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, held)
        _child(body, terminal)
    os.close(tell)
    os.close(alive)
    watching = Watch(child, heard, settings)
    watching.guard()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, held)
    return watching.until_left()


def _child(body: Callable[[Terminal], int], terminal: Terminal) -> NoReturn:
    """Run the body and end this process without ever returning into the launcher."""
    from hermes_tui.errors import HermesError

    _collect_later()
    code = 70
    try:
        code = body(terminal)
    except HermesError as error:
        print(f"hermes: {error}".replace("\n", "\n  "), file=sys.stderr)
        code = error.exit_code
    except BrokenPipeError:
        code = _UNHEARD
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    finally:
        if sys.exc_info()[0] is not None:
            _report(terminal)
        _flush()
        os._exit(code)


def _collect_later() -> None:
    """A tenth of a start would go into collecting what imports made; see `start_memory`."""
    import gc

    gc.disable()


def _report(terminal: Terminal) -> None:
    """A defect of ours: the whole story to the log, a line to the launcher."""
    import traceback

    if terminal.log is not None:
        os.write(terminal.log, traceback.format_exc().encode(errors="replace"))
        terminal.say("failed", "hermes: it failed; `hermes daemon logs` has the reason")
    else:
        traceback.print_exc()


def _flush() -> None:
    for fd, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), fd)  # nobody reads it; exit quietly


if __name__ == "__main__":
    sys.exit(main())
