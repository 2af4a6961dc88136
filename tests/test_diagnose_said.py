"""What scripts said when they failed, kept in said.json by bench.said: each text leads to its own entry."""

import io
import json
from functools import cache

import pytest
from conftest import ROOT

from bench.said import SAID
from dpkb import logs, patterns
from dpkb.catalogue import load
from dpkb.diagnose import diagnose

CATALOGUE = load([ROOT])
TEXTS = [(version, script, text) for version, scripts in json.loads(SAID.read_text(encoding="utf-8")).items()
         for script, text in scripts.items()]
# Two causes end in the same words: the one that is met more often comes first, and names the other.
TWINS = {"N2/broken_parameter_to": "N3", "N3/broken_device": "N2"}
SIGNATURES = [(entry.id, signature) for entry in CATALOGUE for signature in entry.signatures]


@cache
def said_by(entry_id):
    return [logs.without_prefix(line) for _, script, text in TEXTS if script.split("/")[0] == entry_id
            for line in text.splitlines()]


@pytest.mark.parametrize(("version", "script", "text"), TEXTS, ids=[f"{s}-{v}" for v, s, _ in TEXTS])
def test_no_entry_comes_before_the_scripts_own(version, script, text):
    matches = diagnose(io.BytesIO(text.encode()), CATALOGUE).matches
    own = [match.score for match in matches if match.id == script.split("/")[0]]
    # Several causes of a hang end in the same line: then they stand side by side.
    assert own, [(match.id, match.score) for match in matches]
    assert own[0] == matches[0].score or matches[0].id == TWINS.get(script), [match.id for match in matches]


@pytest.mark.parametrize(("entry_id", "signature"), SIGNATURES,
                         ids=[f"{i}-{n}" for n, (i, _) in enumerate(SIGNATURES)])
def test_a_signature_rests_on_what_a_script_said_or_on_a_thread_that_is_cited(entry_id, signature):
    if any(patterns.found_in(signature.match, line) for line in said_by(entry_id)):
        return
    threads = [s.url for s in CATALOGUE.entry(entry_id).sources if "/issues/" in s.url or "/pull/" in s.url]
    assert threads, f"{entry_id}: no script says {signature.match!r}, and no thread is cited"
