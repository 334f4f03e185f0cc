"""Database clients: which statements delete or change without a limit, or leave the database."""

from __future__ import annotations

import re

from hermes_tui.security.risk_files import Handler
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.risk_system import only_asks
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import Options, names, parse, spec
from hermes_tui.security.shell_state import UNKNOWN

_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
_ALWAYS = re.compile(
    r"\bwhere\s+\(*\s*(?:true|not\s+false|1|(\w+|'[^']*')\s*(?:=|like|is|<=|>=)\s*\1"
    r"|1\s*<>\s*0|0\s*=\s*0|\d\s*<\s*\d"
    r"|\w+\s*(?:>|>=|!=|<>)\s*-?[01]|\w+\s+is\s+not\s+null|\w+\s+like\s+'%+'"
    r"|exists\s*\(\s*select\s+1\s*\))\s*\)*\s*(?:;|\Z|\bor\b|limit|returning|--)"
    r"|\bor\s+(?:true|1\s*=\s*1|'(\w*)'\s*=\s*'\2)",
    re.IGNORECASE | re.DOTALL,
)
_GONE = re.compile(
    r"(?:drop\s+(?!.*\bif\s+exists\s+pg_temp)|truncate\b|flush\b|reset\s+master|purge\b"
    r"|shutdown\b|drop_|detach\s+partition)"
    r"|alter\s+(?:table|database|schema|type)\b.*\bdrop\b|exec(?:ute)?\s+xp_cmdshell"
    r"|rollback\s+to\s+empty"
    r"|pragma\s+writable_schema|delete\s+from\s+sqlite_master|vacuum\s+into"
    r"|replace\s+into\s+sqlite_master",
    re.IGNORECASE | re.DOTALL,
)
_RIGHTS = re.compile(
    r"(?:grant|revoke)\b|(?:create|alter|drop)\s+(?:user|role|login)\b|set\s+password"
    r"|set\s+global\b|alter\s+system\b|update\s+mysql\.user",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"\b(?:to|from)\s+program\b|into\s+(?:outfile|dumpfile)|load_file\s*\(|pg_read_file"
    r"|lo_import|lo_export|load_extension"
    r"|xp_cmdshell|^\s*\\!|^\s*\.(?:shell|system|sh)\b|^\s*system\s|readfile\s*\("
    r"|writefile\s*\(|create\s+(?:or\s+replace\s+)?function.*language\s+(?:c|plpythonu|plperlu)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def statements(text: str) -> list[str]:
    """The statements of a SQL text, without comments."""
    plain = _COMMENT.sub(" ", text)
    found: list[str] = []
    current, quote = "", ""
    for char in plain:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == ";":
            found.append(current)
            current = ""
            continue
        current += char
    return [one.strip() for one in [*found, current] if one.strip()]


def judge_sql(text: str, scene: Scene) -> None:
    """Note what is risky about a SQL text."""
    if UNKNOWN in text:
        scene.find("sql-destructive", "it runs SQL that can't be read")
        text = text.replace(UNKNOWN, " x ")
    if _LEAVES.search(text):
        scene.find(
            "remote-execution", "it has the database run a program or touch files", outside=True
        )
    for statement in statements(text):
        reason = _statement(statement)
        if reason:
            scene.find("sql-destructive", reason)
            return


def _statement(text: str) -> str:
    text = re.sub(
        r"^explain\s+(?!analy)|^(?:begin|start transaction)\b", "select ", text, flags=re.IGNORECASE
    )
    body = re.sub(
        r"^with\b.*?\)\s*(?=(?:delete|update|insert|select)\b)",
        "",
        text,
        flags=re.IGNORECASE | re.DOTALL,
    )
    if _GONE.match(text):
        return "it deletes tables, or all that is in them"
    verb = re.match(r"(delete|update|merge)\b", body, re.IGNORECASE)
    if verb:
        unquoted = re.sub(r"'(?:[^']|'')*'", "''", body)
        if not re.search(r"\bwhere\b", unquoted, re.IGNORECASE) or _ALWAYS.search(body):
            return f"it {verb[1].lower()}s every row"
    if re.match(r"do\b|execute\b|prepare\b|call\b", text, re.IGNORECASE) and re.search(
        r"drop|truncate|delete|execute", text, re.IGNORECASE
    ):
        return "it runs a program inside the database"
    return "it changes rights in the database" if _RIGHTS.match(text) else ""


def _texts(
    command: Command,
    options: Options,
    inline: tuple[str, ...],
    files: tuple[str, ...],
    scene: Scene,
) -> None:
    """Judge what a client is given: statements, files, its input."""
    for text in options.every(*inline):
        judge_sql(text, scene)
    if any(one != "-" for one in options.every(*files)):
        scene.find("sql-destructive", "it runs SQL from a file nobody has read")
    given = bool(options.every(*inline)) or bool(options.every(*files))
    if command.stdin.given and (not given or "-" in options.every(*files)):
        _piped(command, scene)


def _piped(command: Command, scene: Scene) -> None:
    if command.stdin.text is not None:
        judge_sql(command.stdin.text, scene)
    else:
        scene.find("sql-destructive", "it runs SQL nobody has read")


def _psql(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:],
        spec(
            "c:d:f:h:p:U:v:o:F:P:R:T:L:",
            "command= file= dbname= host= port= username= output= set= variable= list version help",
        ),
    )
    _texts(command, options, ("c", "command"), ("f", "file"), scene)


