"""Runs scripts, alone or in parallel, and judges each against its claim."""

from __future__ import annotations

import contextlib
import os
import queue
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from dpkb.catalogue.load import Catalogue, read_reproducer
from dpkb.errors import UsageError
from dpkb.evidence.store import find_scripts_without_run
from dpkb.judge import verdict
from dpkb.judge.outcome import ScriptOutput, classify, classify_skip_reason
from dpkb.judge.summary import VerifyRun
from dpkb.model import Needs, Outcome, Reproducer, Script, parse_release
from dpkb.run_records import Environment, Missing, MissingNeed, ProcessEnd, RunResult, Verdict
from dpkb.runner import launch
from dpkb.runner.interpreter import has_package
from dpkb.runner.session import Session

# More than any release has; it becomes a part of a file name.
_MAX_VERSION_CHARACTERS = 40


def reproduce(
    script: Reproducer, session: Session, on_output: Callable[[str, bytes], None] | None = None
) -> RunResult:
    """Run one script to its end and judge it. Raises Stopped when the session is stopped.

    on_output takes ("stdout" or "stderr", bytes) while the script writes.
    """
    output = ScriptOutput()

    def take(stream: str, chunk: bytes) -> None:
        output.feed(stream, chunk)
        if on_output:
            on_output(stream, chunk)

    confinement = session.confinement_of(script.needs)
    need = find_missing_need(script.needs, session.environment) or confinement.find_unsettable_limit(
        script.needs
    )
    if need:
        return _create_result(
            script, session, Outcome.SKIPPED, need.words, ProcessEnd(None), output, need.missing
        )
    program = launch.Program(
        [session.environment.executable, "-u", str(script.path)],
        session.env_of(script.needs),
        script.needs,
        confinement,
        session.fork_server_for(script.needs),
    )
    ended = launch.run_to_end(program, session.limits, session.stop, take)
    output.close()
    outcome, detail = classify(ended, output, script.needs.skips)
    if outcome is Outcome.SKIPPED and (objection := _find_objection_to_skip(detail, script.needs, session)):
        outcome, detail = Outcome.INVALID, objection
    missing = classify_skip_reason(detail) if outcome is Outcome.SKIPPED else None
    return _create_result(script, session, outcome, detail, ended, output, missing)


def _find_objection_to_skip(reason: str, needs: Needs, session: Session) -> str | None:
    """Why a skip because of a missing package is wrong; None if it is right, or has another reason."""
    package, _, rest = reason.partition(" ")
    if rest != "is not installed" or not package.isidentifier():
        return None
    if package not in needs.packages:
        return f"exit code 77, but the script's `Needs:` line does not name {package}"
    if has_package(session.environment.executable, package):
        return f"exit code 77, but {package} is installed"
    return None


def find_missing_need(needs: Needs, environment: Environment) -> MissingNeed | None:
    """What this machine lacks of the script's `Needs:` line; None if it lacks nothing."""
    if "cpu" not in needs.devices and not environment.device.startswith("cuda"):
        words = f"needs a CUDA GPU, and this run uses the {environment.device.upper()}"
        return MissingNeed(Missing.GPU, words)
    if needs.linux and environment.os != "linux":
        return MissingNeed(Missing.LINUX, f"needs Linux, and this is {environment.os}")
    if needs.root and getattr(os, "geteuid", lambda: 1)() != 0:
        return MissingNeed(Missing.ROOT, "needs root, and this user is not root")
    return None


def _create_result(
    script: Reproducer,
    session: Session,
    outcome: Outcome,
    detail: str,
    ended: ProcessEnd,
    output: ScriptOutput,
    missing: Missing | None,
) -> RunResult:
    environment = session.environment
    judgement = verdict.judge(script, outcome, detail, output.error_lines, environment.versions)
    return RunResult(
        id=script.entry,
        script=script.name,
        claim=script.claim,
        outcome=outcome,
        verdict=judgement.verdict,
        expected=judgement.expected,
        seen=judgement.seen,
        affected=judgement.affected,
        observed=output.read_observed_or_none(),
        seconds=round(ended.seconds, 2),
        log=output.stderr_tail[-8192:].decode("utf-8", "backslashreplace"),
        limit=ended.exceeded.limit if ended.exceeded else None,
        missing=missing,
        packages={
            name: environment.installed[name]
            for name in script.needs.distributions
            if name in environment.installed
        },
    )


