"""What looking may cost, by clocks that the test moves."""

import pytest
from dpkb_audit import budget


@pytest.fixture
def clock(monkeypatch):
    """Seconds of the clock on the wall, and of the CPU time of this thread, the only one of the process."""

    class Clock:
        wall = cpu = 0.0

        def pass_seconds(self, wall, cpu):
            self.wall += wall
            self.cpu += cpu

        perf_counter = property(lambda self: lambda: self.wall)
        thread_time = process_time = property(lambda self: lambda: self.cpu)

    clock = Clock()
    monkeypatch.setattr(budget, "time", clock)
    return clock


def handle(budget, clock, seconds, computed, about_samples=False, looks=True):
    """An event whose checks take these seconds. Returns whether they could look."""
    budget.start_event("samples" if about_samples else "batch")
    allowed = budget.can_look() if looks else None
    clock.pass_seconds(seconds, computed)
    budget.end_event()
    return allowed


def test_looking_ends_when_it_has_cost_too_much_and_goes_on_when_the_run_has_lasted(clock):
    account = budget.LookBudget()
    assert handle(account, clock, 0.06, 0.06)
    assert handle(account, clock, 0.06, 0.06)
    assert not handle(account, clock, 0, 0) and not account.is_cheap()
    clock.pass_seconds(20, 0)  # it waits
    assert not handle(account, clock, 0, 0) and not account.is_cheap()
    clock.pass_seconds(20, 20)
    assert handle(account, clock, 0, 0) and account.is_cheap()


def test_all_checks_that_handle_an_event_get_the_same_answer(clock):
    account = budget.LookBudget()
    account.start_event("batch")
    assert account.can_look()
    clock.pass_seconds(1.0, 1.0)
    assert account.can_look()
    account.end_event()
    account.start_event("batch")
    assert not account.can_look()


def test_only_computing_counts_and_not_the_work_of_other_processes(clock):
    account = budget.LookBudget()
    for _ in range(100):
        clock.pass_seconds(0.1, 0.1)
        assert handle(account, clock, seconds=1.0, computed=0.001)
    assert account.other_seconds == pytest.approx(0.1) and account.event_seconds == pytest.approx(100)


def test_an_event_without_a_costly_look_counts_half_a_millisecond_at_most(clock):
    account = budget.LookBudget()
    for seconds in (0.0001, 0.3):
        handle(account, clock, seconds, seconds, looks=False)
    assert account.other_seconds == pytest.approx(0.0006)


def test_samples_have_an_account_of_their_own(clock):
    account = budget.LookBudget()
    handle(account, clock, 5.0, 5.0, about_samples=True)
    assert not handle(account, clock, 0, 0, about_samples=True) and handle(account, clock, 0, 0)


def test_a_forked_child_begins_with_an_empty_account(clock):
    account = budget.LookBudget()
    handle(account, clock, 5.0, 5.0)
    account.restart()
    assert account.is_cheap() and account.seconds() == 0


def test_a_worker_of_a_later_epoch_begins_with_less(clock):
    account = budget.LookBudget()
    account.repeats_children = True
    account.restart()
    assert handle(account, clock, 0.03, 0.03)
    assert not handle(account, clock, 0, 0)
