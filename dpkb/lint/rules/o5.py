"""O5: evaluation in training mode, with gradients, or training in evaluation mode."""

import ast
from collections.abc import Iterator

from dpkb.lint import names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Function, Module, argument, receiver, text_of
from dpkb.lint.training import guards, is_training_name, module_classes, training_steps, without_gradients

_FUNCTIONAL = tuple(
    f"torch.nn.functional.{name}"
    for name in ("dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout", "dropout1d"))
_LAYERS = tuple(
    f"torch.nn.{name}" for name in ("Dropout", "Dropout2d", "Dropout3d", "AlphaDropout", "Dropout1d"))
_NO_GRAD = ("no_grad", "inference_mode", "set_grad_enabled")


def check(module: Module) -> Iterator[Finding]:
    """Dropout that ignores the mode, validation without eval(), and eval() that nothing takes back."""
    yield from _dropout(module)
    yield from _validation_without_eval(module)
    yield from _never_back_to_train(module)
    yield from _evaluation_with_gradients(module)


def _dropout(module: Module) -> Iterator[Finding]:
    for info in module_classes(module):
        forward = info.methods.get("forward")
        for call in module.within(forward, ast.Call) if forward else []:
            called = module.called(call)
            if any("training" in text_of(test.test) for test, _ in guards(module, call)):
                continue
            if called in _FUNCTIONAL and argument(call, "training", 2) is None:
                yield module.finding(
                    "O5", call, Certainty.LIKELY,
                    f"`{text_of(call.func)}` drops values in eval mode as well: training=True is its default",
                    f"pass training=self.training to `{text_of(call.func)}`")
            elif isinstance(call.func, ast.Call) and module.called(call.func) in _LAYERS:
                yield module.finding(
                    "O5", call, Certainty.CERTAIN,
                    "a Dropout created in forward() is always in training mode: eval() never "
                    "reaches it", "create the layer in __init__")
            elif called == "torch.nn.functional.scaled_dot_product_attention":
                probability = argument(call, "dropout_p", 4)
                if isinstance(probability, ast.Constant) and probability.value:
                    yield module.finding(
                        "O5", call, Certainty.CERTAIN, "dropout_p is applied in eval mode as well",
                        "pass `dropout_p=self.dropout if self.training else 0.0`")


def _validation_without_eval(module: Module) -> Iterator[Finding]:
    """A function that evaluates under no_grad, in a file that trains and never calls eval()."""
    if module.mentions(module.source.tree, "eval", "train_mode", "training_mode") or _mode_switch(module):
        return
    if not any(True for _ in training_steps(module)) and not _has_mode_layers(module):
        return
    for function in module.functions:
        if is_training_name(function.name) is not False or function.name.startswith("test_"):
            continue
        model = _model_called(module, function)
        if model is None or not _no_gradients(module, function) or not _has_mode_layers(module):
            continue
        yield module.finding(
            "O5", _no_grad_node(module, function) or function, Certainty.LIKELY,
            f"`{function.name}` runs `{text_of(model)}` in training mode: no_grad() does not switch off "
            "dropout, nor the updates of BatchNorm",
            f"`{text_of(model)}.eval()` before it, `{text_of(model)}.train()` after it")


def _evaluation_with_gradients(module: Module) -> Iterator[Finding]:
    """A function that calls eval(), loops over batches and runs the model, with gradients switched on."""
    for function in module.functions:
        if is_training_name(function.name) is not False or function.name.startswith("test_"):
            continue
        if module.mentions(function, *_NO_GRAD, "backward", "grad", "requires_grad", "autograd", "volatile"):
            continue
        switches = [call for call in module.within(function, ast.Call)
                    if isinstance(call.func, ast.Attribute) and call.func.attr == "eval" and not call.args]
        loops = [loop for loop in module.within(function, ast.For)
                 if _model_called(module, loop) is not None and not text_of(loop.iter).startswith("range(")]
        if not switches or not loops or function.decorator_list:
            continue
        if _called_without_gradients(module, function):
            continue
        if isinstance(module.parents.get(function), ast.ClassDef) and "step" in function.name:
            continue  # a hook of a trainer, which switches gradients off
        yield module.finding(
            "O5", loops[0], Certainty.LIKELY,
            f"`{function.name}` builds a graph for each batch: eval() does not switch off gradients",
            "put the loop under `with torch.no_grad():`")


