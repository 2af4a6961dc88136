"""Runs the scripts of entries, alone or in parallel, and judges each against its claim."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from dpkb import protocol, verdict
from dpkb.entry import Ended, Environment, Needs, Outcome, Result, Script, Verdict
from dpkb.environment import has_package
from dpkb.process import Confinement, Start, cold, run, unmet
from dpkb.usage import Limits
from dpkb.warm import Template


@dataclass
class Session:
    """What all runs of one command share: the interpreter, its variables, the limits, the stop."""

    environment: Environment
    env: dict[str, str]
    limits: Limits
    confinement: Confinement = field(default_factory=Confinement)
    template: Template | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def held(self, needs: Needs) -> Confinement:
        """How a script with these needs is confined."""
        if "cuda" in needs.devices and self.environment.device.startswith("cuda"):
            # Devices, driver, caches: what a GPU needs differs by machine, and none of it may be missing.
            return Confinement(why="it uses a GPU", cgroup=self.confinement.cgroup)
        return self.confinement


def child_env(device: str) -> dict[str, str]:
    """The variables that scripts run with: the user's own, with the GPUs hidden for device cpu."""
    env = dict(os.environ)
    if device == "cpu":
        env["CUDA_VISIBLE_DEVICES"] = ""
    return env


def reproduce(script: Script, session: Session,
              on_output: Callable[[str, bytes], None] | None = None) -> Result:
    """Run one script to its end and judge it. Raises Stopped when the session is stopped."""
    output = protocol.Output()

    def take(stream: str, chunk: bytes) -> None:
        output.feed(stream, chunk)
        if on_output:
            on_output(stream, chunk)

    missing = missing_place(script.needs, session.environment)
    start, missing = (None, missing) if missing else _how_to_start(script, session)
    if start is None:
        return _result(script, session, Outcome.SKIPPED, missing, Ended(None), output)
    ended = run(start, session.limits, session.stop, take)
    output.close()
    outcome, detail = protocol.outcome(ended, output, script.needs.skips)
    if outcome is Outcome.SKIPPED and (there := _is_there(detail, session)):
        outcome, detail = Outcome.INVALID, there
    return _result(script, session, outcome, detail, ended, output)


def _how_to_start(script: Script, session: Session) -> tuple[Start | None, str]:
    """As a fork of the template where that makes no difference to the script, else cold."""
    needs = script.needs
    held = session.held(needs)
    if missing := unmet(needs, held):
        return None, missing
    if session.template and not needs.own_interpreter:
        return session.template.start(script.path, session.env, needs, held, session.limits), ""
    command = [session.environment.executable, "-u", str(script.path)]
    return cold(command, session.env, needs, held, session.limits), ""


def _is_there(reason: str, session: Session) -> str | None:
    """What is wrong with a skip for a package: that it can be imported. None for other reasons."""
    package, _, rest = reason.partition(" ")
    names_one = rest == "is not installed" and package.isidentifier()
    if names_one and has_package(session.environment.executable, package):
        return f"exit code 77, but {package} is installed"
    return None


def missing_place(needs: Needs, environment: Environment) -> str | None:
    """What of the places that a script needs is not here, in words; None where all is."""
    if "cpu" not in needs.devices and not environment.device.startswith("cuda"):
        return "no GPU is in use here"
    if needs.linux and environment.os != "linux":
        return f"needs Linux, this is {environment.os}"
    if needs.root and getattr(os, "geteuid", lambda: 1)() != 0:
        return "needs root"
    return None


def _result(script: Script, session: Session, outcome: Outcome, detail: str, ended: Ended,
            output: protocol.Output) -> Result:
    judged = verdict.judge(script, outcome, detail, output.stderr_lines, session.environment.versions)
    return Result(
        id=script.entry, script=script.name, claim=script.claim, outcome=outcome,
        verdict=judged.verdict, expected=judged.expected, seen=judged.seen,
        affected=judged.affected, observed=output.observed(), seconds=round(ended.seconds, 2),
        log=output.stderr_tail[-8192:].decode("utf-8", "backslashreplace"),
    )


def verify(scripts: list[Script], session: Session, jobs: int, repeat: int = 1) -> Iterator[Result]:
    """Run all scripts `repeat` times, `jobs` at once, the longest first; results as they come.

    Ends all runs at once when the caller stops early or the session is stopped (raises Stopped).
    """
    work: queue.SimpleQueue[Script] = queue.SimpleQueue()
    for _ in range(repeat):
        for script in sorted(scripts, key=lambda s: -s.needs.about_seconds):
            work.put(script)
    total = repeat * len(scripts)
    done: queue.SimpleQueue[Result | BaseException] = queue.SimpleQueue()
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="verify") as pool:
        finished = False
        try:
            for _ in range(jobs):
                pool.submit(_work_through, work, session, done)
            for _ in range(total):
                result = done.get()
                if isinstance(result, BaseException):
                    raise result
                yield result
            finished = True
        finally:
            if not finished:
                session.stop.set()


def _work_through(work: queue.SimpleQueue, session: Session, done: queue.SimpleQueue) -> None:
    while True:
        try:
            script = work.get_nowait()
        except queue.Empty:
            return
        try:
            done.put(reproduce(script, session))
        except BaseException as error:
            # Carried to the caller's thread, which raises it: lost here, the caller would wait on.
            session.stop.set()
            done.put(error)
            return


def shard(scripts: list[Script], index: int, count: int) -> list[Script]:
    """Part `index` (from 1) of `count`: each holds scripts of every length."""
    by_length = sorted(scripts, key=lambda s: (-s.needs.about_seconds, s.entry, s.name))
    return by_length[index - 1::count]


def summary(results: list[Result]) -> dict[str, int]:
    """How many runs came to each verdict."""
    return {v.value: sum(r.verdict is v for r in results) for v in Verdict}


def reproduced(results: list[Result]) -> tuple[int, int]:
    """Of the entries whose whole pair was run, how many showed both the failure and the fix."""
    confirmed: dict[tuple[str, str], bool] = {}
    for result in results:
        key = (result.id, result.script)
        confirmed[key] = confirmed.get(key, True) and result.verdict is Verdict.CONFIRMED
    pairs = [i for i, name in confirmed if name == "broken" and (i, "fixed") in confirmed]
    return sum(confirmed[i, "broken"] and confirmed[i, "fixed"] for i in pairs), len(pairs)


def disagreements(results: list[Result]) -> list[tuple[str, str, set[str]]]:
    """Scripts whose repeated runs did not all come to one verdict."""
    seen: dict[tuple[str, str], set[str]] = {}
    for result in results:
        seen.setdefault((result.id, result.script), set()).add(result.verdict.value)
    return [(entry, name, verdicts) for (entry, name), verdicts in seen.items() if len(verdicts) > 1]


def is_proven(results: list[Result]) -> bool:
    """Whether something was confirmed and nothing spoke against it. Skipped alone proves nothing."""
    counts = summary(results)
    return counts["confirmed"] > 0 and not counts["refuted"] and not counts["inconclusive"]


def untrusted(script: Script) -> Result:
    """The result of a script that was not run because nobody said yes to its catalogue."""
    reason = "its catalogue is not trusted: read the scripts, then say --trust"
    return Result(script.entry, script.name, script.claim, Outcome.SKIPPED, Verdict.SKIPPED,
                  "", reason, True, None, 0.0)
