"""Every check belongs to an entry, and watches events that there are."""

import ast
import inspect

import pytest
from support import ROOT

from dpkb.audit.guest_half import all_checks
from dpkb.catalogue.load import load
from dpkb.model import FailureKind

CHECKS = all_checks()
ENTRIES = load([ROOT]).entries


def test_entries_say_which_of_them_audit_can_see():
    claimed = {name for name, entry in ENTRIES.items() if "audit" in dict(entry.found_by)}
    assert claimed == set(CHECKS)


def test_entries_that_neither_lint_nor_audit_sees_say_why():
    silent = [
        entry for entry in ENTRIES.values() if entry.kind is not FailureKind.RAISES and not entry.found_by
    ]
    assert silent and all(entry.unseen for entry in silent)


@pytest.mark.parametrize("name", CHECKS)
def test_the_events_of_each_check_exist(name):
    from dpkb_audit.events import EVENTS

    handlers = {method[3:] for method in dir(CHECKS[name]) if method.startswith("on_")}
    # A check without events reads the facts that another check has noted.
    assert (handlers or CHECKS[name].facts_of in CHECKS) and handlers <= set(EVENTS)


def levels_in(*modules):
    """The levels in the code of these modules, and in rank_differences where one of them imports from it."""
    sources = [
        *modules,
        *(
            inspect.getmodule(module.find_differences)
            for module in modules
            if hasattr(module, "find_differences")
        ),
    ]
    nodes = [node for source in sources for node in ast.walk(ast.parse(inspect.getsource(source)))]
    names = {node.id.lower() for node in nodes if isinstance(node, ast.Name) and node.id.isupper()}
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    return {level for level in ("certain", "likely", "hint") if level in names | texts}


@pytest.mark.parametrize("name", CHECKS)
def test_the_surest_report_of_a_check_has_the_certainty_of_the_entry(name):
    # A base class that a check shares with others may report too.
    levels = levels_in(
        *(
            inspect.getmodule(kind)
            for kind in CHECKS[name].__mro__
            if kind.__module__.startswith("dpkb_audit.checks.")
        )
    )
    surest = next(level for level in ("certain", "likely", "hint") if level in levels)
    assert dict(ENTRIES[name].found_by)["audit"] == surest


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_says_what_it_watches_and_what_to_do(name):
    check = CHECKS[name]
    assert check.description and not check.description.endswith(".")
    assert check.fix and not check.fix.endswith(".")


@pytest.mark.parametrize(
    ("workers", "table", "cache"),
    [
        (
            1,
            "rows of 32 MB was pickled into the worker",
            "cache of Images holds 32 MB, which were pickled into the worker, which was not forked",
        ),
        (
            2,
            "rows of 32 MB was pickled into each of 2 workers: 64 MB in all",
            "cache of Images holds 32 MB, which were pickled into each of 2 workers that were not forked",
        ),
    ],
)
def test_a_message_about_one_worker_is_in_the_singular(workers, table, cache):
    from dpkb_audit.facts import Fact

    def message_of(check, **values):
        facts = [Fact({**values, "bytes": 32 << 20}, pid=number, worker=number) for number in range(workers)]
        [finding] = CHECKS[check].compare(facts)
        return finding["message"]

    assert message_of("U9", name="rows", how="was pickled into") == table
    assert message_of("DP9", copied="cache", dataset="Images") == cache
