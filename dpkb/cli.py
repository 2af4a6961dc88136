"""The command line. The only importer of typer, and the only exit.

Each command imports what it needs when it runs: a search must not wait for what a run needs.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpkb import __version__
from dpkb.errors import DpkbError, MissingTool, UsageError

if TYPE_CHECKING:
    from dpkb.catalogue import Catalogue
    from dpkb.entry import Entry, Script
    from dpkb.reproduce import Session

app = typer.Typer(
    help="An executable error index for PyTorch training.\n\n"
    "Look up a failure, see it happen on this machine, and see the fix work.",
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]},
)

YES, NO, BUG, HUNG, INTERRUPTED = 0, 1, 3, 124, 130

Kb = Annotated[
    list[Path] | None,
    typer.Option("--kb", metavar="DIR", help="Add a catalogue: a folder with kb/ and reproducers/."),
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="An entry's id, e.g. DP15.")]
Python = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="The interpreter that runs the scripts; needs torch, not dpkb."),
]
Device = Annotated[str, typer.Option(metavar="auto|cpu|cuda", help="Where the scripts run.")]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the scripts of added catalogues: somebody's code.")
]
Timeout = Annotated[float, typer.Option(metavar="SECONDS", help="Stop a script after this long.", min=1)]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"dpkb {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


# -- looking things up ------------------------------------------------------------------------------


@app.command()
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS…", help="An error message or a symptom.")],
    most: Annotated[int, typer.Option("-n", help="Show at most this many.", min=1, max=1000)] = 5,
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="Only silent, raises, hangs, killed, slow or memory.")
    ] = None,
    family: Annotated[str | None, typer.Option(metavar="LETTERS", help="Only this family, e.g. DP.")] = None,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Find the entry for an error message or a symptom."""
    from dpkb import finding, hits

    question = " ".join(words)
    found = finding.find(_folders(kb), question, most, kind, family and family.upper())
    if as_json:
        print(hits.to_json(question, found.hits))
    else:
        width = min(shutil.get_terminal_size().columns, 100)
        print(hits.to_text(question, found.hits, _colour(), width))
    _warn_unreadable(found.unreadable)
    raise typer.Exit(YES if found.hits else NO)


