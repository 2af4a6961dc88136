"""How the audit watches torch in a process: by torch's own hooks, and by replaced functions (replaced.py).

Nothing is watched while others look (`Dispatcher.listens`), and only what is still dpkb's own is taken back.
"""

from __future__ import annotations

import sys

from dpkb_audit.calls import Hook, is_watched, wrap
from dpkb_audit.replaced import list_replaced
from dpkb_audit.start import ImportWatcher
from dpkb_audit.watch_loaders import LoaderWatcher
from dpkb_audit.watch_models import ModelWatcher
from dpkb_audit.watch_optimization import OptimizationWatcher
from dpkb_audit.watch_ranks import RankWatcher

MYPY = False
if MYPY:
    from collections.abc import Callable
    from typing import Any

    from dpkb_audit.audit import Audit
    from dpkb_audit.replaced import Replaced


class Attachment:
    """The hooks and the replaced functions of one audit."""

    # The number of the next hook.
    _next_hook = -(1 << 60)

    def __init__(self, audit: Audit) -> None:
        self.audit = audit
        self.loaders, self.models = LoaderWatcher(audit), ModelWatcher(self)
        self.training, self.ranks = OptimizationWatcher(audit), RankWatcher(audit)
        self._waiting: list[Replaced] = []
        self._torch_modules: list[Any] = []
        # The owner (a class or a module), the name, the real function, and the function in its place.
        self._installed: list[tuple[Any, str, Any, Any]] = []
        self._handles: list[Any] = []
        self._module_handles: list[Any] = []
        self._may_hook_modules = True
        # Tells of the imports of modules that are not imported yet and have functions to be replaced.
        self.watcher: ImportWatcher | None = None

    def attach(self) -> None:
        """Watch torch, which must be imported. What cannot be watched is reported, and the rest is watched."""
        self._waiting = list_replaced(self)
        self.install()
        self._register_hooks()
        self.audit.module_calls.on_looking = self.hook_modules
        self.audit.module_calls.update()
        names = {row.module for row in self._waiting}
        if names:
            self.watcher = ImportWatcher(names, self.install)

    def _register_hooks(self) -> None:
        """Register the hooks that this version of torch has."""
        from torch.nn.modules import module

        optimizer: Any = sys.modules["torch.optim.optimizer"]
        if hasattr(optimizer, "register_optimizer_step_pre_hook"):  # from torch 2.0 on
            self._register(
                self._handles,
                (
                    optimizer.register_optimizer_step_pre_hook,
                    Hook(self.audit, self.training.start_step, rests=True),
                ),
                (optimizer.register_optimizer_step_post_hook, Hook(self.audit, self.training.end_step)),
            )
        if hasattr(module, "register_module_parameter_registration_hook"):  # from torch 2.0 on
            self._register(
                self._handles,
                (
                    module.register_module_parameter_registration_hook,
                    Hook(self.audit, self.models.follow_parameter),
                ),
            )

    def _register(self, handles: list[Any], *hooks: tuple[Callable[[Hook], Any], Hook]) -> None:
        """Register hooks of torch. torch numbers hooks, and those of the program keep their numbers."""
        from torch.utils.hooks import RemovableHandle

        number, RemovableHandle.next_id = RemovableHandle.next_id, Attachment._next_hook
        try:
            for register, hook in hooks:
                handles.append(register(hook))
        finally:
            Attachment._next_hook, RemovableHandle.next_id = RemovableHandle.next_id, number

    def install(self, imported: str | None = None) -> None:
        """Replace the functions of the modules that are imported by now; or those of one module."""
        # Those of torch, in any of which a function may be exported.
        self._torch_modules = [
            module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "torch"
        ]
        rows = [row for row in self._waiting if row.module in sys.modules and imported in (None, row.module)]
        self._waiting = [row for row in self._waiting if row not in rows]
        for row in rows:
            try:
                self._replace(row)
            except Exception:
                self.audit.report_failure("watching " + row.name)

    def _replace(self, row: Replaced) -> None:
        defining: Any = sys.modules[row.module]
        path, _, name = row.name.rpartition(".")
        if path:
            kind = getattr(defining, path, None)
            # What a class inherits is replaced in the class that defines it.
            owners = [kind] if name in vars(kind or object) else []
        else:
            real = vars(defining).get(name)
            owners = [defining] if real is not None else []
            # The exports too, so that pickle finds the same function by its module and name.
            owners += [
                module
                for module in self._torch_modules
                if module is not defining
                and getattr(module, "__dict__", {}).get(name) is real
                and real is not None
            ]
        if not owners:
            return  # not in this version of torch
        real = vars(owners[0])[name]
        if not is_watched(real):
            wrapper = wrap(real, row, self.audit)
            for owner in owners:
                setattr(owner, name, wrapper)
                self._installed.append((owner, name, real, wrapper))

    def detach(self) -> None:
        """Take back what is still dpkb's own. What the program has replaced since stays."""
        self._may_hook_modules = False
        self.hook_modules(False)
        if self.watcher is not None:
            self.watcher.stop()
        for handle in self._handles:
            handle.remove()
        for owner, name, real, wrapper in self._installed:
            if vars(owner).get(name) is wrapper:
                setattr(owner, name, real)
        self._handles, self._installed, self._waiting = [], [], []

    def leave_modules_to_compiler(self) -> None:
        """Hook no module from now on: a compiler reads the hooks, and compiles again when they change."""
        if self._may_hook_modules:
            self._may_hook_modules = False
            self.hook_modules(False)
            self.audit.training.is_compiled = True
            self.audit.journal.write("left_out", area="modules, after something was compiled")

    def hook_modules(self, is_wanted: bool) -> None:
        """Register or remove the hooks that are called before and after each module."""
        from torch.nn.modules import module

        calls = self.audit.module_calls
        if is_wanted and self._may_hook_modules and not self._module_handles:
            self._register(
                self._module_handles,
                (module.register_module_forward_pre_hook, Hook(self.audit, calls.follow_start)),
                (module.register_module_forward_hook, Hook(self.audit, calls.follow_end)),
            )
        elif not is_wanted:
            for handle in self._module_handles:
                handle.remove()
            self._module_handles = []
