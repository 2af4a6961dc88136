"""The receivers of an event, and the effect of an exception in a handler."""

import contextlib
import os
import signal
import threading
from types import SimpleNamespace

import pytest
from dpkb_audit.budget import LookBudget
from dpkb_audit.calls import Hook
from dpkb_audit.dispatch import Dispatcher, find_observers

_NO_REST = SimpleNamespace(end=lambda *_: None)


class Listener:
    """A check or follower that notes its events, and fails in those that are in `fails`."""

    def __init__(self, name, notes, fails=()):
        self.id, self._notes, self._fails = name, notes, fails

    def on_batch(self, *arguments):
        self._note("batch", *arguments)

    def on_step_ended(self, *arguments):
        self._note("step_ended", *arguments)

    def _note(self, event, *arguments):
        if event in self._fails:
            raise ValueError(event)
        self._notes.append((self.id, event, *arguments))


@pytest.fixture
def failures():
    return []


@pytest.fixture
def dispatcher(failures):
    return Dispatcher(LookBudget(), _NO_REST, failures.append, (lambda: False, contextlib.nullcontext))


def test_followers_get_an_event_before_the_checks(dispatcher, failures):
    notes = []
    dispatcher.add_follower(Listener("training", notes))
    dispatcher.add_check(Listener("DP1", notes))
    dispatcher.emit("batch", 7)
    assert notes == [("training", "batch", 7), ("DP1", "batch", 7)] and not failures


def test_an_event_may_have_several_followers(dispatcher):
    notes = []
    for name in ("audit", "training"):
        dispatcher.add_follower(Listener(name, notes))
    dispatcher.emit("batch")
    assert notes == [("audit", "batch"), ("training", "batch")]


def test_a_check_that_has_paused_gets_the_event_when_it_goes_on_and_in_a_child(dispatcher):
    notes = []
    check = Listener("DP1", notes)
    dispatcher.pause(check, "batch")
    dispatcher.add_check(check)
    dispatcher.emit("batch", 1)
    dispatcher.emit("step_ended", 2)
    assert notes == [("DP1", "step_ended", 2)]
    dispatcher.resume(check, "batch")
    dispatcher.emit("batch", 3)
    dispatcher.pause(check, "batch")
    dispatcher.restart()
    dispatcher.emit("batch", 4)
    assert notes[1:] == [("DP1", "batch", 3), ("DP1", "batch", 4)]


def test_a_check_that_is_paused_until_module_calls_gets_events_when_they_are_looked_at(dispatcher):
    notes = []
    check = Listener("DP1", notes)
    dispatcher.add_check(check)
    dispatcher.pause(check, "batch", until_calls=True)
    dispatcher.emit("batch", 1)
    assert notes == []
    dispatcher.resume_at_module_calls()
    dispatcher.emit("batch", 2)
    assert notes == [("DP1", "batch", 2)]


def test_an_exception_ends_one_check_and_not_the_others(dispatcher, failures):
    notes = []
    dispatcher.add_check(Listener("DP1", notes, fails=["batch"]))
    dispatcher.add_check(Listener("DP2", notes))
    for event in ("step_ended", "batch", "step_ended"):
        dispatcher.emit(event)
    assert [note for note in notes if note[0] == "DP1"] == [("DP1", "step_ended")]
    assert len([note for note in notes if note[0] == "DP2"]) == 3
    assert failures == ["the check of DP1"]


def test_an_exception_in_a_follower_ends_what_it_does_at_this_event(dispatcher, failures):
    notes = []
    dispatcher.add_follower(Listener("training", notes, fails=["batch"]))
    dispatcher.add_check(Listener("DP1", notes))
    for _ in range(2):
        dispatcher.emit("batch")
        dispatcher.emit("step_ended")
    assert [note[1] for note in notes if note[0] == "training"] == ["step_ended"] * 2
    assert len([note for note in notes if note[0] == "DP1"]) == 4
    assert failures == ["following batch"]


def test_calls_by_a_check_itself_are_not_events(dispatcher):
    calls = []

    class Loads:
        id = "DP1"

        def on_batch(self):
            calls.append(dispatcher.listens())
            dispatcher.emit("batch")

    dispatcher.add_check(Loads())
    dispatcher.emit("batch")
    assert calls == [False] and dispatcher.listens()


