"""Training in a file: its steps, its modules, and names that mean training or evaluation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dpkb.lint import names
from dpkb.lint.classes import ClassInfo
from dpkb.lint.loaders import Loader, loader_of
from dpkb.lint.module import Module, once_per_file
from dpkb.lint.syntax import Function, Loop


@dataclass(frozen=True)
class TrainingStep:
    """The code around a backward(): the innermost loop, or the function if there is no loop."""

    module: Module
    block: Loop | Function
    backward: ast.Call

    def calls(self, *methods: str) -> list[ast.Call]:
        """The method calls of these names in it, in the order of the text."""
        return [node for node in self.module.within(self.block, ast.Call)
                if isinstance(node.func, ast.Attribute) and node.func.attr in methods]

    @property
    def loader(self) -> Loader | None:
        """The loader that its loop iterates over."""
        loop = self.block
        return loader_of(self.module, loop.iter) if isinstance(loop, (ast.For, ast.AsyncFor)) else None


@once_per_file
def training_steps(module: Module) -> list[TrainingStep]:
    """The training steps of a file, one for each loop or function that calls backward()."""
    steps: dict[Loop | Function, TrainingStep] = {}
    for call in module.method_calls("backward", "manual_backward"):
        block = next(iter(module.loops_around(call)), None) or module.function_of(call)
        if block is not None and block not in steps:
            steps[block] = TrainingStep(module, block, call)
    # The method backward() of an autograd.Function is no training step.
    return [step for block, step in steps.items() if getattr(block, "name", "") != "backward"]


def module_classes(module: Module) -> Iterator[ClassInfo]:
    """The subclasses of nn.Module in a file."""
    for node in module.nodes(ast.ClassDef):
        info = module.classes[node.name]
        if info.node is node and info.is_a(names.MODULE):
            yield info


def called_functions(module: Module, node: ast.AST) -> Iterator[Function]:
    """The functions of this file that are called in the tree of a node."""
    for call in module.within(node, ast.Call):
        function = module.function_named(call.func)
        if function is not None:
            yield function


def self_name(function: Function) -> str:
    """The name of a method's first parameter."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    return parameters[0].arg if parameters else ""


def self_attribute(node: ast.AST, function: Function) -> str:
    """The name in self.name; "" for anything else."""
    if (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        and node.value.id == self_name(function)):
        return node.attr
    return ""


_EVALUATES = re.compile(
    r"(val|vals|dev)(set|loader|dl|dataset|data|ds)?\d*|(valid|eval|test|infer|predict)\w*")


def is_training_name(name: str) -> bool | None:
    """True for a name that means training, False for one that means evaluation, None for others."""
    words = re.findall(r"[A-Za-z][a-z0-9]*|[A-Z]+(?![a-z])", name)
    if any(_EVALUATES.fullmatch(word.lower()) for word in words):
        return False
    return True if any(word.lower().startswith("train") for word in words) else None


def may_have_batch_norm(module: Module, model: ast.expr | None) -> bool:
    """Whether a model has BatchNorm layers: by the code of its class; torchvision and timm models have."""
    for kind in module.types(model):
        if isinstance(kind, str):
            if kind.startswith(("torchvision.models.", "timm.")):
                return True
        elif any(kind.module.callee(call) in names.BATCH_NORMS for call in ast.walk(kind.node)
                 if isinstance(call, ast.Call)):
            return True
    for origin in module.origins(model):
        for call in ast.walk(origin):
            if isinstance(call, ast.Call) and module.callee(call) in names.BATCH_NORMS:
                return True
    # model.backbone of a torchvision model
    return isinstance(model, ast.Attribute) and may_have_batch_norm(module, model.value)
