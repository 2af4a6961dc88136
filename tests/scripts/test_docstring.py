"""The docstring of a script: what it says it needs."""

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


@pytest.mark.parametrize("places", ["gpu", "linux", "", "cpu; cuda"])
def test_unknown_places_are_refused(places):
    with pytest.raises(BadDocstring):
        needs(DOC.format(places=places))