@app.command()
def diagnose(
    log: Annotated[
        str, typer.Argument(metavar="[FILE]", help="A log, or a pasted traceback; - is standard input.")
    ] = "-",
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Find the entries that explain a log."""
    import json

    from dpkb import diagnose as reader
    from dpkb import findings

    catalogue = _catalogue(kb)
    if log == "-" and sys.stdin.isatty():
        print("dpkb: reading the log from here: paste it, then press Ctrl-D", file=sys.stderr)
    try:
        with sys.stdin.buffer if log == "-" else open(log, "rb") as stream:
            found = reader.diagnose(stream, catalogue)
    except OSError as error:
        raise DpkbError(f"{log}: cannot be read: {error.strerror}") from None
    if as_json:
        print(json.dumps(findings.to_json(found), indent=2))
    else:
        print(findings.to_text(found, catalogue, _colour(), min(shutil.get_terminal_size().columns, 100)))
    raise typer.Exit(YES if found.matches else NO)


@app.command()
def show(entry_id: Id, as_json: Json = False, kb: Kb = None) -> None:
    """Explain one entry: symptom, cause, fix, traps."""
    from dpkb import entry_json, render

    catalogue = _catalogue(kb)
    entry = catalogue.entry(entry_id)
    if as_json:
        render.emit_json(entry_json.to_dict(entry))
    else:
        render.show(entry, {other.id: other.title for other in catalogue})


@app.command(name="list")
def list_entries(
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only this kind.")] = None,
    family: Annotated[str | None, typer.Option(metavar="LETTERS", help="Only this family, e.g. DP.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="As the table of the README.")] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """List all entries, by family."""
    from dpkb import entry_json, render

    chosen = [
        entry for entry in _catalogue(kb)
        if kind in (None, entry.kind.value) and family in (None, entry.family, entry.family.lower())
    ]
    if as_json:
        render.emit_json({"version": 1, "entries": [entry_json.summary(entry) for entry in chosen]})
    elif markdown:
        print(entry_json.markdown_table(chosen))
    else:
        render.listing(chosen)
    raise typer.Exit(YES if chosen else NO)


@app.command()
def diff(
    entry_id: Id,
    script: Annotated[
        str, typer.Option(metavar="NAME", help="Another script than fixed to compare with broken.")
    ] = "fixed",
    kb: Kb = None,
) -> None:
    """Show the fix as a diff, broken to fixed."""
    from dpkb import pairs, render

    catalogue = _catalogue(kb)
    entry = catalogue.entry(entry_id)
    before, after = (catalogue.script(entry, name) for name in ("broken", script))
    texts = [_read(found) for found in (before, after)]
    names = (f"{entry.id}/{before.name}.py", f"{entry.id}/{after.name}.py")
    render.diff(pairs.difference(*texts, *names))


# -- running ----------------------------------------------------------------------------------------


@app.command()
def repro(
    entry_id: Id,
    fixed: Annotated[bool, typer.Option("--fixed", help="Run the fix instead of the failure.")] = False,
    script: Annotated[str | None, typer.Option(metavar="NAME", help="Run this script of the entry.")] = None,
    python: Python = None,
    device: Device = "auto",
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Run a script of an entry here: the failure, or the fix."""
    from dpkb import render, reproduce
    from dpkb.catalogue import ready_to_run
    from dpkb.entry import Verdict

    if fixed and script:
        raise UsageError("--fixed and --script name two scripts; give one of them")
    folders = _folders(kb)
    catalogue = _catalogue(kb, folders)
    entry = catalogue.entry(entry_id)
    chosen = ready_to_run(catalogue.script(entry, script or ("fixed" if fixed else "broken")))
    _require_trust(chosen, folders, trust)
    with _session(python, device, timeout) as session:
        live = None if as_json else render.Live()
        if live:
            render.repro_head(chosen, session.environment)
        result = reproduce.reproduce(chosen, session, live.take if live else None)
        if live:
            live.close()
            render.repro_result(result, chosen, entry)
        else:
            environment = render.environment_json(session.environment)
            render.emit_json({"version": 1, "environment": environment, **render.result_json(result)})
    raise typer.Exit(YES if result.verdict is Verdict.CONFIRMED else NO)


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="What to run.")],
    stalled: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=1,
                                   help="End it after this long without output, and say where it stood.")
    ] = None,
    kb: Kb = None,
) -> None:
    """Run a command unchanged; if it fails, say which entries explain it."""
    from dpkb import findings, relay
    from dpkb.diagnose import Reader
    from dpkb.logs import Splitter

    catalogue = _catalogue(kb)
    reader = Reader(list(catalogue))
    splitters = {1: Splitter(), 2: Splitter()}

    def take(fd: int, chunk: bytes) -> None:
        if (block := splitters[fd].feed(chunk)) is not None:
            reader.take(block)

    def say_where(pid: int) -> None:
        print(f"\ndpkb: no output for {stalled:g} s. {relay.where_it_stands(pid)}", file=sys.stderr)

    ended = relay.relay(command, take, stalled, say_where)
    for splitter in splitters.values():
        if (block := splitter.close()) is not None:
            reader.take(block)
    if ended.code or ended.stalled:
        how = "was ended as it hung" if ended.stalled else f"ended with code {ended.code}"
        print(f"\ndpkb: {command[0]} {how}. What explains its output:", file=sys.stderr)
        width = min(shutil.get_terminal_size().columns, 100)
        print(findings.to_text(reader.diagnosis(), catalogue, sys.stderr.isatty(), width), file=sys.stderr)
        if ended.stalled:
            print("What hangs without a message: dpkb list --kind hangs", file=sys.stderr)
    raise typer.Exit(ended.code or (HUNG if ended.stalled else YES))