def _mysql(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:],
        spec(
            "e:h:u:P:S:D:p::",
            "execute= host= user= port= database= password= socket= init-command= version help",
        ),
    )
    _texts(command, options, ("e", "execute", "init-command"), (), scene)


def _sqlite(command: Command, scene: Scene) -> None:
    args = list(command.argv[1:])
    words: list[str] = []
    while args:
        word = args.pop(0)
        if word in ("-cmd", "-init", "-separator", "-newline", "-nullvalue", "--cmd"):
            value = args.pop(0) if args else ""
            if word.endswith("cmd"):
                judge_sql(value, scene)
        elif not word.startswith("-"):
            words.append(word)
    for text in words[1:]:
        if re.match(r"\s*\.(?:read|import|restore|archive|load|clone)\b", text):
            scene.find("sql-destructive", "it runs SQL from a file nobody has read")
        judge_sql(text, scene)
    if len(words) == 1 and command.stdin.given:
        _piped(command, scene)


def _generic(command: Command, scene: Scene) -> None:
    args = [f"-{arg}" if arg in ("-execute", "-query") else arg for arg in command.argv[1:]]
    options = parse(
        args,
        spec(
            "e:q:Q:f:i:c:u:h:d:k:H:P:p::",
            "query= execute= command= file= queries-file= host= user= password= database=",
        ),
    )
    _texts(
        command,
        options,
        ("e", "q", "Q", "query", "execute", "command", "c"),
        ("f", "file", "i", "queries-file"),
        scene,
    )


_MONGO = re.compile(
    r"dropDatabase|\.drop(?:Index(?:es)?|User|Role)?\s*\(|(?:deleteMany|remove|updateMany"
    r"|deleteOne)\s*\(\s*(?:\{\s*\}|\))|dropAll|\.remove\s*\(\s*\)"
    r"|renameCollection|shutdownServer|createUser|grantRoles|db\.copyDatabase"
)


def _mongo(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:], spec("f:u:p:", "eval= file= host= port= username= password= quiet norc")
    )
    texts = options.every("eval")
    files = [one for one in [*options.every("f", "file"), *options.operands] if one.endswith(".js")]
    texts += [command.stdin.text] if command.stdin.text else []
    if any(_MONGO.search(text) for text in texts):
        scene.find("sql-destructive", "it deletes collections, or all that is in them")
    elif files or (command.stdin.given and command.stdin.text is None):
        scene.find("sql-destructive", "it runs a database script nobody has read")


