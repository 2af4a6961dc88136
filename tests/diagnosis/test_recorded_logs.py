"""The recorded stderr of failing scripts leads to their entries, also among the lines of launchers.

tools.record_logs records it. Each signature matches a recorded line, or a line that its entry cites.
"""

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest
from support import ROOT, noisy_logs

from dpkb.catalogue.load import load
from dpkb.diagnosis import log
from dpkb.diagnosis.conclusion import diagnose
from dpkb.diagnosis.match import Signatures, read_log
from tools.record_logs import ERROR_OUTCOMES, RECORDED_LOGS, find_scripts_with_errors

CATALOGUE = load([ROOT])
SIGNATURES_OF_ALL = Signatures(CATALOGUE)
LOGS = {
    script: [(log["text"], log["versions"]) for log in logs]
    for script, logs in json.loads(RECORDED_LOGS.read_text(encoding="utf-8")).items()
}
TEXTS = [(script, versions[0], text) for script, logs in LOGS.items() for text, versions in logs]
# The lines with a message, copied from the threads that entries cite.
CITED = json.loads((ROOT / "tests" / "diagnosis" / "cited_lines.json").read_text(encoding="utf-8"))
# Two causes end in the same words: the more frequent one comes first, and its page names the other.
# On a GPU, the message about an assertion names a kernel: if it is that of cross_entropy, O14 is the cause.
TWINS = {"N2/broken_parameter_to": {"N3"}, "N3/broken_device": {"N2", "S6"}, "Q5/broken_gpu": {"O14"}}
# Some traps end in the failure of another entry.
ENDS_IN = {"DP16/trap_keep_last": "DP8", "D8/trap_zero_without_graph": "D9"}
# These noises have many steps before the error, and M1 is about the first ones.
SPEAKS_AGAINST = {"under_a_progress_bar": "M1", "far_down_a_long_log": "M1", "collected_by_ray": "M1"}
SIGNATURES = [(entry.id, signature) for entry in CATALOGUE for signature in entry.signatures]


def find_matches(log):
    return diagnose(io.BytesIO(log if isinstance(log, bytes) else log.encode()), SIGNATURES_OF_ALL).matches


def mismatch(script, matches):
    """How these matches differ from the failure of the script; empty if they do not."""
    wanted = ENDS_IN.get(script, script.split("/")[0])
    scores = {match.id: match.score for match in matches}
    # Several causes of a hang end in the same line: then they have the same score.
    if wanted in scores and (scores[wanted] == matches[0].score or matches[0].id in TWINS.get(script, ())):
        return ""
    return f"{script}: {scores}"


def test_every_recorded_failure_has_its_log():
    scripts = find_scripts_with_errors(CATALOGUE)
    missing, failures = {}, 0
    for path in sorted((ROOT / "evidence").glob("*-cpu.json")):
        recorded = json.loads(path.read_text(encoding="utf-8"))
        version = "torch {torch}, Python {python}".format(**recorded["environment"])
        for script, seen in recorded["scripts"].items():
            versions = [v for _, versions in LOGS.get(script, ()) for v in versions]
            if script in scripts and seen["outcome"] in ERROR_OUTCOMES:
                failures += 1
                if version not in versions:
                    missing.setdefault(version, []).append(script)
    assert failures > 500
    assert not missing, f"dpkb verify --json > v.json; python -m tools.record_logs v.json, for {missing}"


@pytest.mark.parametrize(("script", "version", "text"), TEXTS, ids=[f"{s}-{v}" for s, v, _ in TEXTS])
def test_no_entry_comes_before_that_of_the_script(script, version, text):
    assert not mismatch(script, find_matches(text))


def in_order(version):
    return [int(number) for number in re.findall(r"\d+", version)]


NEWEST = {script: max(logs, key=lambda log: max(map(in_order, log[1])))[0] for script, logs in LOGS.items()}


@pytest.mark.parametrize(
    "add_noise",
    [
        pytest.param(
            around,
            id=around.__name__,
            marks=pytest.mark.slow if around is noisy_logs.far_down_a_long_log else (),
        )
        for around in noisy_logs.NOISES
    ],
)
def test_noise_changes_nothing(add_noise, monkeypatch):
    monkeypatch.setattr(log, "BLOCK_BYTES", 1 << 13)  # so that a long log has several
    assert not [
        why
        for script, text in NEWEST.items()
        if script.split("/")[0] != SPEAKS_AGAINST.get(add_noise.__name__)
        and (why := mismatch(script, find_matches(add_noise(text))))
    ]


@pytest.mark.parametrize(
    ("does", "wanted"),
    [
        pytest.param(
            'runpy.run_path("reproducers/o20_size_mismatch/broken.py", run_name="__main__")',
            "O20",
            marks=pytest.mark.slow,
        ),
        ('os.kill(os.getpid(), signal.SIGKILL) if os.environ["RANK"] == "1" else None', "U9"),
    ],
)
def test_a_log_that_torchrun_prints_leads_to_its_entry(does, wanted, tmp_path):
    rank = tmp_path / "rank.py"
    rank.write_text(f"import os, runpy, signal\n{does}\n")
    launched = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(rank)],
        cwd=ROOT,
        capture_output=True,
        timeout=300,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert launched.returncode and b"ChildFailedError" in launched.stderr
    assert find_matches(launched.stderr)[0].id == wanted


@cache
def texts_of(entry_id):
    """The logs of an entry's scripts and the lines of its sources, each with the versions of torch."""
    own = [
        (text, [v.split()[1].rstrip(",") for v in versions])
        for script, logs in LOGS.items()
        if script.split("/")[0] == entry_id
        for text, versions in logs
    ]
    urls = {source.url for source in CATALOGUE.find_entry(entry_id).sources}
    return own + [(text, [None]) for url in urls for text in CITED.get(url, ())]


@pytest.mark.parametrize(
    ("entry_id", "signature"), SIGNATURES, ids=[f"{i}-{n}" for n, (i, _) in enumerate(SIGNATURES)]
)
def test_each_signature_matches_a_recorded_log_or_a_cited_line(entry_id, signature):
    alone = Signatures([replace(CATALOGUE.find_entry(entry_id), signatures=(signature,))])
    found = any(
        any(signature.range.covers({"torch": version}) for version in versions)
        and read_log(io.BytesIO(text.encode()), alone).matched
        for text, versions in texts_of(entry_id)
    )
    assert found, (
        f"{entry_id}: {signature.match!r} is in no text of its scripts, "
        "and in no line that cited_lines.json has of its sources"
    )


def test_every_cited_line_belongs_to_a_source_and_matches_a_signature():
    sources = {source.url for entry in CATALOGUE for source in entry.sources}
    assert not set(CITED) - sources
    for url, texts in CITED.items():
        signatures = Signatures(
            entry for entry in CATALOGUE if url in {source.url for source in entry.sources}
        )
        for text in texts:
            matches = diagnose(io.BytesIO(text.encode()), signatures).matches
            assert matches, f"no signature matches {text!r} of {url}"
