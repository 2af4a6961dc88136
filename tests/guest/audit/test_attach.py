"""All of torch is watched, and what cannot be watched does not keep the rest from it."""

from types import SimpleNamespace

import pytest
from dpkb_audit import attach


@pytest.fixture
def audit():
    rows = []
    calls = SimpleNamespace(on_looking=None, updates=0)
    calls.update = lambda: setattr(calls, "updates", calls.updates + 1)
    journal = SimpleNamespace(rows=rows, write=lambda kind, **fields: rows.append((kind, fields)))
    return SimpleNamespace(module_calls=calls, journal=journal, exit_code=None, ended=0)


@pytest.fixture
def watches(monkeypatch):
    """The names of the functions that watch torch, and those of them that were called."""
    called = []
    names = [name for name in vars(attach) if name.startswith("watch_")]
    for name in names:
        monkeypatch.setattr(attach, name, lambda attachment, name=name: called.append(name))
    return names, called


def test_every_part_of_torch_is_watched(audit, watches):
    names, called = watches
    attachment = attach.attach(audit)
    assert sorted(called) == sorted(names) and len(names) > 10
    assert audit.module_calls.on_looking == attachment.hook_modules and audit.module_calls.updates == 1


def test_a_part_that_cannot_be_watched_is_reported_and_the_others_are_watched(audit, watches, monkeypatch):
    names, called = watches

    def watch_losses(attachment):
        raise AttributeError("no such function in this torch")

    monkeypatch.setattr(attach, "watch_losses", watch_losses)
    attach.attach(audit)
    ((kind, fields),) = audit.journal.rows
    assert (kind, fields["message"]) == ("failure", "watch_losses")
    assert "no such function" in fields["traceback"]
    assert len(called) == len(names) - 1


@pytest.mark.parametrize("error", [None, SystemExit(3)])
def test_the_end_of_a_child_process_is_the_end_of_its_audit(audit, error):
    """Such a child ends without atexit."""
    replaced = {}
    attachment = SimpleNamespace(audit=audit, replace=lambda owner, name, wrap: replaced.update({name: wrap}))
    audit.end = lambda: setattr(audit, "ended", audit.ended + 1)
    attach.watch_process_end(attachment)

    def bootstrap(*arguments, **more):
        if error:
            raise error
        return 5

    if error:
        with pytest.raises(SystemExit):
            replaced["_bootstrap"](bootstrap)()
    else:
        assert replaced["_bootstrap"](bootstrap)() == 5 == audit.exit_code
    assert audit.ended == 1