def _called_without_gradients(module: Module, function: Function) -> bool:
    """One of its callers in this file is under no_grad()."""
    calls = [call for call in module.calls if text_of(call.func).split(".")[-1] == function.name]
    return any(without_gradients(module, call) for call in calls)


def _mode_switch(module: Module) -> bool:
    return any(
        isinstance(argument(call, "mode", 0), ast.Constant) and argument(call, "mode", 0).value is False  # type: ignore[union-attr]
        for call in module.method_calls("train")
    )


def _has_mode_layers(module: Module) -> bool:
    return any(
        ((called := module.called(call)).startswith("torch.nn.")
        and called.rpartition(".")[2].startswith(("Dropout", "BatchNorm", "SyncBatchNorm", "Transformer")))
        or called.startswith(("torchvision.models.", "timm.")) for call in module.calls)


def _model_called(module: Module, function: ast.AST) -> ast.expr | None:
    for call in module.within(function, ast.Call):
        if (
            isinstance(call.func, (ast.Name, ast.Attribute))
            and not module.qualified(call.func)
            and (
                text_of(call.func) in ("model", "net", "network", "self.model", "self.net")
                or module.is_a(call.func, names.MODULE))
            and not _is_criterion(module, call.func)
        ):
            return call.func
    return None


def _is_criterion(module: Module, node: ast.expr) -> bool:
    return any(
        (kind if isinstance(kind, str) else kind.name).endswith(("Loss", "Loss2d"))
        for kind in module.types(node))


def _no_gradients(module: Module, function: Function) -> bool:
    return any(
        word in text_of(decorator) for decorator in function.decorator_list for word in _NO_GRAD
    ) or module.mentions(function, *_NO_GRAD)


def _no_grad_node(module: Module, function: Function) -> ast.AST | None:
    return next(
        (
            node for node in module.within(function, ast.With)
            if any(word in text_of(item.context_expr) for item in node.items for word in _NO_GRAD)),
        None,
    )


def _never_back_to_train(module: Module) -> Iterator[Finding]:
    """eval() in a function that the epoch loop calls, and train() only before that loop."""
    trains = list(module.method_calls("train"))
    for training in training_steps(module):
        loops = [training.block, *module.loops_around(training.block)]
        outer = loops[-1]
        if len(loops) < 2 and not isinstance(outer, ast.For):
            continue
        for call in module.method_calls("eval"):
            model = receiver(call)
            if call.args or not isinstance(model, (ast.Name, ast.Attribute)):
                continue
            place = _called_from_loop(module, call, outer)
            if place is None or place is training.block:
                continue
            model_name = text_of(model)
            calls = module.within(training.block, ast.Call)
            if not any(text_of(inner.func) == model_name for inner in calls):
                continue
            back = [
                other
                for other in trains
                if text_of(receiver(other)) == model_name
                and (
                    module.inside(other, outer) or (module.function_of(other) is module.function_of(call)
                    and module.function_of(call) is not module.function_of(training.block))
                    or _called_from_loop(module, other, outer) is not None)
            ]
            if not back:
                yield module.finding(
                    "O5", call, Certainty.LIKELY,
                    f"nothing calls `{model_name}.train()` again in the loop, so training goes on in eval "
                    "mode after the first evaluation", f"`{model_name}.train()` at the start of each epoch")


def _called_from_loop(module: Module, call: ast.Call, loop: ast.AST) -> ast.AST | None:
    """Where in the loop this call happens: itself, or the call of its function."""
    if module.inside(call, loop):
        return call
    function = module.function_of(call)
    if function is None:
        return None
    return next(
        (
            other for other in module.within(loop, ast.Call)
            if isinstance(other.func, (ast.Name, ast.Attribute))
            and module.function_named(other.func) is function),
        None,
    )
