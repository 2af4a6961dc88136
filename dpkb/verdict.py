"""One claim, one outcome, the versions it was seen on -> one verdict. Pure."""

from __future__ import annotations

from dpkb import patterns
from dpkb.entry import Judgement, Outcome, Script, Verdict

_IN_WORDS = {
    Outcome.HEALTHY: "a healthy run",
    Outcome.WRONG_RESULT: "a wrong result",
    Outcome.RAISED: "an error",
    Outcome.HUNG: "a hang",
    Outcome.KILLED: "a death by signal",
}


def judge(script: Script, outcome: Outcome, detail: str, stderr_lines: list[str],
          versions: dict[str, str | None]) -> Judgement:
    """Hold what was seen against the claim, for these versions.

    Inside the claim's range the claim must be seen, outside it the opposite.
    """
    affected = script.range.covers(versions)
    expected, matches = _expectation(script, affected, versions)
    seen = _seen(outcome, detail)
    if outcome is Outcome.SKIPPED:
        return Judgement(Verdict.SKIPPED, expected, detail, affected)
    if outcome in (Outcome.TIMED_OUT, Outcome.INVALID):
        return Judgement(Verdict.INCONCLUSIVE, expected, seen, affected)
    verdict = Verdict.CONFIRMED if matches(outcome, stderr_lines) else Verdict.REFUTED
    return Judgement(verdict, expected, seen, affected)


def _expectation(script: Script, affected: bool, versions: dict[str, str | None]):
    """What must be seen, in words and as a test of (outcome, stderr lines)."""
    if not affected and script.shows is Outcome.HEALTHY:
        return f"not healthy: outside {script.range}", lambda outcome, _: outcome is not Outcome.HEALTHY
    if not affected:
        words = f"a healthy run: not affected outside {script.range}"
        return words, lambda outcome, _: outcome is Outcome.HEALTHY
    if script.shows is not Outcome.RAISED:
        return _IN_WORDS[script.shows], lambda outcome, _: outcome is script.shows
    declared = [p for p in script.patterns if p.range.covers(versions)]
    texts = [p.match for p in declared]
    says = " or ".join(p.words for p in declared)
    words = f"an error that says {says}" if texts else "an error, but no text is declared for here"

    def raised_with_text(outcome: Outcome, lines: list[str]) -> bool:
        return outcome is Outcome.RAISED and any(
            patterns.found_in(text, line) for text in texts for line in lines
        )

    return words, raised_with_text


def _seen(outcome: Outcome, detail: str) -> str:
    words = _IN_WORDS.get(outcome, outcome.value)
    plain_outcomes = (Outcome.HEALTHY, Outcome.WRONG_RESULT)
    return words if outcome in plain_outcomes else f"{words}: {detail}"
