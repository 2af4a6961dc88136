"""When the calls of modules are looked at, and which events they become."""

from types import SimpleNamespace

import pytest
from dpkb_audit.module_calls import ModuleCalls


@pytest.fixture
def audit():
    """An audit with only what ModuleCalls needs of it. `cheap`: whether looking is within its budget."""
    events = []
    budget = SimpleNamespace(other_seconds=1.0, is_cheap=lambda: audit.cheap, add_hook=lambda: None)
    training = SimpleNamespace(in_backward=False, follow_forward=lambda: events.append("forward"))
    audit = SimpleNamespace(
        budget=budget,
        training=training,
        events=events,
        cheap=True,
        dispatcher=SimpleNamespace(listens=lambda: True, resume_at_module_calls=lambda: None),
        has_watchers=lambda event: True,
        emit=lambda event, module, *_: events.append((event, module)),
    )
    return audit


def looked_at(calls, steps, batches=True):
    """The steps, from 1, at whose start modules were looked at."""
    looked = []
    for step in range(1, steps + 1):
        if calls.looking:
            looked.append(step)
        if batches:
            calls.follow_batch(last=False)
        calls.follow_step(step)
    return looked


@pytest.mark.parametrize("batches", [True, False])
def test_the_first_steps_and_some_later_ones_are_looked_at(audit, batches):
    calls = ModuleCalls(audit)
    switched = []
    calls.on_looking = switched.append
    calls.update()
    looked = looked_at(calls, 200, batches)
    assert looked[:8] == [1, 2, 3, 4, 5, 6, 7, 8] and looked[8] == 33
    assert 65 in looked and 129 in looked and len(looked) <= 16
    assert switched == [True, False] * (len(switched) // 2)


def test_a_new_epoch_and_its_last_batch_are_looked_at(audit):
    calls = ModuleCalls(audit)
    looked_at(calls, 20)
    assert not calls.looking
    calls.follow_epoch()
    assert calls.looking
    looked_at(calls, 20)
    calls.follow_batch(last=True)
    assert calls.looking


def test_every_step_of_a_tiny_training_is_looked_at_until_looking_costs_too_much(audit):
    audit.budget.other_seconds = 0.01
    calls = ModuleCalls(audit)
    calls.update()
    assert looked_at(calls, 50) == list(range(1, 51))
    audit.cheap = False
    calls.update()
    assert not calls.looking


def test_the_outermost_call_is_a_forward_pass_and_one_that_raised_is_forgotten(audit):
    calls = ModuleCalls(audit)
    model, layer, broken = (
        SimpleNamespace(training=True, name=name) for name in ("model", "layer", "broken")
    )
    calls.follow_start(model, ())
    calls.follow_start(layer, ())
    calls.follow_end(layer, (), None)
    calls.follow_start(broken, ())  # raises, and the model catches it
    calls.follow_end(model, (), None)
    assert audit.events == [
        "forward",
        ("forward_started", model),
        ("module_started", model),
        ("module_started", layer),
        ("module_ended", layer),
        ("module_started", broken),
        ("module_ended", model),
        ("forward_ended", model),
    ]
    calls.follow_start(broken, ())  # raises out of the training loop
    calls.forget_unfinished()
    calls.follow_start(model, ())
    assert audit.events[-2:] == [("forward_started", model), ("module_started", model)]


def test_modules_that_backward_calls_again_do_not_count_as_a_forward_pass(audit):
    audit.training.in_backward = True
    calls = ModuleCalls(audit)
    calls.follow_start("model", ())
    calls.follow_end("model", (), None)
    assert audit.events == []
