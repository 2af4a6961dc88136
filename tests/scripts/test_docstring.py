"""The docstring of a script: its title and its labels, such as the needs of the script."""

import re

import pytest

from dpkb.scripts.docstring import BadDocstring, read_docstring, read_needs

DOC = """'''ZZ1: it fails.

Because.

Symptom: s
Needs:   torch, cv2; {places}; about 5 s
Run:     r
'''
"""


def test_what_a_script_needs():
    found = read_needs(DOC.format(places="cpu or cuda, linux, 4 MB /dev/shm, 64 open files"))
    assert found.packages == ("torch", "cv2")
    assert (found.devices, found.linux, found.root) == (("cpu", "cuda"), True, False)
    assert (found.shm_mb, found.open_files, found.about_seconds) == (4, 64, 5.0)


@pytest.mark.parametrize(
    ("places", "why"),
    [
        ("gpu", "names the place 'gpu'; known are cpu, cuda, "),
        ("", "names the place ''"),
        ("cpu, 64 files", "names the place '64 files'"),
        ("linux", "names no device: add cpu, cuda or `cpu or cuda`"),
        ("cpu; cuda", "must have three parts: packages; places; about N s"),
    ],
)
def test_unknown_places_are_refused(places, why):
    with pytest.raises(BadDocstring, match=f"^`Needs:` {re.escape(why)}"):
        read_needs(DOC.format(places=places))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (
            "about 5 s",
            "about 5 minutes",
            "`Needs:` must end with the time, like `about 5 s`, not 'about 5 minutes'",
        ),
        ("Symptom: s", "Symptoms: s", "the docstring has no `Symptom:` line: add it"),
        ("Run: ", "Runs:", "the docstring has no `Run:` line: add it"),
        ("Needs: ", "needs: ", "the docstring has no `Needs:` line: add it"),
    ],
)
def test_a_line_that_is_missing_or_unreadable_is_named(old, new, why):
    with pytest.raises(BadDocstring, match=f"^{re.escape(why)}$"):
        read_needs(DOC.format(places="cpu").replace(old, new))


def test_a_script_without_a_docstring_is_refused():
    expected = r"^no docstring: write one that starts with `<ID>: <what it shows>`$"
    with pytest.raises(BadDocstring, match=expected):
        read_docstring("import json\n")


def test_a_docstring_has_a_title_and_labels():
    found = read_docstring(DOC.format(places="cpu"))
    assert found.title == "ZZ1: it fails."
    assert found.labels == {"Symptom": "s", "Needs": "torch, cv2; cpu; about 5 s", "Run": "r"}


def test_a_script_that_sets_variables_has_an_interpreter_for_itself():
    assert not read_needs(DOC.format(places="cpu")).own_interpreter
    assert read_needs(DOC.format(places="cpu") + "import os\nos.environ['X'] = '1'\n").own_interpreter
