"""The functions of torch that are replaced, and how to put the real ones back."""

from __future__ import annotations

import contextlib
import functools

MYPY = False
if MYPY:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dpkb_audit.audit import Audit


def unseen_by_warnings(function: Any) -> Any:
    """Make warnings.warn() skip the frame of a function, so that torch's warnings name the user's line.

    torch warns with stacklevel=2: the caller of its function, which is now a function of dpkb. Python skips
    frames whose file looks like one of the import system, so this function says that it comes from there.
    """
    code = function.__code__
    function.__code__ = code.replace(co_filename=code.co_filename + " (as importlib._bootstrap)")
    return function


class Attachment:
    """The functions that are replaced now, and how to put the real ones back."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit
        # Owner, name, the real function, the watching one, and whether a compiler may read it.
        self._replaced: list[tuple[Any, str, Any, Any, bool]] = []
        self._handles: list[Any] = []
        # Whether modules may be watched: not while a compiler reads them, nor after the end.
        self.may_look = True
        self._compiling = False

    def replace(self, owner: Any, name: str, watch: Callable[[Callable[..., Any]], Callable[..., Any]],
                traced: bool = False) -> None:
        """Replace owner.name by watch(real). traced: a compiler may read it, and must see the real one."""
        real = owner.__dict__.get(name) if isinstance(owner, type) else getattr(owner, name, None)
        if real is None or getattr(real, "_dpkb_watches", False):
            return
        watching = functools.wraps(real)(unseen_by_warnings(watch(real)))
        watching._dpkb_watches = True  # type: ignore[attr-defined]
        setattr(owner, name, watching)
        self._replaced.append((owner, name, real, watching, traced))

    def detach(self, only_traced: bool = False) -> None:
        """Put the real functions back, for good."""
        for owner, name, real, _, traced in self._replaced:
            if traced or not only_traced:
                setattr(owner, name, real)
        self._replaced = [item for item in self._replaced if only_traced and not item[4]]
        self.may_look = False
        self.look(False)

    @contextlib.contextmanager
    def real_ones(self) -> Iterator[None]:
        """While the block runs, what a compiler reads is as torch made it."""
        if self._compiling:  # a compiler calls itself for the functions that it meets
            yield
            return
        self._compiling = True
        looked, self.may_look = self.may_look, False
        self.look(False)
        traced = [item for item in self._replaced if item[4]]
        for owner, name, real, _, _ in traced:
            setattr(owner, name, real)
        try:
            yield
        finally:
            for owner, name, _, watching, _ in traced:
                setattr(owner, name, watching)
            self._compiling = False
            self.may_look = looked
            self.look(self.audit.module_calls.looking)

    def look(self, wanted: bool) -> None:
        """Begin or stop to be called with each module."""
        from torch.nn.modules import module

        if wanted and self.may_look and not self._handles:
            self._handles = [module.register_module_forward_pre_hook(self._before_module),
                             module.register_module_forward_hook(self._after_module)]
        elif not wanted:
            for handle in self._handles:
                handle.remove()
            self._handles = []

    # A hook that returns None changes nothing.
    def _before_module(self, module: Any, inputs: Any) -> None:
        self.audit.module_calls.started(module, inputs)

    def _after_module(self, module: Any, inputs: Any, output: Any) -> None:
        self.audit.module_calls.ended(module, inputs, output)


def around(audit: Audit, before: str | None, after: str | None,
            arguments: Callable[..., tuple[Any, ...]]) -> Callable[[Any], Any]:
    """Emits events before and after the real function, with what `arguments` makes of its arguments."""
    def watch(real: Callable[..., Any]) -> Callable[..., Any]:
        def watching(*args: Any, **kwargs: Any) -> Any:
            if before:
                audit.emit(before, *arguments(*args, **kwargs))
            result = real(*args, **kwargs)
            if after:
                audit.emit(after, *arguments(*args, **kwargs))
            return result

        return watching

    return watch
