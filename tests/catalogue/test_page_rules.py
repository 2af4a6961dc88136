"""Rules of a page: each broken in one small way, and the message that names it."""

import dataclasses

import pytest
from support import SEARCH, write_catalogue

from dpkb.catalogue import page_rules
from dpkb.catalogue.load import load, read_source

SCRIPT = """import torch
from torch import nn


def seeded(seed):
    return torch.Generator().manual_seed(seed)  # FIX: a private generator


generator = seeded(0)
"""


@pytest.fixture(scope="module")
def entry(tmp_path_factory):
    return load([write_catalogue(tmp_path_factory.mktemp("page"))]).entries["ZZ1"]


def problems(entry, source=SCRIPT, **changed):
    sections = tuple(dataclasses.replace(s, text=changed.pop(s.heading, s.text)) for s in entry.sections)
    page = dataclasses.replace(entry, sections=sections, **changed)
    return [problem.message for problem in page_rules.find_page_problems(page, {"fixed": source})]


def block(code):
    return f"Use it.\n\n```python\n{code}\n```\n"


def test_a_good_page_breaks_no_rule(entry):
    sources = {script.name: read_source(script) for script in entry.scripts}
    assert list(page_rules.find_page_problems(entry, sources)) == []


@pytest.mark.parametrize(
    "code",
    [
        "generator = seeded(0)\n# a comment of the page\n",
        "import torch\n\ntorch.Generator().manual_seed(seed)",
    ],
)
def test_a_block_with_a_foreign_line_is_refused(entry, code):
    (message,) = problems(entry, Fix=block(f"{code}\nmodel.eval()"))
    assert "has not been run" in message


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("generator = seeded(0)", "the code block uses seeded"),
        ("def seeded(seed):\n    return torch.Generator().manual_seed(seed)", "the code block uses torch"),
        ("import torch\ngenerator = seeded(0)\ndef seeded(seed):", "does not parse by itself"),
        ("generator = seeded(0)\nimport torch", "no single script has all of them in this order"),
    ],
)
def test_a_block_must_run_when_it_is_pasted(entry, code, expected):
    assert any(expected in message for message in problems(entry, **{"In short": block(code)}))


def test_a_whole_block_from_the_script_is_fine(entry):
    code = (
        "import torch\n\ndef seeded(seed):\n    return torch.Generator().manual_seed(seed)\n\n"
        "generator = seeded(0)  # one per worker"
    )
    assert problems(entry, **{"How to check your own code": block(code)}) == []
    assert problems(entry, **{"Why it happens": block("anything(at, all)")}) == []


def test_a_page_and_its_parts_have_a_largest_length(entry):
    assert problems(entry, title="x" * 91) == ["91 characters, at most 90: shorten it"]
    assert problems(entry, **{"In short": "line\n" * 21}) == ["In short has 21 lines, at most 20: shorten it"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("signatures: []", "signatures: [{match: 'no such \\d+ message'}]", "has a line that matches"),
        ("[one,", "[default_collate,", "mentions 'default_collate'"),
        ("[one,", "[torch.utils.data.RandomSampler,", "mentions 'torch.utils.data.RandomSampler'"),
        ("[why one,", "['does nn.LazyLinear help',", "mentions 'nn.LazyLinear'"),
        ("[one,", "[manual_seed,", None),
        ("[why one,", "['my model.layer4 stays empty',", None),
        ("signatures: []", "signatures: [{match: 'Use it\\.'}]", None),
        ("signatures: []", "signatures: [{match: '\\AUse it'}]", "JavaScript does not know \\A in"),
        ("signatures: []", "signatures: [{match: 'Use it', near: 'a]'}]", "JavaScript does not know ] in"),
    ],
)
def test_a_search_word_is_answered_on_the_page(tmp_path, old, new, expected):
    assert old in SEARCH
    folder = write_catalogue(tmp_path, search=SEARCH.replace(old, new))
    found = problems(load([folder]).entries["ZZ1"], Fix="Use it.")
    assert [expected in message for message in found] == ([True] if expected else [])


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("[one,", "[default_collate,", 1),
        ("signatures: []", "signatures:\n  - {match: 'no such message'}", 4),
    ],
)
def test_a_search_word_is_reported_with_its_line(tmp_path, old, new, line):
    folder = write_catalogue(tmp_path, search=SEARCH.replace(old, new))
    (problem,) = page_rules.find_page_problems(load([folder]).entries["ZZ1"], {})
    assert (problem.path.name, problem.line) == ("zz1_made.search.yaml", line)