def test_only_the_thread_that_trains_is_listened_to(dispatcher):
    notes = []
    dispatcher.add_check(Listener("DP1", notes))

    def in_thread(function):
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()

    in_thread(lambda: dispatcher.emit("batch"))
    assert notes == []
    in_thread(lambda: (dispatcher.restart(), dispatcher.emit("batch")))
    dispatcher.emit("batch")
    assert notes == [("DP1", "batch")]


def test_no_event_is_passed_on_after_the_end_until_a_forked_child_restarts(dispatcher):
    notes = []
    dispatcher.add_check(Listener("DP1", notes))
    dispatcher.closed = True
    dispatcher.emit("batch")
    assert notes == []
    dispatcher.restart()
    dispatcher.emit("batch")
    assert notes == [("DP1", "batch")]


def test_the_program_gets_what_its_signal_handler_raises_while_a_check_runs(dispatcher, failures):
    class Interrupted(Listener):
        def on_batch(self, number):
            if not number:
                os.kill(os.getpid(), signal.SIGALRM)
            super().on_batch(number)

    def stop(number, frame):
        raise TimeoutError("the program's own limit")

    notes = []
    dispatcher.add_check(Interrupted("DP1", notes))
    before = signal.signal(signal.SIGALRM, stop)
    try:
        with pytest.raises(TimeoutError):
            dispatcher.emit("batch", 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    dispatcher.emit("batch", 1)
    assert notes == [("DP1", "batch", 1)] and not failures


class Stop(Exception):
    """What a program raises to limit its time."""


class Stopper:
    """A handler of signals that is an object."""

    def __call__(self, number, frame):
        raise ValueError("the program's own limit")


def test_the_program_gets_what_an_object_that_handles_signals_raises(dispatcher, failures):
    class Interrupted(Listener):
        def on_batch(self, number):
            os.kill(os.getpid(), signal.SIGALRM)

    dispatcher.add_check(Interrupted("DP1", []))
    before = signal.signal(signal.SIGALRM, Stopper())
    try:
        with pytest.raises(ValueError, match="own limit"):
            dispatcher.emit("batch", 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not failures


def test_the_program_gets_what_another_thread_raises_in_it(dispatcher, failures):
    import ctypes

    class Interrupted(Listener):
        def on_batch(self, number):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(threading.get_ident()), ctypes.py_object(Stop)
            )
            sum(1 for _ in range(1000))

    dispatcher.add_check(Interrupted("DP1", []))
    with pytest.raises(Stop):
        dispatcher.emit("batch", 0)
    assert not failures


def test_an_error_of_a_function_of_dpkb_is_reported_and_a_wrong_call_of_the_program_is_not(
    dispatcher, failures
):
    pytest.importorskip("torch")
    audit = SimpleNamespace(dispatcher=dispatcher)
    Hook(audit, lambda: 1 / 0)()
    assert len(failures) == 1
    Hook(audit, lambda obj, f: None)({})
    assert len(failures) == 1


def test_nothing_is_seen_while_a_mode_or_a_transform_watches_torch(failures):
    torch = pytest.importorskip("torch")
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counter(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **kwargs or {})

    notes = []
    dispatcher = Dispatcher(LookBudget(), _NO_REST, failures.append, find_observers())
    dispatcher.add_check(Listener("DP1", notes))
    with Counter():
        dispatcher.emit("batch", 0)
    torch.func.vmap(lambda x: (dispatcher.emit("batch", 1), x)[1])(torch.ones(2))
    torch.jit.trace(lambda x: (dispatcher.emit("batch", 2), x * 2)[1], torch.ones(2), check_trace=False)
    assert notes == []
    with torch.device("cpu"):
        dispatcher.emit("batch", 3)
    assert notes == [("DP1", "batch", 3)]


def test_the_checks_call_no_method_that_a_subclass_of_tensor_overrides(failures):
    torch = pytest.importorskip("torch")
    calls = []

    class Counted(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    class Reader(Listener):
        def on_batch(self, number):
            assert number.shape[0] == 2 and number.sum() == 2

    dispatcher = Dispatcher(LookBudget(), _NO_REST, failures.append, find_observers())
    dispatcher.add_check(Reader("DP1", []))
    value = torch.ones(2).as_subclass(Counted)
    calls.clear()
    dispatcher.emit("batch", value)
    assert calls == [] and not failures
