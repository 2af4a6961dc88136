"""Functions of torch are replaced for the time of an audit, and put back as they were."""

from types import SimpleNamespace

import pytest
from dpkb_audit.attachment import Attachment, emit_around

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.fixture
def audit():
    events = []
    return SimpleNamespace(
        events=events,
        emit=lambda event, *arguments: events.append((event, *arguments)),
        module_calls=SimpleNamespace(
            looking=True,
            follow_end=lambda *_: events.append("ended"),
            follow_start=lambda module, inputs: events.append("started"),
        ),
    )


@pytest.fixture
def owner():
    """A class with a function to be replaced, and one that inherits it."""

    class Owner:
        def act(self, number, times=1):
            """Multiply."""
            if number < 0:
                raise ValueError(number)
            return number * times

    class Heir(Owner):
        pass

    Owner.Heir = Heir
    return Owner


def watch_act(audit):
    return emit_around(audit, "before", "after", lambda owner, number, times=1: (number, times))


def test_a_watched_function_does_what_the_real_one_does(audit, owner):
    real = owner.act
    attachment = Attachment(audit)
    attachment.replace(owner, "act", watch_act(audit))
    attachment.replace(owner, "act", watch_act(audit))
    assert owner().act(3, times=2) == 6 and owner.act.__doc__ == real.__doc__
    assert audit.events == [("before", 3, 2), ("after", 3, 2)], "replaced once"
    with pytest.raises(ValueError):
        owner().act(-1)
    assert audit.events[2:] == [("before", -1, 1)]
    attachment.detach()
    assert owner.act is real


def test_what_a_class_inherits_or_lacks_is_left_alone(audit, owner):
    attachment = Attachment(audit)
    attachment.replace(owner.Heir, "act", watch_act(audit))
    attachment.replace(owner, "nothing", watch_act(audit))
    attachment.replace(torch, "no_such_function", watch_act(audit))
    assert "act" not in vars(owner.Heir) and not hasattr(owner, "nothing")


def test_a_compiler_meets_the_real_functions_that_it_would_read(audit, owner):
    real, other = owner.act, SimpleNamespace(run=lambda number: number)
    plain = other.run
    attachment = Attachment(audit)
    attachment.replace(owner, "act", watch_act(audit), traced=True)
    attachment.replace(other, "run", emit_around(audit, "ran", None, lambda number: (number,)))
    watching = owner.act
    with attachment.real_functions():
        with attachment.real_functions():  # a compiler that calls itself
            assert owner.act is real and other.run is not plain
        assert owner.act is real
    assert owner.act is watching
    attachment.detach(only_traced=True)
    assert owner.act is real and other.run is not plain
    attachment.detach()
    assert other.run is plain


def test_modules_are_followed_only_while_that_is_wanted(audit):
    attachment, model = Attachment(audit), torch.nn.Linear(2, 2)
    attachment.hook_modules(True)
    attachment.hook_modules(True)
    model(torch.zeros(1, 2))
    assert audit.events == ["started", "ended"]
    attachment.hook_modules(False)
    model(torch.zeros(1, 2))
    attachment.detach()
    attachment.hook_modules(True)
    model(torch.zeros(1, 2))
    assert audit.events == ["started", "ended"], "not after the end"
