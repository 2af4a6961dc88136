"""Views of the code that many rules share: data loaders, datasets, training loops, rank guards."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dpkb.lint import names
from dpkb.lint.module import ClassInfo, Module, type_is_a
from dpkb.lint.source import as_constant
from dpkb.lint.syntax import Function, Loop, argument, has_unknown_arguments, text_of


@dataclass(frozen=True)
class Loader:
    """A call of DataLoader."""

    module: Module
    call: ast.Call

    def value(self, name: str) -> ast.expr | None:
        """An argument by its name, also from a dict that is passed on as **kwargs."""
        positions = (
            "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
            "pin_memory", "drop_last", "timeout", "worker_init_fn", "multiprocessing_context", "generator")
        expression = argument(self.call, name, positions.index(name) if name in positions else None)
        if expression is not None:
            return expression
        for keyword in self.call.keywords:
            if keyword.arg is None:
                for origin in self.module.origins(keyword.value):
                    if isinstance(origin, ast.Dict):
                        for key, value in zip(origin.keys, origin.values, strict=True):
                            if isinstance(key, ast.Constant) and key.value == name:
                                return value
                    if (
                        isinstance(origin, ast.Call) and isinstance(origin.func, ast.Name)
                        and origin.func.id == "dict"):
                        expression = argument(origin, name)
                        if expression is not None:
                            return expression
        return None

    def has(self, name: str) -> bool:
        """Whether an argument is given, or may be."""
        return self.value(name) is not None or has_unknown_arguments(self.call)

    def flag(self, name: str) -> bool | None:
        """True, False, or None where it cannot be known."""
        value = self.value(name)
        if value is None:
            return None if has_unknown_arguments(self.call) else False
        constant = self.module.constant(value)
        return None if constant is None and not _is_none(value) else bool(constant)

    @property
    def num_workers(self) -> int | None:
        """The number of workers; None where it is only known when the program runs."""
        value = self.value("num_workers")
        if value is None:
            return None if has_unknown_arguments(self.call) else 0
        constant = self.module.constant(value)
        return constant if isinstance(constant, int) else None

    @property
    def may_have_workers(self) -> bool:
        """Whether it has workers, or takes their number from a setting."""
        return (self.num_workers is None and self.value("num_workers") is not None) or bool(self.num_workers)

    @property
    def start_method(self) -> str | None:
        """The start method that the loader itself names."""
        value = self.value("multiprocessing_context")
        constant = self.module.constant(value)
        if isinstance(constant, str):
            return constant
        for origin in self.module.origins(value):
            if (
                isinstance(origin, ast.Call) and origin.args
                and self.module.called(origin).endswith("get_context")):
                method = self.module.constant(origin.args[0])
                return method if isinstance(method, str) else None
        return None

    @cached_property
    def dataset_types(self) -> list[str | ClassInfo]:
        """The classes that its dataset may be an instance of, with what Subset and random_split wrap."""
        return list(_dataset_types(self.module, self.value("dataset")))

    @property
    def dataset_classes(self) -> list[ClassInfo]:
        """Those of them that are in the linted files."""
        return [kind for kind in self.dataset_types if isinstance(kind, ClassInfo)]

    @property
    def is_iterable(self) -> bool:
        """Whether the dataset is an IterableDataset."""
        return any(type_is_a(kind, names.ITERABLE_DATASET) for kind in self.dataset_types)


def loaders(module: Module) -> list[Loader]:
    """All calls of DataLoader in a file, and of its subclasses in the file."""
    if "loaders" not in module.cache:
        own = {info.name for info in module.classes.values() if info.is_a(names.LOADER)}
        calls = [
            *module.calls_of(names.LOADER),
            *(
                call for call in module.calls
                if own and isinstance(call.func, ast.Name) and call.func.id in own),
        ]
        module.cache["loaders"] = [Loader(module, call) for call in calls]
    return module.cache["loaders"]


def loader_of(module: Module, node: ast.expr | None) -> Loader | None:
    """The loader that an expression iterates over: loader, enumerate(loader), tqdm(loader) ..."""
    for _ in range(4):
        calls = [origin for origin in module.origins(node) if isinstance(origin, ast.Call)]
        for call in calls:
            if module.called(call) == names.LOADER:
                return Loader(module, call)
        node = next((call.args[0] for call in calls if call.args), None)
    return None


def datasets(module: Module) -> Iterator[ClassInfo]:
    """The map-style and iterable dataset classes of a file."""
    for node in module.nodes(ast.ClassDef):
        info = module.classes[node.name]
        if info.node is node and (info.is_a(names.DATASET) or info.is_a(names.ITERABLE_DATASET)):
            yield info


def module_classes(module: Module) -> Iterator[ClassInfo]:
    """The subclasses of nn.Module in a file."""
    for node in module.nodes(ast.ClassDef):
        info = module.classes[node.name]
        if info.node is node and info.is_a(names.MODULE):
            yield info


def loaders_of_class(module: Module, info: ClassInfo) -> list[Loader]:
    """The loaders of a file whose dataset may be of this class."""
    return [loader for loader in loaders(module) if info in loader.dataset_classes]


@dataclass(frozen=True)
class TrainingStep:
    """The code around a backward(): the innermost loop, or without one the function."""

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
        is_for = isinstance(self.block, (ast.For, ast.AsyncFor))
        return loader_of(self.module, self.block.iter) if is_for else None  # type: ignore[union-attr]


def training_steps(module: Module) -> list[TrainingStep]:
    """The code around each backward() of a file, each loop once."""
    if "training_steps" not in module.cache:
        steps: dict[Loop | Function, TrainingStep] = {}
        for call in module.method_calls("backward", "manual_backward"):
            block = next(iter(module.loops_around(call)), None) or module.function_of(call)
            if block is not None and block not in steps:
                steps[block] = TrainingStep(module, block, call)
        # A method backward() of an autograd.Function is no training step.
        module.cache["training_steps"] = [step for block, step in steps.items()
                                          if getattr(block, "name", "") != "backward"]
    return module.cache["training_steps"]


def guards(module: Module, node: ast.AST) -> Iterator[tuple[ast.If, bool]]:
    """The if statements around a node within its function, and whether it is in the body of each."""
    child = node
    for parent in module.parents_of(node):
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return
        if isinstance(parent, ast.If) and child is not parent.test:
            yield parent, child in parent.body
        child = parent


_RANKS = (
    "rank", "local_rank", "global_rank", "gpu", "process_index", "local_process_index", "get_rank")
_RANK_TESTS = (
    "is_main_process", "is_master", "is_main", "master_process",
    "is_global_zero", "is_rank_zero", "is_local_main_process")


def is_rank_test(module: Module, test: ast.expr) -> bool:
    """Whether a condition is true on some ranks only: rank == 0, is_main_process() ..."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(is_rank_test(module, value) for value in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_rank_test(module, test.operand)
    if (
        isinstance(test, ast.Compare) and len(test.ops) == 1
        and isinstance(test.ops[0], (ast.Eq, ast.NotEq, ast.Gt))):
        left, right = test.left, test.comparators[0]
        number = right if isinstance(right, ast.Constant) else left
        other = left if number is right else right
        return (
            isinstance(number, ast.Constant) and number.value == 0
            and _last_word(other) in _RANKS)
    if (
        isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn))
        and isinstance(test.comparators[0], (ast.List, ast.Tuple, ast.Set))):
        values = [as_constant(item) for item in test.comparators[0].elts]
        return 0 in values and _last_word(test.left) in _RANKS
    return _last_word(test) in _RANK_TESTS


