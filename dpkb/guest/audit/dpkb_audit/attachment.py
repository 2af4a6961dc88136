"""The functions of torch that the audit has replaced."""

from __future__ import annotations

import contextlib
import functools

MYPY = False
if MYPY:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dpkb_audit.audit import Audit


def hide_from_warnings(function: Any) -> Any:
    """Make warnings.warn() skip the frame of a function, so that the warnings of torch name the user's line.

    torch warns with stacklevel=2, the caller of its function, which is now a function of dpkb. Python skips
    frames whose file has a name of the import system, so the function gets such a file name.
    """
    code = function.__code__
    function.__code__ = code.replace(co_filename=code.co_filename + " (as importlib._bootstrap)")
    return function


class _Replacement:
    """A function of torch, and the function that has replaced it."""

    def __init__(self, owner: Any, name: str, real: Any, wrapper: Any, traced: bool) -> None:
        self.owner, self.name, self.real, self.wrapper = owner, name, real, wrapper
        # Whether a compiler may read the function.
        self.traced = traced

    def install(self) -> None:
        """Replace the real function."""
        setattr(self.owner, self.name, self.wrapper)

    def remove(self) -> None:
        """Put the real function back."""
        setattr(self.owner, self.name, self.real)


class Attachment:
    """The functions that are replaced at present. It can put the real functions back."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit
        self._replacements: list[_Replacement] = []
        self._handles: list[Any] = []
        # Whether modules may be hooked: neither while a compiler reads them nor after detach().
        self.may_hook_modules = True
        self._compiling = False

    def replace(
        self,
        owner: Any,
        name: str,
        wrap: Callable[[Callable[..., Any]], Callable[..., Any]],
        traced: bool = False,
    ) -> None:
        """Replace owner.name by wrap(real). traced: a compiler may read it, and must get the real one."""
        real = owner.__dict__.get(name) if isinstance(owner, type) else getattr(owner, name, None)
        if real is None or getattr(real, "_is_dpkb_wrapper", False):
            return
        wrapper = functools.wraps(real)(hide_from_warnings(wrap(real)))
        wrapper._is_dpkb_wrapper = True  # type: ignore[attr-defined]
        replacement = _Replacement(owner, name, real, wrapper, traced)
        replacement.install()
        self._replacements.append(replacement)

    def detach(self, only_traced: bool = False) -> None:
        """Put the real functions back, without a return."""
        for replacement in self._replacements:
            if replacement.traced or not only_traced:
                replacement.remove()
        self._replacements = [kept for kept in self._replacements if only_traced and not kept.traced]
        self.may_hook_modules = False
        self.hook_modules(False)

    @contextlib.contextmanager
    def real_functions(self) -> Iterator[None]:
        """Put the real functions back while a block runs in which a compiler reads them."""
        if self._compiling:  # a compiler calls itself for inner functions
            yield
            return
        self._compiling = True
        before, self.may_hook_modules = self.may_hook_modules, False
        self.hook_modules(False)
        traced = [replacement for replacement in self._replacements if replacement.traced]
        for replacement in traced:
            replacement.remove()
        try:
            yield
        finally:
            for replacement in traced:
                replacement.install()
            self._compiling = False
            self.may_hook_modules = before
            self.hook_modules(self.audit.module_calls.looking)

    def hook_modules(self, is_wanted: bool) -> None:
        """Register or remove the hooks that are called before and after each module."""
        from torch.nn.modules import module

        if is_wanted and self.may_hook_modules and not self._handles:
            self._handles = [
                module.register_module_forward_pre_hook(self._before_module),
                module.register_module_forward_hook(self._after_module),
            ]
        elif not is_wanted:
            for handle in self._handles:
                handle.remove()
            self._handles = []

    # A hook that returns None changes nothing.
    def _before_module(self, module: Any, inputs: Any) -> None:
        self.audit.module_calls.follow_start(module, inputs)

    def _after_module(self, module: Any, inputs: Any, output: Any) -> None:
        self.audit.module_calls.follow_end(module, inputs, output)


def emit_around(
    audit: Audit, before: str | None, after: str | None, arguments: Callable[..., tuple[Any, ...]]
) -> Callable[[Any], Any]:
    """Emit events before and after the real function. arguments: returns the arguments of the events."""

    def wrap(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if before:
                audit.emit(before, *arguments(*args, **kwargs))
            result = real(*args, **kwargs)
            if after:
                audit.emit(after, *arguments(*args, **kwargs))
            return result

        return wrapper

    return wrap