@app.command()
def verify(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID…]", help="Entries; all if none.")] = None,
    python: Python = None,
    device: Device = "auto",
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Scripts at once; 0: one a core.", min=0)] = 0,
    repeat: Annotated[int, typer.Option(help="Run each script this often.", min=1)] = 1,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Only part I of N, for CI.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a JUnit report.")] = None,
    cold: Annotated[
        bool, typer.Option("--cold", help="Start an interpreter for each script: truer, and slower.")
    ] = False,
    timeout: Timeout = 120,
    trust: Trust = False,
    as_json: Json = False,
    kb: Kb = None,
) -> None:
    """Run every script, and judge each against its claim."""
    import time

    from dpkb import junit as junit_report
    from dpkb import render, reproduce

    part = _shard(shard)
    folders = _folders(kb)
    scripts, untrusted = _scripts_to_verify(_catalogue(kb, folders), ids or [], folders, trust)
    scripts = reproduce.shard(scripts, *part)
    jobs = jobs or os.cpu_count() or 1
    results = []
    with _session(python, device, timeout, warm=not cold) as session:
        started = time.monotonic()
        with render.VerifyProgress(len(scripts) * repeat) as progress:
            for result in reproduce.verify(scripts, session, jobs, repeat):
                results.append(result)
                progress.took(result)
        wall = time.monotonic() - started
        results += [reproduce.untrusted(script) for script in reproduce.shard(untrusted, *part)]
    if junit:
        _write_junit(junit_report.write, results, junit, wall)
    if as_json:
        render.emit_json({
            "version": 1, "environment": render.environment_json(session.environment),
            "results": [render.result_json(result) for result in results],
            "summary": reproduce.summary(results), "seconds": round(wall, 1),
        })
    else:
        render.verify_table(results, wall, session.environment, jobs)
    raise typer.Exit(YES if reproduce.is_proven(results) else NO)


# -- maintaining ------------------------------------------------------------------------------------


@app.command()
def check(as_json: Json = False, kb: Kb = None) -> None:
    """Validate the catalogue and the pairs; nothing is run."""
    from dpkb import entry_json, render
    from dpkb.catalogue import load
    from dpkb.check import check as check_catalogue

    folders = _folders(kb)
    catalogue = load(folders)
    found = check_catalogue(catalogue, folders)
    if as_json:
        render.emit_json({"version": 1, "entries": len(catalogue.entries),
                          "problems": [entry_json.problem(p, _short(p.path)) for p in found]})
    else:
        for problem in found:
            render.problem(problem, _short(problem.path))
        count = f"{len(catalogue.entries)} entries read, {len(found)} problems"
        print(count, file=sys.stdout if not found else sys.stderr)
    raise typer.Exit(NO if found else YES)


@app.command()
def new(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="A new id, e.g. DP99.")],
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="What it is about, e.g. stale_index.")],
    kb: Kb = None,
) -> None:
    """Write the skeleton of an entry and its pair of scripts."""
    from dpkb import scaffold

    folders = _folders(kb)
    made = scaffold.create(entry_id, slug, _target(folders), _catalogue(kb, folders))
    for path in made:
        print(_short(path))
    print(f"Now write them; `dpkb check` lists what is left, `dpkb verify {entry_id}` proves it.",
          file=sys.stderr)


# -- shared by the commands -------------------------------------------------------------------------


def _folders(kb: list[Path] | None) -> list[Path]:
    from dpkb.paths import catalogue_folders

    return catalogue_folders(kb)


def _catalogue(kb: list[Path] | None, folders: list[Path] | None = None) -> Catalogue:
    from dpkb.catalogue import load

    catalogue = load(folders or _folders(kb))
    _warn_unreadable(catalogue.unreadable)
    return catalogue