def read_requirements(texts: list[str], scripts: list[Reproducer]) -> dict[str, str]:
    """Each distribution that these scripts need -> "==" and the version that --with chose, or "".

    texts: those of --with; without any, nothing is required. Raises UsageError.
    """
    needed = {name for script in scripts for name in script.needs.distributions}
    requirements = dict.fromkeys(sorted(needed), "") if texts else {}
    for text in texts:
        name, _, version = text.replace(" ", "").partition("==")
        name = canonicalize_name(name)
        if parse_release(version) is None or len(version) > _MAX_VERSION_CHARACTERS:
            raise UsageError(f"--with {text}: must be NAME==VERSION, such as transformers==4.46.3")
        if name == "torch":
            raise UsageError(f"--with {text}: the torch is chosen with --torch {version}")
        if requirements.get(name) != "":
            known = f"they need {', '.join(requirements) or 'only torch'}, and each once"
            raise UsageError(f"--with {text}: none of these scripts needs {name} (again): {known}")
        requirements[name] = f"=={version}"
    return requirements


def verify(scripts: list[Reproducer], session: Session, jobs: int, repeat: int = 1) -> Iterator[RunResult]:
    """Run all scripts `repeat` times, `jobs` at once, the longest first, and yield each result.

    When the caller stops early or the session is stopped, ends all runs and raises Stopped.
    """
    done: queue.SimpleQueue[Future[RunResult]] = queue.SimpleQueue()
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="verify") as pool:
        try:
            for script in sorted(scripts, key=lambda script: -script.needs.about_seconds) * repeat:
                pool.submit(reproduce, script, session).add_done_callback(done.put)
            for _ in range(repeat * len(scripts)):
                yield _wait_for_run(done).result()
        except BaseException:
            session.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@dataclass(frozen=True)
class VerifyPlan:
    """The scripts to run, and the scripts of catalogues that the user does not trust, which are skipped."""

    catalogue: Catalogue
    scripts: list[Reproducer]
    untrusted: list[Reproducer]

    def select_stale(self, environment: Environment) -> VerifyPlan:
        """The plan with only the scripts whose present code has no evidence in this environment."""
        scripts, untrusted = (
            find_scripts_without_run(scripts, environment, self.catalogue.folders)
            for scripts in (self.scripts, self.untrusted)
        )
        return VerifyPlan(self.catalogue, scripts, untrusted)


def run_plan(
    plan: VerifyPlan, session: Session, jobs: int, repeat: int, on_result: Callable[[RunResult], None]
) -> VerifyRun:
    """Run the scripts of a plan in one session, and skip those that are not trusted.

    on_result takes each result after its script has ended. Raises Stopped when the session is stopped.
    """
    results = []
    # More jobs than runs have nothing to do, and each is a thread.
    jobs = min(jobs, repeat * len(plan.scripts)) or 1
    started = time.monotonic()
    for result in verify(plan.scripts, session, jobs, repeat):
        results.append(result)
        on_result(result)
    seconds = time.monotonic() - started
    results += [create_untrusted_result(script) for script in plan.untrusted]
    return VerifyRun(session.environment, tuple(results), seconds, jobs)


def _wait_for_run(done: queue.SimpleQueue[Future[RunResult]]) -> Future[RunResult]:
    # With a time limit: a signal that another thread gets, or that comes just before this one waits, does not
    # end the wait, and Python handles signals only in this thread.
    while True:
        with contextlib.suppress(queue.Empty):
            return done.get(timeout=0.2)


def read_scripts(catalogue: Catalogue, ids: list[str]) -> list[Reproducer]:
    """The scripts of these entries, or of all. Raises UnknownName, and DpkbError if one is unreadable."""
    entries = {entry.id: entry for entry in (map(catalogue.find_entry, ids) if ids else catalogue)}
    return [
        read_reproducer(script)
        for entry in entries.values()
        if not entry.withdrawn
        for script in entry.scripts
    ]


def create_untrusted_result(script: Script) -> RunResult:
    """The result of a script that was not run because nobody trusts its catalogue."""
    reason = "its catalogue is not trusted: read the scripts, then run this again with --trust"
    return RunResult(
        id=script.entry,
        script=script.name,
        claim=script.claim,
        outcome=Outcome.SKIPPED,
        verdict=Verdict.SKIPPED,
        expected="",
        seen=reason,
        affected=True,
        observed=None,
        seconds=0.0,
    )
