"""Runs programs plain and under `dpkb audit`, and prints what is not the same.

    python -m tests.support.compare_with_plain [--dpkb FOLDER] [--python PYTHON] [--jobs N] [--json FILE] [PROGRAM…]

Without a PROGRAM it takes all of tests/audit/unchanged/KIND/NAME.py; a folder stands for its programs. Compared
are standard output, standard error without the report and the frames of torch's module calls, how the program
ended, the files in its working folder, the processes that it left behind, and whether the peak memory of its
largest process grew by more than 80 MB. Returns 1 if a program differs, if the report names a bug of dpkb, or if a
program does not end plain as it says.

The comments at the top of a program may say:

    # needs: torch>=2.4 dill python>=3.9 root    without these it is skipped
    # run: python -m pytest -q FILE              the command, which is `python FILE` otherwise
    # ends: 3                                    its exit code, or minus the signal, if not 0
    # disk: 256k                                 the size of the file system of its temporary files (as root)
    # quick                                      one of those that run in `make test`

--dpkb takes another checkout of dpkb, --python another interpreter for the programs. --plain compares a plain run
with a second one, which shows whether a program always does the same.
"""

import argparse
import contextlib
import difflib
import functools
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / "tests" / "audit" / "unchanged"
MAX_SECONDS = 300
MAX_MORE_MEMORY = 80 << 10  # KiB
# Seconds in which processes that are about to end may do so.
SECONDS_TO_END = 1.0
SHOWN_LINES = 24
HEADER = re.compile(r"# (needs|run|ends|disk): (.*)")
# A global hook of modules is a stack frame more, which torch itself adds.
MODULE_CALL_FRAMES = re.compile(
    rb'(  File "[^"\n]*torch/nn/modules/module\.py", line \d+, in (_wrapped_call_impl|_call_impl|inner)\n'
    rb"(    .*\n)*)+"
)
# What is said of a finding while a program runs that takes more than ten seconds, which any does on a busy machine.
FINDING = re.compile(rb"(?m)^dpkb: [A-Z]+\d+ (certain|likely): .*\n")
# The time and process in a line of torch's or its profiler's log, and an address: no two runs have the same.
OF_ONE_RUN = re.compile(
    rb"(?<=[VIWEC]\d{4} )[\d:.]+ \d+(?= \S*torch/)|(?m:^)[A-Z]+:[\d-]+ [\d:]+ \d+:\d+|(?<= at 0x)[0-9a-f]+(?=>)"
)
# The interpreter of dpkb is this one, also for another checkout.
STARTS_DPKB = "import sys; sys.path[0] = sys.argv.pop(1); from dpkb.cli.main import main; main()"
LISTS_PACKAGES = """
import json, platform
from importlib.metadata import distributions
print(json.dumps({**{d.metadata["Name"].lower().replace("_", "-"): d.version for d in distributions()},
                  "python": platform.python_version()}))
"""


@dataclass(frozen=True)
class Program:
    """A program, and what the comments at its top say."""

    path: Path
    needs: tuple[str, ...]
    command: tuple[str, ...]
    ends: int
    disk: str

    @property
    def kind(self) -> str:
        return self.path.parent.name