def _warn_unreadable(count: int) -> None:
    if count:
        noun = "entry is" if count == 1 else "entries are"
        print(f"dpkb: {count} {noun} left out as unreadable; `dpkb check` says why", file=sys.stderr)


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _short(path: Path) -> str:
    """A path as seen from here, where it is below."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _read(script: Script) -> str:
    try:
        return script.path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise DpkbError(f"{script.path}: cannot be read: {error.strerror}") from None


class _session:
    """The session of a run; Ctrl-C and a termination signal stop every script of it, then dpkb."""

    def __init__(self, python: str | None, device: str, timeout: float, warm: bool = False) -> None:
        if device not in ("auto", "cpu", "cuda"):
            raise UsageError(f"--device {device}: must be auto, cpu or cuda")
        self._asked = python, device, timeout
        self._warm = warm

    def __enter__(self) -> Session:
        from contextlib import ExitStack

        from dpkb import environment, process, reproduce, warm
        from dpkb.paths import cache_folder

        python, device, timeout = self._asked
        found = environment.probe(python, device)
        environment.require_torch(found)
        self._stack = ExitStack()
        env = reproduce.child_env(device)
        if not found.keeps_bytecode:
            env = self._stack.enter_context(process.bytecode_cache(env, cache_folder()))
        session = reproduce.Session(found, env, process.Limits(seconds=timeout))
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda *_: session.stop.set())
        if self._warm and found.device == "cpu":
            session.template = self._stack.enter_context(warm.template(found.executable, env, session.stop))
        return session

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        from dpkb.process import Stopped

        self._stack.close()
        if isinstance(error, Stopped):
            print("dpkb: stopped; nothing is left running", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    index, _, count = text.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise UsageError(f"--shard {text}: write it as 1/4, from 1/4 to 4/4")
    return int(index), int(count)


def _scripts_to_verify(catalogue: Catalogue, ids: list[str], folders: list[Path],
                       trust: bool) -> tuple[list[Script], list[Script]]:
    """The scripts to run, and those of added catalogues that nobody said yes to."""
    from dpkb.catalogue import ready_to_run

    chosen: dict[str, Entry] = {e.id: e for e in (map(catalogue.entry, ids) if ids else catalogue)}
    scripts = [ready_to_run(s) for e in chosen.values() if not e.withdrawn for s in e.scripts]
    allowed = {folder: _is_allowed(folder, folders, trust) for folder in folders}
    run, held = [], []
    for script in scripts:
        (run if allowed[_owner(script, folders)] else held).append(script)
    return run, held


def _owner(script: Script, folders: list[Path]) -> Path:
    return next(folder for folder in folders if script.path.is_relative_to(folder / "reproducers"))


def _is_allowed(folder: Path, folders: list[Path], trust: bool) -> bool:
    from dpkb import trust as trusted

    return trust or folder == folders[0] or trusted.is_trusted(folder)


def _require_trust(script: Script, folders: list[Path], trust: bool) -> None:
    """Raise MissingTool unless the script is dpkb's own, or a yes is given or recorded."""
    from dpkb import trust as trusted

    folder = _owner(script, folders)
    if _is_allowed(folder, folders, trust):
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        question = f"{folder} is an added catalogue. Run its scripts (somebody's code) on this machine?"
        if typer.confirm(question, err=True):
            trusted.record(folder)
            return
    raise MissingTool(
        f"{folder} is an added catalogue, and its scripts are somebody's code: "
        "read them, then say --trust"
    )


def _target(folders: list[Path]) -> Path:
    """Where a new entry belongs: the catalogue named last, the team's, or the checkout."""
    from dpkb.paths import built_in_catalogue

    target = folders[-1]
    if target == built_in_catalogue() and target.name == "catalogue_data":
        raise UsageError("no catalogue to write to: make a folder .dpkb/kb here, or name one with --kb DIR")
    return target


def _write_junit(write, results: list, path: Path, wall: float) -> None:
    try:
        write(results, path, wall)
    except OSError as error:
        raise DpkbError(f"--junit {path}: cannot be written: {error.strerror}") from None


def _leave_only(asked: list[str]) -> None:
    """Forget the other commands: building the options of all takes longer than a search."""
    named = [c for c in app.registered_commands if [c.name or c.callback.__name__] == asked]
    app.registered_commands = named or app.registered_commands


def main() -> None:
    """Run the command line; every end of the program is here."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets it written out, never a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        _leave_only(sys.argv[1:2])
        app(prog_name="dpkb")
    except DpkbError as error:
        print(f"dpkb: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output is gone (| head): nothing more to say, and no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(YES)
    except Exception:
        import traceback

        traceback.print_exc()
        print("dpkb: this is a bug in dpkb, not in your training. Please report the lines above.",
              file=sys.stderr)
        sys.exit(BUG)
