"""When the steps of a long run are only counted."""

from types import SimpleNamespace

import pytest
from dpkb_audit.rest import Rest


@pytest.fixture
def audit():
    audit = SimpleNamespace(
        budget=SimpleNamespace(is_cheap=lambda more: False),
        training=SimpleNamespace(step=0, read_loss=lambda tensors: tensors[0]),
        dispatcher=SimpleNamespace(listens=lambda: True),
    )
    audit.rest = Rest(audit)
    return audit


def run(audit, steps):
    """Make these steps, and list those after which the audit rests."""
    resting = []
    for _ in range(steps):
        audit.training.step += 1
        audit.rest.follow_step(audit.training.step)
        if audit.rest.resting:
            resting.append(audit.training.step)
    return resting


def test_rest_begins_late_and_a_row_of_steps_is_always_looked_at(audit):
    assert run(audit, 600) == [*range(128, 512), *range(528, 601)]


def test_a_cheap_audit_does_not_rest(audit):
    audit.budget.is_cheap = lambda more: True
    assert run(audit, 600) == []


def test_another_event_ends_the_rest_for_some_time(audit):
    run(audit, 300)
    audit.rest.end()
    assert not audit.rest.resting and run(audit, 230)[0] == 432


def test_with_a_scheduler_no_step_is_left_out(audit):
    audit.rest.on_scheduler_stepped(None, None)
    assert run(audit, 600) == []


@pytest.mark.parametrize("loss", [float("nan"), float("inf"), 2e3, -2e3])
def test_a_loss_that_may_explode_ends_the_rest(audit, loss):
    run(audit, 300)
    assert audit.rest.sees_plain_loss((0.5,)) and audit.rest.sees_plain_loss((None,))
    assert not audit.rest.sees_plain_loss((loss,)) and not audit.rest.resting


def test_no_value_is_read_while_others_look(audit):
    run(audit, 300)
    audit.dispatcher.listens = lambda: False
    assert audit.rest.sees_plain_loss((float("nan"),))


def test_a_forked_child_looks_at_its_first_steps(audit):
    run(audit, 300)
    audit.rest.restart()
    assert not audit.rest.resting


def test_an_epoch_ends_the_rest_for_few_steps(audit):
    run(audit, 300)
    audit.rest.end_for_short()
    assert not audit.rest.resting and run(audit, 100)[0] == 320


def test_the_first_epoch_of_a_loader_is_looked_at_as_a_whole_and_each_of_a_rank(audit):
    audit.world_size = 1
    run(audit, 300)
    assert audit.rest.sees_plain_batch(SimpleNamespace(epochs=2))
    assert not audit.rest.sees_plain_batch(SimpleNamespace(epochs=1)) and not audit.rest.resting
    assert not audit.rest.sees_plain_batch(SimpleNamespace(epochs=2)), "it does not rest by itself"
    audit.rest.end()
    run(audit, 300)
    audit.world_size = 2
    assert not audit.rest.sees_plain_batch(SimpleNamespace(epochs=2))