@dataclass(frozen=True)
class Run:
    """What can be seen of a run from outside."""

    code: int | str
    stdout: bytes
    stderr: bytes
    files: dict[str, bytes]
    left_behind: list[str]
    peak: int
    # What the report says about failures of dpkb itself.
    bugs: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs of a program: names of parts, and the lines of a diff."""

    program: str
    kind: str
    skipped: str = ""
    error: str = ""
    parts: tuple[str, ...] = ()
    diff: str = ""
    bugs: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def is_same(self) -> bool:
        return not (self.parts or self.error or self.bugs)


def read_program(path: Path) -> Program:
    """Read the comments at the top of a program."""
    said = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        if match := HEADER.fullmatch(line.rstrip()):
            said[match[1]] = match[2]
    return Program(
        path,
        tuple(said.get("needs", "").split()),
        tuple(word.replace("FILE", str(path)) for word in shlex.split(said.get("run", "python FILE"))),
        int(said.get("ends", 0)),
        said.get("disk", ""),
    )


def find_programs(paths: list[Path], only_quick: bool = False) -> list[Program]:
    """The programs in files and folders."""
    files = [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*.py")))]
    return [
        read_program(file) for file in files if not only_quick or "\n# quick\n" in f"\n{file.read_text()}"
    ]


@functools.cache
def find_packages(python: str) -> dict[str, str]:
    """The versions of Python and of the packages of an interpreter."""
    versions = json.loads(subprocess.check_output([python, "-c", LISTS_PACKAGES], text=True))
    return {**versions, **({"root": "0"} if os.geteuid() == 0 else {})}


def find_missing(program: Program, python: str) -> str:
    """What the program needs and the interpreter does not have; empty if nothing."""
    packages = find_packages(python)
    for need in (*program.needs, *(["root"] if program.disk else [])):
        requirement = Requirement(need)
        version = packages.get(requirement.name.lower())
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            return need
    return ""


@contextlib.contextmanager
def disk_of(size: str, folder: Path):
    """While the block runs, the folder is a file system of this size, if there is one."""
    if not size:
        yield
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def run(program: Program, folder: Path, python: str, dpkb: Path | None) -> Run:
    """Run a program in empty folders: plain, or under the audit of a checkout of dpkb."""
    work, home, temporary, kept = (folder / name for name in ("work", "home", "tmp", "kept"))
    for each in (work, home, temporary, kept):
        shutil.rmtree(each, ignore_errors=True)
        each.mkdir()
    environment = {
        "PATH": os.pathsep.join([str(Path(python).parent), os.environ["PATH"]]),
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "DPKB_CACHE_DIR": str(kept / "cache"),
        "DPKB_STATE_DIR": str(kept / "state"),
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    command = list(program.command)
    report = kept / "report.json"
    if dpkb:
        audit = ["audit", "--json", str(report), "--"]
        command = [sys.executable, "-c", STARTS_DPKB, str(dpkb), *audit, *command]
    with (
        disk_of(program.disk, temporary),
        open(kept / "stdout", "ab") as stdout,
        open(kept / "stderr", "ab") as stderr,
    ):
        code, peak = _wait(
            subprocess.Popen(
                command,
                cwd=work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            ),
            str(folder),
        )
        left_behind = _end_processes_of(str(folder), SECONDS_TO_END)
    errors = (kept / "stderr").read_bytes()
    bugs = []
    if dpkb:
        errors = _without_report(errors)
        with contextlib.suppress(OSError):
            bugs = [
                f"{bug['what']}: {bug['traceback']}" for bug in json.loads(report.read_text())["failures"]
            ]
    return Run(
        code,
        _without_what_varies((kept / "stdout").read_bytes()),
        _without_what_varies(errors),
        _read_files(work),
        left_behind,
        peak,
        bugs,
    )


def _wait(process: subprocess.Popen, folder: str) -> tuple[int | str, int]:
    """Wait for the end. Returns the exit code and the peak memory of its largest process in KiB."""
    timed_out = threading.Event()

    def end() -> None:
        timed_out.set()
        _end_processes_of(folder, 0)

    timer = threading.Timer(MAX_SECONDS, end)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return f"no end in {MAX_SECONDS} s" if timed_out.is_set() else process.returncode, usage.ru_maxrss


def _end_processes_of(folder: str, seconds: float) -> list[str]:
    """End the processes whose environment names the folder, after some seconds. Returns their names."""
    until = time.monotonic() + seconds
    while processes := _find_processes(f"TMPDIR={folder}/".encode()):
        if time.monotonic() > until:
            for pid in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            break
        time.sleep(0.05)
    return sorted(processes.values())


def _find_processes(variable: bytes) -> dict[int, str]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if variable in (entry / "environ").read_bytes():
                    found[int(entry.name)] = (entry / "comm").read_text().strip()
    return found


def _without_what_varies(output: bytes) -> bytes:
    return OF_ONE_RUN.sub(b"...", MODULE_CALL_FRAMES.sub(b"", output))


def _without_report(errors: bytes) -> bytes:
    before, heading, _ = errors.rpartition(b"\ndpkb audit: ")
    return FINDING.sub(b"", before) if heading else errors + b"(no report of dpkb audit)\n"


def _without_addresses(content: bytes) -> bytes:
    """The parts of a file of torch.save in the order of their names in the pickle, which torch 1.8 makes of addresses."""
    if b"archive/data/" not in content or not zipfile.is_zipfile(io.BytesIO(content)):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        pickled = archive.read("archive/data.pkl")
        addresses = list(dict.fromkeys(re.findall(rb"(?<=X\x0e\0\0\0)\d{14}", pickled)))
        if not addresses:
            return content
        storages = [archive.read(f"archive/data/{address.decode()}") for address in addresses]
    for number, address in enumerate(addresses):
        pickled = pickled.replace(address, str(number).encode())
    return b"\n".join([pickled, *storages])


def _read_files(folder: Path) -> dict[str, bytes]:
    """What is in a folder. Bytecode holds times, so it is left out."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if "__pycache__" in name or ".pytest_cache" in name:
            continue
        if path.is_symlink():
            files[name] = os.fsencode(os.readlink(path))
        else:
            files[name] = _without_addresses(path.read_bytes()) if path.is_file() else b"no regular file"
    return files


