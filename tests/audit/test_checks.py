"""Every check belongs to an entry, and watches events that there are."""

import ast
import inspect
from types import SimpleNamespace

import pytest
from support import ROOT

from dpkb.audit.guest_half import all_checks
from dpkb.catalogue.load import load
from dpkb.model import Kind

CHECKS = all_checks()
ENTRIES = load([ROOT]).entries


def test_entries_say_which_of_them_audit_can_see():
    claimed = {name for name, entry in ENTRIES.items() if "audit" in dict(entry.found_by)}
    assert claimed == set(CHECKS)


def test_entries_that_neither_lint_nor_audit_sees_say_why():
    silent = [entry for entry in ENTRIES.values() if entry.kind is not Kind.RAISES and not entry.found_by]
    assert silent and all(entry.unseen for entry in silent)


@pytest.mark.parametrize("name", CHECKS)
def test_its_events_exist(name):
    from dpkb_audit.events import EVENTS

    handlers = {method[3:] for method in dir(CHECKS[name]) if method.startswith("on_")}
    # Without events of its own it reads what another check has noted.
    assert (handlers or CHECKS[name].facts_of in CHECKS) and handlers <= set(EVENTS)


def levels_in(*modules):
    """The levels that the code of these modules uses. `rank_orders` counts for those that import it."""
    nodes = [node for module in modules for source in (module, getattr(module, "rank_orders", None)) if source
             for node in ast.walk(ast.parse(inspect.getsource(source)))]
    names = {node.id.lower() for node in nodes if isinstance(node, ast.Name) and node.id.isupper()}
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    return {level for level in ("certain", "likely", "hint") if level in names | texts}


@pytest.mark.parametrize("name", CHECKS)
def test_its_surest_report_is_what_the_entry_says(name):
    own, *shared = [inspect.getmodule(kind) for kind in CHECKS[name].__mro__
                    if kind.__module__.startswith("dpkb_audit.checks.")]
    # A check that reports nothing by itself leaves that to the class that it shares with others.
    levels = levels_in(own) or levels_in(*shared)
    surest = next(level for level in ("certain", "likely", "hint") if level in levels)
    assert dict(ENTRIES[name].found_by)["audit"] == surest


@pytest.mark.parametrize("name", CHECKS)
def test_it_says_what_it_watches_and_what_to_do(name):
    check = CHECKS[name]
    assert check.watches and check.fix and not check.watches.endswith(".") and not check.fix.endswith(".")


def epoch_of(own, loading, seconds=0.05, work=0.005, workers=2, batches=40):
    """An epoch: of each second, this process and the workers together computed, and waited for a core."""
    passed = (seconds + work) * batches

    def times(at):
        return tuple(share * at for share in loading), tuple(share * at for share in own)

    return SimpleNamespace(
        num_workers=workers, waits=[seconds] * batches, works=[work] * (batches - 1), trained=True,
        cpu_times=[(number, at, *times(at)) for number, at in ((8, 0.0), (batches, passed))])


@pytest.mark.parametrize(("own", "loading", "waits"), [
    ((0.05, 0.0), (0.1, 0.0), True),  # the workers wait for storage
    ((0.05, 0.1), (0.1, 0.2), True),
    ((0.05, 0.0), (1.95, 0.5), True),  # they are why the cores are busy
    ((0.15, 0.75), (0.1, 0.3), False),  # this process waits for a core
    ((0.05, 0.1), (0.2, 1.7), False),  # the workers do
])
def test_a_wait_for_a_core_is_no_wait_for_data(own, loading, waits, monkeypatch):
    from dpkb_audit.checks import _waits

    monkeypatch.setattr(_waits, "cores", lambda: 2)
    assert (_waits.Waits(epoch_of(own, loading)).share > _waits.LARGE_WAIT_SHARE) is waits
