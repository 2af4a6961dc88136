"""Nothing is confirmed that should not be: the two tables of judging against an independent oracle.

The oracle below states the tables again, as literal rows, and shares no code with dpkb.
"""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.results import result

from dpkb.judge.outcome import ScriptOutput, classify
from dpkb.judge.summary import is_proven
from dpkb.judge.verdict import judge
from dpkb.model import LinePattern, Outcome, Script, VersionRange
from dpkb.run_records import ExceededLimit, Limit, ProcessEnd, Verdict

each = settings(deadline=None, database=None, max_examples=600)

# -- the ways in which a process may end------------------------------------------------------------

HEALTHY_LINE = 'OBSERVED {"healthy": true, "of": 2}'
UNHEALTHY_LINE = 'OBSERVED {"of": 2, "healthy": false}'
BAD_LINES = [
    'OBSERVED {"healthy": 1}',
    'OBSERVED {"healthy": "true"}',
    "OBSERVED {",
    "OBSERVED []",
    'OBSERVED {"of": 2}',
    "OBSERVED null",
    "OBSERVED ",
]
WORDS = ["", "some words", "OBSERVEDLY", ' OBSERVED {"healthy": true}', "healthy: true", "0", "SKIP"]
SKIPPED_LINE = "SKIPPED no moon"
TRACEBACK = "Traceback (most recent call last):"
# With the first frame of the script itself, and with that of a thread.
OWN = TRACEBACK + '\n  File "x.py", line 3, in <module>'
THREADS = TRACEBACK + '\n  File "threading.py", line 3, in run'
TIMEOUT = "Timeout (0:00:30)!"
TEXT = "RuntimeError: the declared text"
# A traceback quotes source, indented. The message there proves nothing.
QUOTED = f'    raise RuntimeError("{TEXT}")'
ERRORS = [
    OWN,
    OWN,
    THREADS,
    TIMEOUT,
    TEXT,
    QUOTED,
    "ValueError: another",
    "it says Timeout (0:00:30)! here",
    HEALTHY_LINE,
]

limits = st.builds(ExceededLimit, st.sampled_from(Limit), st.just("too much"))
endings = st.one_of(
    st.builds(lambda code: ProcessEnd(code), st.sampled_from([0, 0, 1, 1, 1, 2, 3, 77, 77, 120, 255])),
    st.builds(lambda signal: ProcessEnd(None, signal), st.sampled_from([6, 9, 11, 15])),
    st.builds(lambda limit: ProcessEnd(None, exceeded=limit), limits),
    st.builds(lambda error: ProcessEnd(None, error=error), st.just("it could not be started")),
)
OUT = [HEALTHY_LINE, UNHEALTHY_LINE, SKIPPED_LINE, *BAD_LINES, *WORDS]
printed = st.lists(st.sampled_from(OUT), max_size=4)
errors = st.lists(st.sampled_from([*ERRORS, *WORDS]), max_size=4)
guards = st.sampled_from([None, (), ("SKIPPED no moon",), ("SKIPPED .* is not installed", "SKIPPED no m.*")])


def printed_by(stdout, stderr, size=4096):
    output = ScriptOutput()
    for stream, lines in (("stdout", stdout), ("stderr", stderr)):
        data = "".join(f"{line}\n" for line in lines).encode()
        for start in range(0, len(data), size):
            output.feed(stream, data[start : start + size])
    output.close()
    return output


def message_on(stderr):
    """The lines of the message of the script's own last exception; None without one."""
    lines = "\n".join(stderr).split("\n")
    own = [n for n, line in enumerate(lines) if line.endswith("<module>")]
    if not own:
        return None
    message = lines[own[-1] + 1 :]
    while message and (not message[0].strip() or message[0].startswith("  ")):
        message.pop(0)
    return message[: message.index(TRACEBACK)] if TRACEBACK in message else message


def outcome_by_the_table(ended, stdout, stderr, guards):
    """The first table, row by row."""
    observed = [line for line in stdout if line.startswith("OBSERVED ")]
    skipped = [line for line in stdout if line.startswith("SKIPPED")]
    no_moon_is_guarded = guards is None or len(guards) > 0
    if ended.error:
        return Outcome.INVALID
    if ended.exceeded is not None:
        return Outcome.TIMED_OUT
    if ended.signal is not None:
        return Outcome.KILLED
    rows = {
        Outcome.HEALTHY: ended.code == 0 and observed == [HEALTHY_LINE] and not {OWN, THREADS} & set(stderr),
        Outcome.WRONG_RESULT: ended.code == 1 and observed == [UNHEALTHY_LINE],
        Outcome.HUNG: ended.code == 1 and not observed and TIMEOUT in stderr,
        Outcome.RAISED: (
            ended.code == 1 and not observed and TIMEOUT not in stderr and bool(message_on(stderr))
        ),
        Outcome.SKIPPED: ended.code == 77 and not observed and skipped and no_moon_is_guarded,
    }
    fitting = [row for row, fits in rows.items() if fits]
    assert len(fitting) <= 1
    return fitting[0] if fitting else Outcome.INVALID


@each
@given(endings, printed, errors, guards, st.integers(1, 40))
def test_an_outcome_is_what_its_row_says(ended, stdout, stderr, guards, size):
    seen, why = classify(ended, printed_by(stdout, stderr, size), guards)
    assert seen is outcome_by_the_table(ended, stdout, stderr, guards)
    assert why