def compare(program: Program, python: str, dpkb: Path | None) -> Comparison:
    """Run a program plain and under the audit (without `dpkb`: plain again), and compare the runs."""
    name = str(program.path.relative_to(ROOT) if program.path.is_relative_to(ROOT) else program.path)
    if missing := find_missing(program, python):
        return Comparison(name, program.kind, skipped=missing)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="unchanged-", ignore_cleanup_errors=True) as folder:
        plain = run(program, Path(folder), python, None)
        # torch 1.8 waits for ever now and then in Engine::~Engine(), when a plain program ends: for a thread that has
        # not had the interpreter's lock yet. A .pth file `import atexit, time; atexit.register(time.sleep, 0.3)` in
        # the environment gives it time.
        if not isinstance(plain.code, int):
            plain = run(program, Path(folder), python, None)
        if plain.code != program.ends:
            error = f"ends with {plain.code}, without dpkb, not with {program.ends}\n"
            return Comparison(
                name, program.kind, error=error + plain.stderr.decode("utf-8", "replace")[-2000:]
            )
        audited = run(program, Path(folder), python, dpkb)
    parts = {part: lines for part, lines in _compare_parts(plain, audited).items() if lines}
    return Comparison(
        name,
        program.kind,
        parts=tuple(parts),
        diff="\n".join(line for lines in parts.values() for line in lines),
        bugs=tuple(audited.bugs),
        seconds=time.monotonic() - began,
    )


def _compare_parts(plain: Run, audited: Run) -> dict[str, list[str]]:
    """Part -> lines of a diff, none if it is the same."""
    more = audited.peak - plain.peak
    return {
        "end": _diff("end", str(plain.code), str(audited.code)),
        "stdout": _diff_bytes("stdout", plain.stdout, audited.stdout),
        "stderr": _diff_bytes("stderr", plain.stderr, audited.stderr),
        "files": [
            line
            for name in sorted({*plain.files, *audited.files})
            for line in _diff_bytes(name, plain.files.get(name), audited.files.get(name))
        ],
        "left behind": _diff("left behind", "\n".join(plain.left_behind), "\n".join(audited.left_behind)),
        "memory": [f"peak memory: {more >> 10} MB more"] if more > MAX_MORE_MEMORY else [],
    }


def _diff_bytes(name: str, one: bytes | None, other: bytes | None) -> list[str]:
    texts = [
        "(no such file)" if part is None else part.decode("utf-8", "backslashreplace")
        for part in (one, other)
    ]
    return _diff(name, *texts) if one != other else []


def _diff(name: str, one: str, other: str) -> list[str]:
    lines = list(
        difflib.unified_diff(
            one.split("\n"), other.split("\n"), f"{name}, plain", f"{name}, audited", "", "", 1, ""
        )
    )
    more = len(lines) - SHOWN_LINES
    return [line[:300] for line in lines[:SHOWN_LINES]] + ([f"… {more} lines more"] if more > 0 else [])


def render_table(comparisons: list[Comparison]) -> str:
    """A line for each kind: how many programs, how many of them differ."""
    columns = ("programs", "differ", "bugs of dpkb", "errors", "skipped")
    counts: dict[str, Counter] = {}
    for each in comparisons:
        row = counts.setdefault(each.kind, Counter())
        row.update(
            {
                "programs": not each.skipped,
                "differ": bool(each.parts),
                "bugs of dpkb": bool(each.bugs),
                "errors": bool(each.error),
                "skipped": bool(each.skipped),
            }
        )
    total = sum(counts.values(), Counter())
    rows = [*sorted(counts.items()), ("all", total)]
    width = max(len(kind) for kind, _ in rows)
    heading = " ".join([" " * width, *columns])
    return "\n".join(
        [
            heading,
            *(" ".join([f"{kind:{width}}", *(f"{row[c]:{len(c)}}" for c in columns)]) for kind, row in rows),
        ]
    )


def render_difference(comparison: Comparison) -> str:
    """What is not the same, for a person."""
    lines = [
        f"{comparison.program}: {', '.join(comparison.parts) or 'error' * bool(comparison.error) or 'bug'}"
    ]
    lines += [comparison.error, comparison.diff, *map(_shorten_bug, comparison.bugs)]
    return "\n".join(filter(None, lines))


def _shorten_bug(bug: str) -> str:
    lines = bug.splitlines()
    return f"a bug of dpkb: {lines[0]}: {lines[-1]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dpkb", type=Path, default=ROOT, metavar="FOLDER")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", "-j", type=int, default=2, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("programs", nargs="*", type=Path)
    options = parser.parse_args()
    dpkb = None if options.plain else options.dpkb.resolve()
    programs = find_programs([path.resolve() for path in options.programs] or [PROGRAMS], options.quick)
    # Not resolved: a virtual environment is found by the link's own place.
    python = os.path.abspath(options.python)
    with ThreadPoolExecutor(options.jobs) as pool:
        comparisons = []
        for each in pool.map(lambda program: compare(program, python, dpkb), programs):
            comparisons.append(each)
            if not each.is_same:
                print(render_difference(each), end="\n\n", flush=True)
    print(render_table(comparisons))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in comparisons], indent=1))
    return 0 if comparisons and all(each.is_same for each in comparisons) else 1


if __name__ == "__main__":
    sys.exit(main())
