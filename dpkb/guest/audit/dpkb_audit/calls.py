"""Calls of replaced functions and of hooks: the program goes on as if nobody watched."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from types import FunctionType, SimpleNamespace

from dpkb_audit.identity import IdentityMap

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.audit import Audit
    from dpkb_audit.replaced import Replaced

# The function in place of a real one -> the audit that has replaced it.
_wrappers = IdentityMap()
_NO_REST = SimpleNamespace(resting=False)


class Hook:
    """Passes a call on to a function of the audit, and returns None.

    The classes of a program may be pickled by value, with the functions of torch that they call and with its
    global hooks. What is pickled of the audit does nothing.
    """

    def __init__(
        self,
        audit: Audit,
        function: Callable[..., object],
        rests: bool = False,
        is_part: bool = False,
    ) -> None:
        self._dispatcher, self._function = audit.dispatcher, function
        # Whether nothing is passed on while the audit rests.
        self._rest = audit.rest if rests else _NO_REST
        # A part of a wrapper, which asks for the compiler itself, gets the arguments of the call as a tuple and
        # a dict, after the result or the error.
        self._is_part = is_part
        is_compiling = _is_never_compiling if is_part else find_is_compiling()
        self._looks_away = is_compiling
        if sys.version_info < (3, 10):
            self._looks_away = lambda: _is_deep() or is_compiling()

    def __call__(self, *args: Any) -> None:
        if self._rest.resting or self._looks_away() or self._dispatcher.closed:
            return
        try:
            if self._is_part:
                self._function(*args[:-2], *args[-2], **args[-1])
            else:
                self._function(*args)
        except Exception as error:
            self._dispatcher.end_look(error, self._function)

    def __reduce__(self) -> Any:
        return getattr, (contextlib.nullcontext(), "__exit__")


def _is_deep() -> bool:
    """Whether calls are nested so deeply that a RecursionError may come.

    Until Python 3.9 the error must not be caught here: the interpreter allows 50 frames more without a new error,
    and aborts after them. https://github.com/python/cpython/blob/v3.8.18/Python/ceval.c#L652
    """
    try:
        sys._getframe(sys.getrecursionlimit() // 3)
    except ValueError:
        return False
    return True


class FrameRemoval:
    """Takes the frame of its caller from the traceback of an error, which the caller raises again with `raise`.

    Before Python 3.11 `raise` puts back a copy of the traceback, which is replaced here.
    https://docs.python.org/3.10/c-api/exceptions.html#c.PyErr_SetExcInfo (it keeps the references).
    """

    def __call__(self, error: BaseException) -> None:
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        if sys.version_info < (3, 11):
            from ctypes import py_object, pythonapi

            parts = (type(error), error, error.__traceback__)
            # None is NULL, for an error without a traceback.
            raised = [None if part is None else py_object(part) for part in parts]
            for part in filter(None, raised):
                pythonapi.Py_IncRef(part)
            pythonapi.PyErr_SetExcInfo(*raised)

    __reduce__ = Hook.__reduce__


def is_watched(function: Any) -> bool:
    """Whether an audit that still watches has replaced a function by this one."""
    audit = _wrappers.get(function)
    return audit is not None and not audit.dispatcher.closed


def wrap(real: Callable[..., Any], row: Replaced, audit: Audit) -> Callable[..., Any]:
    """A function that acts like the real one, and calls the functions of a row before and after it."""
    is_compiling = _is_never_compiling if row.is_compiler else find_is_compiling()
    started, succeeded = (
        part and Hook(audit, part, row.rests, is_part=True) for part in (row.before, row.after)
    )
    failed = row.failed and Hook(audit, row.failed, is_part=True)
    remove_frame = FrameRemoval()

    # It uses no other name of dpkb, so that it can be pickled by value.
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if is_compiling():  # torch.compile reads this as a call of the real function
            return real(*args, **kwargs)
        if started is not None:
            started(args, kwargs)
        try:
            result = real(*args, **kwargs)
        except BaseException as error:
            remove_frame(error)
            if failed is not None:
                failed(error, args, kwargs)
            raise
        if succeeded is not None:
            succeeded(result, args, kwargs)
        return result

    functools.update_wrapper(hide_from_warnings(wrapper), real)
    if row.is_scripted:
        wrapper = _let_script(wrapper, real)
    _wrappers[wrapper] = audit
    return wrapper


@functools.lru_cache(maxsize=None)
def parameters_of(module: str, name: str) -> tuple[str, ...]:
    """The names of the parameters of a function of torch, for its replacement has the real signature."""
    return tuple(inspect.signature(getattr(sys.modules[module], name)).parameters)


def _let_script(wrapper: Any, real: Any) -> Any:
    """Make torch.jit.script compile the real function, for the wrapper itself and where a program calls it.

    It reads the source of the real function, and looks up its names among the globals of the function that it was
    given. For a call it has a table of functions of which an argument selects one of two, here the same one twice.
    An attribute of the wrapper would also reach what the program makes of it with functools.wraps.
    """
    from torch import _jit_internal

    dispatched: Any = _jit_internal.boolean_dispatched

    names = getattr(real, "__globals__", wrapper.__globals__)
    scripted = FunctionType(wrapper.__code__, names, closure=wrapper.__closure__)
    functools.update_wrapper(scripted, real)
    dispatched[scripted] = {
        "if_true": real,
        "if_false": real,
        "index": 1000,
        "default": False,
        "arg_name": "no such argument",
    }
    return scripted


def hide_from_warnings(function: Any) -> Any:
    """Make warnings.warn() skip the frame of a function, so that the warnings of torch name the user's line.

    torch warns with stacklevel=2, the caller of its function, which is now a function of dpkb. Python skips
    frames whose file has a name of the import system, so the function gets such a file name.
    """
    code = function.__code__
    function.__code__ = code.replace(co_filename=code.co_filename + " (as importlib._bootstrap)")
    return function


def find_is_compiling() -> Callable[[], bool]:
    """The function of this torch that tells whether a compiler reads its caller, which takes it for true."""
    import torch

    compiler: Any = getattr(torch, "compiler", None)
    return getattr(compiler, "is_compiling", None) or _is_never_compiling


def _is_never_compiling() -> bool:
    return False
