"""O18: BatchNorm statistics of a frozen part that still change."""

import ast
from collections.abc import Iterator
from itertools import accumulate

from dpkb.lint import library_names
from dpkb.lint.models import find_nn_module_classes, may_have_batch_norm, model_of_parameters
from dpkb.lint.nodes import as_constant, called_name, find_receiver, group, is_method_call, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file

LOOKS_FOR = "requires_grad_(False) on a part with BatchNorm, then train() on all, without eval() on the part."


def check(file: SourceFile) -> Findings:
    trained = dict(_models_with_requires_grad(file, True))
    frozen = {child: node for child, node in _models_with_requires_grad(file, False) if child not in trained}
    if (
        not frozen
        or file.tree.mentions(file.tree.root, "FrozenBatchNorm2d", "freeze_bn", "frozen_bn")
        or any(info.method("train") for info in find_nn_module_classes(file))
    ):
        return
    yield from _find_in_lightning(file, frozen)
    # The path of a model -> the frozen parts below it.
    parts = group(
        (path, child)
        for child in frozen
        for path in accumulate(child.split("."), "{}.{}".format)
        if path != child
    )
    for call in file.scopes.method_calls("train"):
        if call.args and as_constant(call.args[0]) is False:
            continue
        model = text_of(find_receiver(call))
        inside = [child for child in _contents(file, call) if child in frozen]
        same = [model] if model in frozen and _has_new_head(file, frozen[model]) else []
        for child in dict.fromkeys([*parts[model], *inside, *same]):
            if not _has_eval_after(file, call, child) and may_have_batch_norm(file, frozen[child]):
                yield file.finding(
                    "O18",
                    call,
                    Certainty.LIKELY,
                    f"puts the BatchNorm layers of the frozen `{child}` into training mode: "
                    "their statistics still change",
                    f"`{child}.eval()` after each `{model}.train()`",
                )


def _find_in_lightning(file: SourceFile, frozen: dict[str, ast.expr]) -> Findings:
    """In a LightningModule, where the Trainer calls train() on the whole module."""
    for child, node in frozen.items():
        owner = file.definitions.class_of(node)
        if owner is None or not owner.is_a("lightning.LightningModule") or not child.startswith("self."):
            continue
        modes = [
            call
            for call in file.tree.within(owner.node, ast.Call)
            if is_method_call(call, "eval", "train", "apply")
        ]
        if not modes and may_have_batch_norm(file, node):
            yield file.finding(
                "O18",
                node,
                Certainty.LIKELY,
                f"the Trainer trains with the BatchNorm layers of the frozen `{child}` in training mode: "
                "their statistics still change",
                f"`{child}.eval()` in on_train_epoch_start()",
            )


def _models_with_requires_grad(file: SourceFile, trains: bool) -> Iterator[tuple[str, ast.expr]]:
    """The models whose parameters all get this value of requires_grad."""
    for call in file.scopes.method_calls("requires_grad_"):
        child = find_receiver(call)
        flag = as_constant(call.args[0]) if call.args else True
        if (
            flag is trains
            and isinstance(child, (ast.Name, ast.Attribute))
            and file.values.is_a(child, library_names.NN_MODULE)
        ):
            yield text_of(child), child
    for loop in file.tree.nodes(ast.For):
        model = model_of_parameters(loop.iter)
        if model is None or not isinstance(loop.target, ast.Name):
            continue
        for statement in loop.body:
            if text_of(statement).replace(" ", "") in (
                f"{loop.target.id}.requires_grad={trains}",
                f"{loop.target.id}.requires_grad_({trains})",
            ):
                yield text_of(model), model


def _has_new_head(file: SourceFile, model: ast.expr) -> bool:
    """Whether the model gets a new layer after it was frozen: model.fc = nn.Linear(...)."""
    return any(
        node.lineno > model.lineno and file.values.is_a(node.value, library_names.NN_MODULE)
        for node in _attribute_assignments(file)[text_of(model)]
    )


@once_per_file
def _attribute_assignments(file: SourceFile) -> dict[str, list[ast.Assign]]:
    """The owner of an attribute -> the assignments to its attributes."""
    return group(
        (text_of(target.value), node)
        for node in file.tree.nodes(ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    )


def _contents(file: SourceFile, call: ast.Call) -> list[str]:
    """What the model is created from: `backbone` and `head` for nn.Sequential(backbone, head)."""
    origins = file.values.origins(find_receiver(call))
    return [text_of(item) for origin in origins if isinstance(origin, ast.Call) for item in origin.args]


@once_per_file
def _mode_calls(file: SourceFile, scope: ast.AST) -> list[ast.Call]:
    """The calls that may put layers into evaluation mode."""
    return [
        call
        for call in file.tree.within(scope, ast.Call)
        if is_method_call(call, "eval", "apply") or (call.args and is_method_call(call, "train"))
    ]


def _has_eval_after(file: SourceFile, call: ast.Call, child: str) -> bool:
    """Whether the function calls eval() of the frozen model, or of its BatchNorm layers, after this call."""
    scope, model = file.tree.block_of(call), text_of(find_receiver(call))
    for other in _mode_calls(file, scope):
        loops = file.tree.loops_around(other)
        if other.lineno <= call.lineno and not loops:
            continue
        method, owner = called_name(other), text_of(find_receiver(other))
        if method == "apply" or (method == "train" and owner == child):
            return True
        is_around_child = child.startswith(owner + ".") and owner != model
        is_loop_over_layers = bool(loops) and "modules" in text_of(loops[0])
        if method == "eval" and (owner.startswith(child) or is_around_child or is_loop_over_layers):
            return True
    return False
