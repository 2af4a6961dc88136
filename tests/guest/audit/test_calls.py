"""Calls of replaced functions: results, errors, tracebacks and pickles are those of the real function."""

import functools
import inspect
import pickle
import traceback
import warnings

import pytest
from dpkb_audit.calls import Hook, is_watched, wrap
from dpkb_audit.replaced import Replaced

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow


class Audit:
    """An audit that calls what it is told to, and keeps what was seen."""

    def __init__(self):
        self.seen = []
        self.dispatcher = self
        self.closed = False

    def end_look(self, error, function):
        raise error

    def wrap(self, real):
        def saw(kind):
            return lambda *args, **kwargs: self.seen.append((kind, args, kwargs))

        return wrap(real, Replaced("a:b", "a test", saw("before"), saw("after"), saw("failed")), self)


def act(number, times=1):
    """Multiply."""
    if number < 0:
        raise ValueError(number)
    return number * times


def test_a_wrapper_acts_like_the_real_function():
    audit = Audit()
    wrapper = audit.wrap(act)
    assert wrapper(3, times=2) == 6
    assert audit.seen == [("before", (3,), {"times": 2}), ("after", (6, 3), {"times": 2})]
    assert wrapper.__doc__ == act.__doc__ and inspect.signature(wrapper) == inspect.signature(act)
    assert is_watched(wrapper) and not is_watched(act)
    audit.closed = True
    assert not is_watched(wrapper)


def test_an_error_has_the_traceback_of_the_real_call():
    audit = Audit()
    with pytest.raises(ValueError) as caught:
        audit.wrap(act)(-1)
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames == ["test_an_error_has_the_traceback_of_the_real_call", "act"]
    with pytest.raises(TypeError, match=r"^act\(\) missing 1 required positional argument"):
        audit.wrap(act)()
    assert [kind for kind, _, _ in audit.seen] == ["before", "failed"] * 2


def test_a_warning_names_the_line_of_the_program():
    def warn():
        warnings.warn("look", stacklevel=2)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Audit().wrap(warn)()
    assert caught[0].filename == __file__


def test_what_the_program_makes_of_a_wrapper_with_functools_wraps_is_not_watched():
    wrapper = Audit().wrap(act)

    @functools.wraps(wrapper)
    def mine(number):
        return -wrapper(number)

    assert mine(2) == -2 and not is_watched(mine) and set(vars(mine)) == {"__wrapped__"}


def test_a_hook_that_is_pickled_does_nothing():
    audit = Audit()
    hook = Hook(audit, lambda *args: audit.seen.append(args))
    assert hook(1, 2) is None and audit.seen == [(1, 2)]
    copied = pickle.loads(pickle.dumps(hook))
    assert copied(1, 2, 3) is None and len(audit.seen) == 1


def test_torchscript_compiles_the_real_function():
    audit = Audit()
    real = torch.nn.functional.mse_loss
    row = Replaced("torch.nn.functional:mse_loss", "a test", audit.seen.append, is_scripted=True)
    watching = wrap(real, row, audit)

    def loss(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return watching(x, y)

    scripted = torch.jit.script(loss)
    assert scripted(torch.ones(2), torch.zeros(2)) == 1 and not audit.seen
