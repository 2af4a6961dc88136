"""C1: a checkpoint to resume from that has the model and nothing else."""

import ast
import re
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.syntax import receiver, text_of

# save_checkpoint({...}), utils.save_on_master({...}): helpers that save the dict they are given.
_SAVES = re.compile(r"save_?(checkpoint|ckpt|state|snapshot|on_master|model|training)\w*|checkpoint_save")
_PROGRESS = ("epoch", "step", "iter", "iteration", "global_step", "iter_num")


def check(module: Module) -> Iterator[Finding]:
    """torch.save({"model": ..., "epoch": ...}) without the optimizer's state, in a file that resumes."""
    if not _has_optimizer(module) or not any(True for _ in module.calls_of("torch.load")):
        return
    for call in _saving_calls(module):
        function = module.function_of(call)
        if function is not None and function.name.startswith("test_"):
            continue
        for origin in _saved(module, call.args[0]) if call.args else []:
            if not isinstance(origin, ast.Dict) or any(key is None for key in origin.keys):
                continue
            keys = [str(key.value).lower() for key in origin.keys if isinstance(key, ast.Constant)]
            values = [text_of(value) for value in origin.values]
            weights = next(
                (
                    value for value in origin.values
                    if text_of(value).endswith(".state_dict()") and "optim" not in text_of(value)),
                None,
            )
            has_optimizer = any("opt" in re.split(r"[^a-z]", word) or "optim" in word
                                for word in [*keys, *(value.lower() for value in values)])
            resumes = any(key in _PROGRESS for key in keys) or _is_given_optimizer(module, call)
            if weights is not None and resumes and not has_optimizer:
                if _adds_later(module, call):
                    continue
                yield module.finding(
                    "C1", weights, Certainty.LIKELY,
                    "the checkpoint has no state of the optimizer: a resumed run starts it again from zero",
                    'save `"optimizer": optimizer.state_dict()` and the scheduler\'s, and load both')


def _has_optimizer(module: Module) -> bool:
    """The file creates an optimizer, or calls the step() of one."""
    return any(names.is_library_class(module.called(call), names.OPTIMIZER) for call in module.calls) or any(
        "optim" in text_of(receiver(call)).lower() for call in module.method_calls("step"))


def _saving_calls(module: Module) -> Iterator[ast.Call]:
    yield from module.calls_of("torch.save")
    for name, calls in module.calls_by_name.items():
        if _SAVES.fullmatch(name):
            yield from (
                call for call in calls if call.args and isinstance(call.args[0], (ast.Dict, ast.Name)))


def _saved(module: Module, value: ast.expr) -> Iterator[ast.expr]:
    """What may be saved, also where a function of the file makes the dict."""
    for origin in module.origins(value):
        yield origin
        function = module.function_named(origin.func) if isinstance(origin, ast.Call) else None
        for node in module.within(function, ast.Return) if function else []:
            yield from module.origins(node.value)


def _is_given_optimizer(module: Module, call: ast.Call) -> bool:
    """The function that saves has a parameter for the optimizer."""
    function = module.function_of(call)
    return function is not None and any("optim" in item.arg for item in module.parameters(function))


def _adds_later(module: Module, call: ast.Call) -> bool:
    """state["optimizer"] = ... before it is saved."""
    scope = module.function_of(call) or module.source.tree
    return any(isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
               and "optim" in text_of(node.slice) for node in module.tree(scope))
