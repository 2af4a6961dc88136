"""Scripts of added catalogues run only after the user agrees, until one of them changes."""

import os

import pytest
from support import write_catalogue

from dpkb.catalogue.load import load
from dpkb.errors import CannotWrite, UnmetNeed
from dpkb.runner import trust


@pytest.fixture
def added(tmp_path, monkeypatch):
    """dpkb's own catalogue and an added one that is not yet trusted."""
    monkeypatch.setenv("DPKB_STATE_DIR", str(tmp_path / "state"))
    return [write_catalogue(tmp_path / "own"), write_catalogue(tmp_path / "added", entry_id="ZZ2")]


def script_of(folders, entry_id):
    return load(folders).find_entry(entry_id).find_script("broken")


def test_only_scripts_of_added_catalogues_need_trust(added):
    scripts = [script_of(added, "ZZ1"), script_of(added, "ZZ2")]
    assert trust.split_by_trust(scripts, added, False) == (scripts[:1], scripts[1:])
    assert trust.split_by_trust(scripts, added, True) == (scripts, [])


def test_an_agreement_is_recorded_and_a_refusal_is_not(added):
    script, questions, notes = script_of(added, "ZZ2"), [], []

    def answer(yes):
        return lambda question: (questions.append(question), yes)[1]

    with pytest.raises(UnmetNeed, match="--trust"):
        trust.require_trust(script, added, False, answer(False), notes.append)
    trust.require_trust(script, added, False, answer(True), notes.append)
    trust.require_trust(script, added, False, answer(False), notes.append)
    assert not notes and len(questions) == 2 and str(added[1]) in questions[0]


@pytest.mark.parametrize("change", ["edit", "add", "rename", "bytecode"])
def test_after_any_change_of_the_scripts_dpkb_asks_again(added, change):
    folder = added[1]
    trust.record_trust(folder)
    assert trust.is_trusted(folder)
    script = folder / "reproducers/zz2_made/broken.py"
    if change == "bytecode":  # which Python would run in place of a module that the user has read
        (script.parent / "__pycache__").mkdir()
        (script.parent / "__pycache__/helper.cpython-311.pyc").touch()
    elif change == "edit":
        script.write_text(script.read_text() + "\n")
    elif change == "add":
        (script.parent / "helper.py").touch()
    else:
        script.rename(script.with_name("trap_x.py"))
    assert not trust.is_trusted(folder)


def test_a_catalogue_below_a_folder_of_any_name_is_hashed(tmp_path, monkeypatch):
    monkeypatch.setenv("DPKB_STATE_DIR", str(tmp_path / "state"))
    folder = write_catalogue(tmp_path / "__pycache__" / "added")
    trust.record_trust(folder)
    assert trust.is_trusted(folder)
    (folder / "reproducers/zz1_made/broken.py").write_text("print(1)\n")
    assert not trust.is_trusted(folder)


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_linked_folder_is_never_trusted(added, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (added[1] / "reproducers/zz2_made/helpers").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CannotWrite, match="helpers: a linked folder"):
        trust.record_trust(added[1])
    assert not trust.is_trusted(added[1])


def test_a_damaged_record_trusts_nobody(added, tmp_path):
    trust.record_trust(added[1])
    [file] = (tmp_path / "state").glob("*.json")
    for text in ("", "{", "[]", '{"trusted": []}', '{"trusted": {"x": 3}}'):
        file.write_text(text)
        assert not trust.is_trusted(added[1])
    trust.record_trust(added[1])
    assert trust.is_trusted(added[1])


def test_the_record_of_a_newer_dpkb_is_neither_used_nor_replaced(added, tmp_path):
    trust.record_trust(added[1])
    [file] = (tmp_path / "state").glob("*.json")
    newer = file.read_text().replace('"version": 1', '"version": 2')
    file.write_text(newer)
    for use in (trust.is_trusted, trust.record_trust):
        with pytest.raises(UnmetNeed, match="written by a newer dpkb: update dpkb"):
            use(added[1])
    assert file.read_text() == newer


@pytest.mark.skipif(os.name != "posix", reason="needs a folder that cannot be created")
def test_an_agreement_that_cannot_be_stored_holds_once(added, monkeypatch):
    monkeypatch.setenv("DPKB_STATE_DIR", "/dev/null/state")
    notes = []
    trust.require_trust(script_of(added, "ZZ2"), added, False, lambda _: True, notes.append)
    assert notes == [
        "this answer could not be stored, so dpkb will ask again: /dev/null/state: Not a directory"
    ]
    assert not trust.is_trusted(added[1])


def test_an_untrusted_catalogue_does_not_run(dpkb_in_process, catalogue, tmp_path):
    ran = tmp_path / "ran"
    folder = catalogue(body=f"value = open({str(ran)!r}, 'w')")
    done = dpkb_in_process("repro", "ZZ1", "--kb", folder)
    assert done.returncode == 2 and "--trust" in done.stderr
    done = dpkb_in_process("verify", "--cold", "ZZ1", "--kb", folder)
    assert done.returncode == 1 and "not trusted" in done.stdout
    assert not ran.exists()
