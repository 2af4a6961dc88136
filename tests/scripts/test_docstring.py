"""The docstring of a script: what it says it needs."""

import re

import pytest

from dpkb.scripts.docstring import BadDocstring, docstring, needs

DOC = """'''ZZ1: it fails.

Because.

Symptom: s
Needs:   torch, cv2; {places}; about 5 s
Run:     r
'''
"""


def test_what_a_script_needs():
    found = needs(DOC.format(places="cpu or cuda, linux, 4 MB /dev/shm, 64 open files"))
    assert found.packages == ("torch", "cv2")
    assert (found.devices, found.linux, found.root) == (("cpu", "cuda"), True, False)
    assert (found.shm_mb, found.open_files, found.about_seconds) == (4, 64, 5.0)
    assert docstring(DOC.format(places="cpu")).mechanism == "Because."


@pytest.mark.parametrize(("places", "why"), [
    ("gpu", "names the place 'gpu'; known are cpu, cuda, "), ("", "names the place ''"),
    ("cpu, 64 files", "names the place '64 files'"), ("linux", "does not say cpu, cuda or `cpu or cuda`"),
    ("cpu; cuda", "has three parts: packages; places; about N s")])
def test_unknown_places_are_refused(places, why):
    with pytest.raises(BadDocstring, match=f"^`Needs:` {re.escape(why)}"):
        needs(DOC.format(places=places))


@pytest.mark.parametrize(("old", "new", "why"), [
    ("about 5 s", "about 5 minutes", "`Needs:` ends with the time, as in `about 5 s`, not 'about 5 minutes'"),
    ("Symptom: s", "Symptoms: s", "the docstring has no `Symptom:` line"),
    ("Run: ", "Runs:", "the docstring has no `Run:` line"),
    ("Needs: ", "needs: ", "the docstring has no `Needs:` line")])
def test_a_line_that_is_missing_or_unreadable_is_named(old, new, why):
    with pytest.raises(BadDocstring, match=f"^{re.escape(why)}$"):
        needs(DOC.format(places="cpu").replace(old, new))


def test_a_script_without_a_docstring_is_refused():
    with pytest.raises(BadDocstring, match=r"^no docstring; it starts with `<ID>: <what it shows>`$"):
        docstring("import json\n")


def test_a_docstring_has_a_title_and_labels_and_its_mechanism_may_be_long():
    found = docstring(DOC.format(places="cpu").replace("Because.", "Because.\n\nFor another reason, too."))
    assert found.title == "ZZ1: it fails." and found.mechanism == "Because.\n\nFor another reason, too."
    assert found.labels == {"Symptom": "s", "Needs": "torch, cv2; cpu; about 5 s", "Run": "r"}


def test_a_script_that_sets_variables_has_an_interpreter_for_itself():
    assert not needs(DOC.format(places="cpu")).own_interpreter
    assert needs(DOC.format(places="cpu") + "import os\nos.environ['X'] = '1'\n").own_interpreter
