"""The verdict on one run, from its outcome, the claim of its script, and the versions that it ran on."""

from __future__ import annotations

from collections.abc import Callable

from dpkb.model import Outcome, Script
from dpkb.patterns import matching
from dpkb.run_records import Judgement, Verdict

_IN_WORDS = {
    Outcome.HEALTHY: "a healthy run",
    Outcome.WRONG_RESULT: "a wrong result",
    Outcome.RAISED: "an error",
    Outcome.HUNG: "a hang",
    Outcome.KILLED: "a death by signal",
    Outcome.TIMED_OUT: "stopped by dpkb",
}


def judge(
    script: Script, outcome: Outcome, detail: str, error_lines: list[str], versions: dict[str, str | None]
) -> Judgement:
    """Compare an outcome with the claim of its script, for these versions.

    Inside the claim's range the run must show the claim, outside it the opposite. error_lines: the message
    of the exception that ended the script.
    """
    affected = script.range.covers(versions)
    expected, confirms = _choose_expectation(script, affected, versions)
    seen = _describe_outcome(outcome, detail)
    if outcome is Outcome.SKIPPED:
        return Judgement(Verdict.SKIPPED, expected, detail, affected)
    if outcome in (Outcome.TIMED_OUT, Outcome.INVALID):
        return Judgement(Verdict.INCONCLUSIVE, expected, seen, affected)
    verdict = Verdict.CONFIRMED if confirms(outcome, error_lines) else Verdict.REFUTED
    return Judgement(verdict, expected, seen, affected)


def _choose_expectation(
    script: Script,
    affected: bool,
    versions: dict[str, str | None],
) -> tuple[str, Callable[[Outcome, list[str]], bool]]:
    """The expected outcome in words, and a test: do an outcome and its error lines confirm the claim?"""
    if not affected and script.shows is Outcome.HEALTHY:
        return f"not healthy: outside {script.range}", lambda outcome, _: outcome is not Outcome.HEALTHY
    if not affected:
        words = f"a healthy run: not affected outside {script.range}"
        return words, lambda outcome, _: outcome is Outcome.HEALTHY
    if script.shows is not Outcome.RAISED:
        return _IN_WORDS[script.shows], lambda outcome, _: outcome is script.shows
    declared = [pattern for pattern in script.patterns if pattern.range.covers(versions)]
    message = " or ".join(pattern.words for pattern in declared)
    words = (
        f"an error that says {message}"
        if declared
        else "an error, but the entry declares no message for these versions"
    )

    def raised_with_message(outcome: Outcome, lines: list[str]) -> bool:
        return outcome is Outcome.RAISED and any(
            matching.has_match(pattern.match, line) for pattern in declared for line in lines
        )

    return words, raised_with_message


def _describe_outcome(outcome: Outcome, detail: str) -> str:
    words = _IN_WORDS.get(outcome, outcome.value)
    needs_no_detail = outcome in (Outcome.HEALTHY, Outcome.WRONG_RESULT)
    return words if needs_no_detail else f"{words}: {detail}"
