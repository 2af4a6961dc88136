"""Functions of torch are replaced for the time of an audit, and put back as they were."""

from types import SimpleNamespace

import pytest

from dpkb.audit.guest import all_checks

all_checks()  # makes dpkb_audit importable
torch = pytest.importorskip("torch")
from dpkb_audit.attachment import Attachment, around  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture
def session():
    events = []
    return SimpleNamespace(
        events=events, emit=lambda event, *arguments: events.append((event, *arguments)),
        module_calls=SimpleNamespace(looking=True, started=lambda module, inputs: events.append("started"),
                                     ended=lambda *_: events.append("ended")))


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


def watch_act(session):
    return around(session, "before", "after", lambda owner, number, times=1: (number, times))


def test_a_watched_function_does_what_the_real_one_does(session, owner):
    real = owner.act
    attachment = Attachment(session)
    attachment.replace(owner, "act", watch_act(session))
    attachment.replace(owner, "act", watch_act(session))
    assert owner().act(3, times=2) == 6 and owner.act.__doc__ == real.__doc__
    assert session.events == [("before", 3, 2), ("after", 3, 2)], "replaced once"
    with pytest.raises(ValueError):
        owner().act(-1)
    assert session.events[2:] == [("before", -1, 1)]
    attachment.detach()
    assert owner.act is real


def test_what_a_class_inherits_or_lacks_is_left_alone(session, owner):
    attachment = Attachment(session)
    attachment.replace(owner.Heir, "act", watch_act(session))
    attachment.replace(owner, "nothing", watch_act(session))
    attachment.replace(torch, "no_such_function", watch_act(session))
    assert "act" not in vars(owner.Heir) and not hasattr(owner, "nothing")


def test_a_compiler_meets_the_real_functions_that_it_would_read(session, owner):
    real, other = owner.act, SimpleNamespace(run=lambda number: number)
    plain = other.run
    attachment = Attachment(session)
    attachment.replace(owner, "act", watch_act(session), traced=True)
    attachment.replace(other, "run", around(session, "ran", None, lambda number: (number,)))
    watching = owner.act
    with attachment.real_ones():
        with attachment.real_ones():  # a compiler that calls itself
            assert owner.act is real and other.run is not plain
        assert owner.act is real
    assert owner.act is watching
    attachment.detach(only_traced=True)
    assert owner.act is real and other.run is not plain
    attachment.detach()
    assert other.run is plain


def test_modules_are_followed_only_while_that_is_wanted(session):
    attachment, model = Attachment(session), torch.nn.Linear(2, 2)
    attachment.look(True)
    attachment.look(True)
    model(torch.zeros(1, 2))
    assert session.events == ["started", "ended"]
    attachment.look(False)
    model(torch.zeros(1, 2))
    attachment.detach()
    attachment.look(True)
    model(torch.zeros(1, 2))
    assert session.events == ["started", "ended"], "not after the end"
