"""Runs the rules over files and folders."""

import gc
import os
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

from dpkb.errors import Stopped
from dpkb.ignore_comments import is_silenced
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.project import Project
from dpkb.lint.source_file import SourceFile
from dpkb.source_code.find_files import find_files
from dpkb.source_code.parsed_code import CannotRead
from dpkb.text import join_lines

# With fewer files for each process, the start of a process takes longer than it saves.
_MIN_FILES_PER_PROCESS = 60


@dataclass(frozen=True)
class Failure:
    """A bug of dpkb: what a rule raised on a file, or what indexing the file raised, which has no rule."""

    file: str
    rule: str | None
    error: str
    traceback: str


@dataclass(frozen=True)
class LintResult:
    """The findings. unreadable: file -> why it, a cell of it, or a rule was left out.

    silenced: how many findings comments hide. files: how many files were linted. excluded: how many files the
    settings exclude.
    """

    findings: tuple[Finding, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=dict)
    silenced: int = 0
    files: int = 0
    excluded: int = 0
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True)
class Selection:
    """Which findings are wanted: ids to look for (empty: all), ids to leave out, and whether to show hints.

    exclude: patterns of paths to leave out, such as tests/*. root: the folder of the pyproject.toml, where
    these paths start; None: the current folder.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    hints: bool = False
    exclude: tuple[str, ...] = ()
    root: Path | None = field(default=None, compare=False)

    def excludes(self, path: Path) -> bool:
        """Whether a pattern matches a path as it was given, or as seen from the root."""
        if not self.exclude:  # most projects: resolving each path would cost time
            return False
        names = [path.as_posix()]
        if self.root and (file := path.resolve()).is_relative_to(self.root):
            names.append(file.relative_to(self.root).as_posix())
        return any(fnmatch(name, pattern) for pattern in self.exclude for name in names)

    def wants(self, rule: str) -> bool:
        """Whether the findings of this entry are looked for."""
        return (not self.select or rule in self.select) and rule not in self.ignore


def lint(
    selections: Mapping[Path, Selection],
    jobs: int | None = None,
    stop: threading.Event | None = None,
    is_allowed: Callable[[Path], bool] = lambda path: True,
) -> LintResult:
    """The findings in files and folders, ordered by file and line. Raises DpkbError for a missing path.

    selections: each path that is named, and what is wanted of it. stop: raises Stopped when it is set; only
    with jobs=1, since other processes would not see it. is_allowed: as for find_files().
    """
    unreadable: dict[str, str] = {}
    by_place: dict[str, Path] = {}  # a file may be named twice, also through a link
    for path in find_files(selections, unreadable, is_allowed):
        by_place.setdefault(os.path.realpath(path), path)
    all_files = {path: choose_selection(path, selections) for path in by_place.values()}
    wanted = {path: selection for path, selection in all_files.items() if not selection.excludes(path)}
    files = list(wanted)
    jobs = min(jobs or os.cpu_count() or 1, max(1, len(files) // _MIN_FILES_PER_PROCESS))
    # Files of a folder stay together, since most imported classes come from the same folder.
    size = max(1, -(-len(files) // (jobs * 4)))
    chunks = [files[start : start + size] for start in range(0, len(files), size)]
    run = partial(_lint_chunk, wanted, stop)
    results: Iterable[LintResult] = map(run, chunks)
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as pool:
            results = list(pool.map(run, chunks))
    linted = _join(results)
    # Each file that imports a class may have the findings of the class.
    findings, silenced = _select_one_per_line(linted.findings)
    return LintResult(
        tuple(findings),
        {**unreadable, **linted.unreadable},
        silenced,
        linted.files,
        len(all_files) - len(files),
        linted.failures,
    )


def choose_selection(file: Path, selections: Mapping[Path, Selection]) -> Selection:
    """The selection of the nearest path that is named, so that the order of the paths makes no difference."""
    return next(selections[path] for path in (file, *file.parents) if path in selections)


def _join(results: Iterable[LintResult]) -> LintResult:
    """The results of several files as one."""
    findings: list[Finding] = []
    unreadable: dict[str, str] = {}
    failures: list[Failure] = []
    files = 0
    for result in results:
        findings += result.findings
        unreadable.update(result.unreadable)
        failures += result.failures
        files += result.files
    return LintResult(tuple(findings), unreadable, files=files, failures=tuple(failures))


def _run_rules(file: SourceFile, selection: Selection) -> Iterator[tuple[str, Iterator[Finding]]]:
    """What each wanted rule reports, also what comments silence."""
    from dpkb.lint.rules import all_rules

    for rule_id, rule in all_rules().items():
        if selection.wants(rule_id):
            yield (
                rule_id,
                (
                    finding
                    for finding in rule.check(file)
                    if selection.hints or finding.certainty is not Certainty.HINT
                ),
            )


def _select_one_per_line(findings: Iterable[Finding]) -> tuple[list[Finding], int]:
    """The surest finding of each entry on each line, in order, and how many more a comment silences."""
    first: dict[tuple[str, int | None, int, str], Finding] = {}
    for finding in sorted(findings, key=_by_line_surest_first):
        first.setdefault((finding.file, finding.cell, finding.line, finding.id), finding)
    kept = [finding for finding in first.values() if not is_silenced(finding.id, finding.source_line)]
    return kept, len(first) - len(kept)


def _by_line_surest_first(finding: Finding) -> tuple[str, int, int, int, int, str, str]:
    return (
        finding.file,
        finding.cell or 0,
        finding.line,
        list(Certainty).index(finding.certainty),
        finding.column,
        finding.id,
        finding.message,
    )


def _lint_chunk(
    wanted: Mapping[Path, Selection], stop: threading.Event | None, chunk: list[Path]
) -> LintResult:
    """What the rules report in some of the files.

    The others are parsed where a file of the chunk imports a class from them.
    """
    project = Project(wanted)
    results = []
    # Millions of syntax nodes are created here. Python's garbage collector would take most of the time, and
    # release() leaves nothing that it could free.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for path in chunk:
            results.append(_lint_path(project, path, wanted[path], stop))
            project.release_if_full()
    finally:
        project.release()
        if was_enabled:
            gc.enable()
    return _join(results)


def _lint_path(
    project: Project, path: Path, selection: Selection, stop: threading.Event | None
) -> LintResult:
    """What the rules report in one file. A rule that raises loses only what it would still have found."""
    name = str(path)
    try:
        file = project.parse(path)
    except CannotRead as error:
        return LintResult(unreadable={name: join_lines(str(error))})
    except Exception as error:
        return LintResult(failures=(_describe_failure(name, None, error),))
    findings: list[Finding] = []
    failures: list[Failure] = []
    too_deep: list[str] = []
    for rule_id, found in _run_rules(file, selection) if file else ():
        if stop and stop.is_set():
            raise Stopped
        try:
            findings.extend(found)
        except RecursionError:
            too_deep.append(rule_id)
        except Exception as error:
            failures.append(_describe_failure(name, rule_id, error))
    unread = [file.source.unread] if file and file.source.unread else []
    unread += [f"is nested too deeply for {', '.join(too_deep)}"] if too_deep else []
    return LintResult(
        tuple(findings),
        {name: join_lines("; ".join(unread))} if unread else {},
        files=1,
        failures=tuple(failures),
    )


def _describe_failure(file: str, rule: str | None, error: Exception) -> Failure:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    summary = join_lines(f"{type(error).__name__}: {error}", 200)
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return Failure(file, rule, f"{summary} ({place})", "".join(traceback.format_exception(error)))
