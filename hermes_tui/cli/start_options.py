"""What was typed after `hermes`: the top-level flags, read by hand so that it costs nothing."""

from __future__ import annotations

from hermes_tui.errors import HermesError

MODES = ("ask", "auto-edit", "plan", "yolo")

HELP = """\
Hermes TUI: an agent that lives in your terminal and goes on when you close it.

usage: hermes [OPTIONS]              open the screen: start the agent, or come back to it
       hermes -z PROMPT [OPTIONS]    print one answer and exit
       hermes COMMAND …              `hermes COMMAND --help` says more

options
  -z, --oneshot PROMPT   print the answer to PROMPT and nothing else; `-` reads standard input
      --json             with -z: every event as one line of JSON
  -c, --continue         go on with this folder's last session
  -r, --resume ID|TITLE  go on with that session
  -m, --model NAME       use this model in the session
      --mode MODE        what may run without asking: ask, auto-edit, plan or yolo
      --plain            lines instead of a full screen
  -V, --version          print the version
  -h, --help             print this

commands
  attach                 open the screen of the running agent, never start one
  daemon                 start, stop, restart, status, logs: the agent without a screen
  setup                  choose a model; --local fetches one that needs no key
  config                 get, set, unset, edit and list settings
  sessions               list, show, rename, delete, export and import
  search                 search everything that was ever said
  skills                 list, read, write, check, find, install and export skills
  tool                   list the agent's tools, call one without a model
  mcp                    add, accept, test and remove servers of tools; be one
  policy                 say what the agent may run, and why
  audit                  list what was decided; prove that the record is whole
  redact                 hide secrets in text: standard input to standard output
  model                  choose, list and test the model that answers
  auth                   keys of providers, several of each: add, list, remove, reset
  usage                  show tokens and money, and what the caps leave
  insights               show where tokens and money went
  cron                   make, list, run and remove jobs at set times; when they come
  learning               what was learned from the work, and whether it helped
  gateway                chats: set up, start, stop, status and test of each platform
  pairing                who may talk to the agent: list, approve, revoke, make a code
  chat                   talk as in a chat, from this terminal
  http                   the HTTP port: OpenAI's API for programs, webhooks; its key
  send                   send a text to a chat, kept until it arrived
  format                 show the exact messages a text becomes in a chat
  keys                   show what the terminal sends for a key; list the keys
  web                    show the screen in a browser on this machine
  memory                 list, add, edit, forget, undo, ask, export and import
  prompt                 show what a new session's prompt is made of
  backup                 pack the home into one file that was read back and proved
  restore                put the database back as it was in a copy or a backup
  update                 install the newest version and change over to it; --check looks
  doctor                 look for problems and say what to do; changes nothing

examples
  hermes                                   talk; ctrl+q leaves it working, `hermes` comes back
  hermes -z 'what does this repo do?'      one answer, for scripts
  git diff | hermes -z - --mode plan       a prompt from standard input, nothing is changed
  ssh -t server hermes attach              the agent of another machine

The agent keeps everything in ~/.hermes-tui, or where HERMES_TUI_HOME points.
"""


class UsageError(HermesError):
    """The command line can't be understood."""

    exit_code = 2


class Options:
    """The command line, read. what: `screen`, `oneshot`, `help`, `version` or a command's name.

    rest: the arguments after the command's name. session: an id or a title, or empty.
    target: user@host of another machine; program: how hermes is called there; folder: where its
    sessions begin; stdio: be the other end of that.
    """

    __slots__ = (
        *("folder", "json", "last", "mode", "model", "plain", "program", "prompt"),
        *("rest", "session", "stdio", "target", "what"),
    )

    def __init__(self) -> None:
        self.what = "screen"
        self.rest: list[str] = []
        self.prompt = ""
        self.json = False
        self.last = False
        self.session = ""
        self.model = ""
        self.mode = ""
        self.plain = False
        self.target = ""
        self.program = ""
        self.folder = ""
        self.stdio = False

    def which(self, otherwise: str) -> str:
        """The session to open, as `OpenSession.which` names it."""
        return self.session or ("last" if self.last else otherwise)


_SWITCHES = {"--json": "json", "--continue": "last", "-c": "last", "--plain": "plain"}
_VALUES = {
    "-z": "prompt",
    "--oneshot": "prompt",
    "-r": "session",
    "--resume": "session",
    "-m": "model",
    "--model": "model",
    "--mode": "mode",
}
_ENDS = {"--version": "version", "-V": "version", "--help": "help", "-h": "help", "help": "help"}


def parse(arguments: list[str]) -> Options:
    """Read the command line; raises UsageError with the nearest flag for one that is unknown."""
    options = Options()
    left = list(arguments)
    while left:
        word = left.pop(0)
        if word in _ENDS:
            options.what = _ENDS[word]
            return options
        if not word.startswith("-"):
            return _command(options, word, left, arguments)
        _flag(options, word, left)
    return _checked(options)


def _flag(options: Options, word: str, left: list[str]) -> None:
    name, equals, value = word.partition("=")
    if name in _SWITCHES and not equals:
        setattr(options, _SWITCHES[name], True)
    elif name in _VALUES:
        if not equals and not left:
            raise UsageError(f"{name} needs a value", "`hermes --help` has examples")
        setattr(options, _VALUES[name], value if equals else left.pop(0))
        if _VALUES[name] == "prompt":
            options.what = "oneshot"
    else:
        raise UsageError(f"unknown option {name}", _nearest(name))


def _command(options: Options, word: str, left: list[str], all_: list[str]) -> Options:
    if all_[0] != word:
        raise UsageError(
            f"{word!r} after {all_[0]} is not understood",
            f"options of a command come after its name: hermes {word} …; "
            "a prompt goes in quotes: hermes -z 'PROMPT'",
        )
    options.what, options.rest = word, left
    return options


def _checked(options: Options) -> Options:
    if options.mode and options.mode not in MODES:
        raise UsageError(f"there is no mode {options.mode!r}", "modes: " + ", ".join(MODES))
    if options.last and options.session:
        raise UsageError("--continue and --resume exclude each other", "give one of them")
    if options.what == "oneshot" and not options.prompt.strip():
        raise UsageError("the prompt is empty", "hermes -z 'PROMPT', or `-` for standard input")
    if options.json and options.what != "oneshot":
        raise UsageError("--json goes with -z", "hermes -z 'PROMPT' --json")
    return options


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    known = [*_SWITCHES, *_VALUES, *_ENDS]
    close = get_close_matches(name, known, n=2, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else "`hermes --help` lists them"
