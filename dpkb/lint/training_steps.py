"""The training steps of a file: the code around each backward()."""

import ast
from dataclasses import dataclass

from dpkb.lint.loaders import Loader, loader_of
from dpkb.lint.nodes import Function, Loop, MethodCall, is_method_call
from dpkb.lint.source_file import SourceFile, once_per_file


@dataclass(frozen=True)
class CodeBlock:
    """A loop or a function."""

    file: SourceFile
    block: Loop | Function

    def calls(self, *methods: str) -> list[MethodCall]:
        """The method calls of these names in it, in the order of the text."""
        tree = self.file.tree
        calls = [
            call
            for method in methods
            for call in tree.select(self.file.scopes.calls_by_name.get(method, ()), self.block)
            if is_method_call(call)
        ]
        return tree.sort(calls) if len(methods) > 1 else calls


@dataclass(frozen=True)
class TrainingStep(CodeBlock):
    """The code around a backward(): the innermost loop, or the function if there is no loop."""

    backward: ast.Call

    @property
    def loader(self) -> Loader | None:
        """The loader that its loop iterates over."""
        loop = self.block
        return loader_of(self.file, loop.iter) if isinstance(loop, (ast.For, ast.AsyncFor)) else None


@once_per_file
def find_training_steps(file: SourceFile) -> list[TrainingStep]:
    """The training steps of a file, one for each loop or function that calls backward()."""
    steps: dict[Loop | Function, TrainingStep] = {}
    for call in file.scopes.method_calls("backward", "manual_backward"):
        block = next(iter(file.tree.loops_around(call)), None) or file.tree.function_of(call)
        if block is not None and block not in steps:
            steps[block] = TrainingStep(file, block, call)
    # The method backward() of an autograd.Function is no training step.
    return [step for block, step in steps.items() if getattr(block, "name", "") != "backward"]


@once_per_file
def find_training_blocks(file: SourceFile) -> list[Loop | Function]:
    """The loops and functions that are training steps, in the order of the text."""
    return file.tree.sort(training.block for training in find_training_steps(file))


def find_remainder_tests(file: SourceFile, call: ast.Call) -> list[ast.expr]:
    """The conditions around a call that have a remainder, such as (step + 1) % n == 0; innermost first."""
    return [
        test.test
        for test, in_body in file.tree.guards(call)
        if in_body and any(isinstance(node, ast.Mod) for node in ast.walk(test.test))
    ]