_REDIS = frozenset(
    names(
        "flushall flushdb shutdown debug slaveof replicaof del unlink rename eval migrate "
        "failover swapdb script module"
    )
)


def _redis(command: Command, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("h:p:a:n:u:s:r:i:x", "user= pass= eval= pipe", True))
    words = [word.lower() for word in options.operands]
    changes = words[:1] == ["config"] and words[1:2] in (["set"], ["rewrite"], ["resetstat"])
    if options.has("eval", "pipe") or changes or (words and words[0] in _REDIS):
        scene.find("sql-destructive", "it deletes data or changes the server")
    elif not words and command.stdin.given:
        text = (command.stdin.text or "flushall").lower()
        if any(word in text.split() for word in _REDIS):
            scene.find("sql-destructive", "it deletes data or changes the server")


def _drop(command: Command, scene: Scene) -> None:
    if not only_asks(command):
        scene.find("sql-destructive", "it deletes a database or a user of it")


def _mysqladmin(command: Command, scene: Scene) -> None:
    if any(
        arg in ("drop", "shutdown", "flush-hosts", "password", "kill") for arg in command.argv[1:]
    ):
        scene.find("sql-destructive", "it deletes a database or stops the server")


def _restore(command: Command, scene: Scene) -> None:
    if any(
        arg.startswith(("--clean", "--drop", "-c", "--create", "-d", "--dbname"))
        for arg in command.argv[1:]
    ):
        scene.find("sql-destructive", "it overwrites a database from a copy")


_TASK = re.compile(
    r"(?:db:(?:drop|reset|purge|truncate_all|wipe|seed:replant|migrate:reset|schema:load"
    r"|rollback)|migrate:(?:fresh|reset|refresh|rollback)|doctrine:(?:database|schema):drop"
    r"|flush|reset_db|sqlflush-run|droptables|drop_tables|drop_db|clear_cache_db|flushdb|zap)\Z"
)


def task(words: list[str], scene: Scene) -> None:
    """Note the tasks of web frameworks that empty a database (rails, artisan, manage.py, …)."""
    joined = " ".join(words[:4])
    if any(_TASK.match(word) for word in words[:4]) or re.search(
        r"(?:migrate reset|db push .*--force-reset|downgrade base|migrate zero"
        r"|migrate \w+ zero|db drop|database drop|db reset|schema drop)",
        joined,
    ):
        scene.find("sql-destructive", "it empties a database")


def _tasks(command: Command, scene: Scene) -> None:
    task(list(command.argv[1:]), scene)


PROGRAMS: dict[str, Handler] = {
    "psql": _psql,
    **dict.fromkeys(("mysql", "mariadb", "mycli"), _mysql),
    **dict.fromkeys(("sqlite3", "sqlite", "duckdb", "litecli"), _sqlite),
    **dict.fromkeys(
        names(
            "cqlsh clickhouse-client clickhouse sqlcmd sqlplus isql tsql cockroach influx "
            "snowsql bq usql pgcli osql db2 impala-shell hive beeline presto trino"
        ),
        _generic,
    ),
    **dict.fromkeys(("mongo", "mongosh"), _mongo),
    **dict.fromkeys(("redis-cli", "valkey-cli", "keydb-cli"), _redis),
    **dict.fromkeys(("dropdb", "dropuser", "pg_dropcluster", "pg_resetwal"), _drop),
    "mysqladmin": _mysqladmin,
    **dict.fromkeys(("pg_restore", "mongorestore"), _restore),
    **dict.fromkeys(
        names(
            "manage.py artisan console rails rake prisma sequelize alembic flask knex "
            "typeorm artisan django-admin "
            "sequelize-cli drizzle-kit symfony diesel mix flyway liquibase dbmate sqlx "
            "supabase"
        ),
        _tasks,
    ),
}