@each
@given(endings, st.binary(max_size=200), st.binary(max_size=200))
def test_random_bytes_are_not_a_result(ended, stdout, stderr):
    """Without an OBSERVED line of JSON nothing is healthy or a wrong result, whatever else is printed."""
    output = ScriptOutput()
    output.feed("stdout", stdout)
    output.feed("stderr", stderr)
    output.close()
    if b"OBSERVED" not in stdout:
        assert classify(ended, output)[0] not in (Outcome.HEALTHY, Outcome.WRONG_RESULT)


numbers = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["healthy", "a"]), inner, max_size=2)
    ),
)


@each
@given(st.sampled_from([0, 1, 2, 77]), numbers, st.booleans())
def test_only_a_true_or_a_false_that_the_code_repeats_is_a_result(code, value, bare):
    line = "OBSERVED " + (json.dumps(value) if bare else json.dumps({"healthy": value}))
    healthy = value if not bare else value.get("healthy") if isinstance(value, dict) else None
    seen, _ = classify(ProcessEnd(code), printed_by([line], []))
    expected = {(0, True): Outcome.HEALTHY, (1, False): Outcome.WRONG_RESULT}
    key = (code, healthy) if isinstance(healthy, bool) else None
    assert seen is expected.get(key, Outcome.INVALID)


# -- the verdict on each outcome ------------------------------------------------------------------

UNHEALTHY = (Outcome.WRONG_RESULT, Outcome.RAISED, Outcome.HUNG, Outcome.KILLED)
# (what is claimed, whether it is claimed for these versions) -> the outcomes that confirm it.
CONFIRMS = {
    (Outcome.HEALTHY, True): {Outcome.HEALTHY},
    (Outcome.WRONG_RESULT, True): {Outcome.WRONG_RESULT},
    (Outcome.RAISED, True): {Outcome.RAISED},
    (Outcome.HUNG, True): {Outcome.HUNG},
    (Outcome.KILLED, True): {Outcome.KILLED},
    (Outcome.HEALTHY, False): set(UNHEALTHY),
    (Outcome.WRONG_RESULT, False): {Outcome.HEALTHY},
    (Outcome.RAISED, False): {Outcome.HEALTHY},
    (Outcome.HUNG, False): {Outcome.HEALTHY},
    (Outcome.KILLED, False): {Outcome.HEALTHY},
}
# A range, and for each version of torch whether it is inside.
INSIDE = {
    None: {"1.8.1": True, "2.4.1+cu121": True, "2.15.0": True, "2.6.0a0+git1": True},
    "<2": {"1.8.1": True, "2.4.1+cu121": False, "2.15.0": False, "2.6.0a0+git1": False},
    ">=1.9,<2.5": {"1.8.1": False, "2.4.1+cu121": True, "2.15.0": False, "2.6.0a0+git1": False},
    ">=2.6": {"1.8.1": False, "2.4.1+cu121": False, "2.15.0": True, "2.6.0a0+git1": True},
}
claims = st.sampled_from([Outcome.HEALTHY, *UNHEALTHY])
ranges = st.sampled_from(list(INSIDE))
torches = st.sampled_from(list(INSIDE[None]))
# The ranges of the messages that a raising script declares; each declares the one message of ERRORS.
texts = st.lists(ranges, max_size=2)


def claimed(shows, specifier, texts):
    def within(one):
        return VersionRange((("torch", one),)) if one else VersionRange()

    declared = tuple(LinePattern("the declared (text)", within(one)) for one in texts)
    return Script("ZZ1", "broken", None, "it fails", shows, declared, within(specifier))


def verdict_by_the_table(seen, shows, inside, text_is_said):
    """The second table: in its order."""
    if seen is Outcome.SKIPPED:
        return Verdict.SKIPPED
    if seen in (Outcome.TIMED_OUT, Outcome.INVALID):
        return Verdict.INCONCLUSIVE
    confirmed = seen in CONFIRMS[shows, inside]
    if shows is Outcome.RAISED and inside:
        confirmed = confirmed and text_is_said
    return Verdict.CONFIRMED if confirmed else Verdict.REFUTED


@each
@given(endings, printed, errors, claims, ranges, texts, torches)
def test_a_run_is_confirmed_by_the_tables_alone(ended, stdout, stderr, shows, specifier, texts, torch):
    """From the exit code and the output to the verdict, through both tables."""
    output = printed_by(stdout, stderr)
    seen, detail = classify(ended, output)
    judged = judge(claimed(shows, specifier, texts), seen, detail, output.error_lines, {"torch": torch})
    inside = INSIDE[specifier][torch]
    message = message_on(stderr) or []
    matches = any("the declared text" in line for line in message) and any(
        INSIDE[one][torch] for one in texts
    )
    by_table = outcome_by_the_table(ended, stdout, stderr, None)
    assert judged.verdict is verdict_by_the_table(by_table, shows, inside, matches)
    assert judged.affected is inside


@each
@given(st.sampled_from(list(Outcome)), claims, ranges, texts, torches, errors)
def test_a_verdict_is_what_its_row_says(seen, shows, specifier, texts, torch, stderr):
    lines = [line for line in stderr if line.strip() and not line.startswith("  ")]
    judged = judge(claimed(shows, specifier, texts), seen, "", lines, {"torch": torch})
    matches = TEXT in lines and any(INSIDE[one][torch] for one in texts)
    assert judged.verdict is verdict_by_the_table(seen, shows, INSIDE[specifier][torch], matches)


@each
@given(st.lists(st.sampled_from(list(Verdict)), max_size=6))
def test_verify_succeeds_only_where_something_was_confirmed_and_nothing_speaks_against_it(verdicts):
    results = [result(verdict=verdict) for verdict in verdicts]
    allowed = {Verdict.CONFIRMED, Verdict.SKIPPED}
    assert is_proven(results) is (Verdict.CONFIRMED in verdicts and set(verdicts) <= allowed)