def _last_word(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _dataset_types(module: Module, node: ast.expr | None, steps: int = 4) -> Iterator[str | ClassInfo]:
    yield from module.types(node)
    if steps:
        for origin in module.origins(node):
            if isinstance(origin, ast.Call) and module.called(origin) in (
                "torch.utils.data.Subset", "torch.utils.data.random_split", "torch.utils.data.ConcatDataset"):
                inner = origin.args[0] if origin.args else None
                items = inner.elts if isinstance(inner, (ast.List, ast.Tuple)) else [inner]
                for item in items:
                    yield from _dataset_types(module, item, steps - 1)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def without_gradients(module: Module, node: ast.AST) -> bool:
    """Whether a node is under no_grad() or inference_mode(), or below set_grad_enabled(False) in a block."""
    for parent in module.parents_of(node):
        if any(_switches_off(earlier) for earlier in _earlier_in_block(module, parent)):
            return True
        if isinstance(parent, (ast.With, ast.AsyncWith)):
            texts = [text_of(item.context_expr) for item in parent.items]
        elif isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            texts = [text_of(decorator) for decorator in parent.decorator_list]
        else:
            continue
        if any("no_grad" in text or "inference_mode" in text for text in texts):
            return True
    return False


def _switches_off(statement: ast.stmt) -> bool:
    """torch.set_grad_enabled(False)"""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    return text_of(statement.value).endswith("set_grad_enabled(False)")


def _earlier_in_block(module: Module, node: ast.AST) -> list[ast.stmt]:
    """The statements of the same block that come before this one."""
    parent = next(iter(module.parents_of(node)), None)
    for block in (getattr(parent, "body", None), getattr(parent, "orelse", None)):
        if isinstance(block, list) and node in block:
            return block[:block.index(node)]
    return []


def functions_called(module: Module, node: ast.AST) -> Iterator[Function]:
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
    """True for a name that says training, False for one that says evaluation, None for others."""
    words = re.findall(r"[A-Za-z][a-z0-9]*|[A-Z]+(?![a-z])", name)
    if any(_EVALUATES.fullmatch(word.lower()) for word in words):
        return False
    return True if any(word.lower().startswith("train") for word in words) else None


def may_have_batch_norm(module: Module, model: ast.expr | None) -> bool:
    """Whether a model has BatchNorm layers, as far as the files say; torchvision's models have."""
    for kind in module.types(model):
        if isinstance(kind, str):
            if kind.startswith(("torchvision.models.", "timm.")):
                return True
        elif any(kind.module.called(call) in names.BATCH_NORMS for call in ast.walk(kind.node)
                 if isinstance(call, ast.Call)):
            return True
    for origin in module.origins(model):
        for call in ast.walk(origin):
            if isinstance(call, ast.Call) and module.called(call) in names.BATCH_NORMS:
                return True
    # model.backbone of a torchvision model
    return isinstance(model, ast.Attribute) and may_have_batch_norm(module, model.value)
