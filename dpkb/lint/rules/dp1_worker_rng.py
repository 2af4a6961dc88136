"""DP1: random numbers that repeat from worker to worker, or from epoch to epoch."""

import ast
import re

from dpkb.lint.classes import ClassInfo
from dpkb.lint.library_names import NN_MODULE
from dpkb.lint.loaders import Loader, find_datasets, find_loaders
from dpkb.lint.nodes import Function, find_argument, is_method_call, is_none, self_attribute, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "Generators stored on a dataset, and worker_init_fn with a constant seed."

_GENERATORS = (
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "numpy.random.Generator",
    "random.Random",
    "torch.Generator",
)
_SEED_FUNCTIONS = (
    "numpy.random.seed",
    "random.seed",
    "torch.manual_seed",
    "torch.random.manual_seed",
    "pytorch_lightning.seed_everything",
    "lightning.seed_everything",
)
# A seed that comes from one of these differs by worker and epoch.
_VARYING_SOURCES = (
    "initial_seed",
    "get_worker_info",
    "seed_seq",
    "time",
    "urandom",
    "entropy",
    "getpid",
    "time_ns",
    "base_seed",
    "uuid",
    "randint",
    "randrange",
    "getrandbits",
    "secrets",
    "token",
)
_INIT_FUNCTION = re.compile(r"\w*worker_?init(_fn)?|(seed|init)_?workers?|worker_?seed\w*")


def check(file: SourceFile) -> Findings:
    datasets = find_datasets(file)
    for info, used_by in datasets.items():
        yield from _find_stored_generators(file, info, used_by)
        yield from _find_global_numpy(file, info, used_by)
    if any(loader.may_have_workers for loader in find_loaders(file)):
        for info in file.definitions.classes.values():  # transforms, which a dataset calls
            if "__call__" in info.methods and info not in datasets and not info.is_a(NN_MODULE):
                yield from _find_stored_generators(file, info, [])
    seen: set[ast.AST] = set()
    for loader in find_loaders(file):
        value = loader.value("worker_init_fn")
        function = (
            value
            if isinstance(value, ast.Lambda)
            else (file.definitions.find_function(value) if value else None)
        )
        if function is not None:
            seen.add(function)
            if not loader.flag("persistent_workers"):
                yield from _find_constant_seeds(file, function)
    for function in file.tree.functions:  # another file may create the loader
        if (
            function not in seen
            and _INIT_FUNCTION.fullmatch(function.name)
            and any("worker" in parameter.arg for parameter in file.scopes.parameters(function))
        ):
            yield from _find_constant_seeds(file, function)


def _find_stored_generators(file: SourceFile, info: ClassInfo, used_by: list[Loader]) -> Findings:
    users = [info.method(name) for name in ("__getitem__", "__iter__", "__getitems__", "__call__")]
    for name, values in info.attributes.items():
        for method, value in values:
            possible = used_by or find_loaders(file)
            if (
                method != "__init__"
                or not _is_generator(file, value)
                or not any(user and _reads(file, info, user, name) for user in users)
                or any(_reseeds(file, loader, name) for loader in used_by)
                or any(other != "__init__" for other, _ in values)  # it may run in the worker
                or _seeds_later(info, name)
                or (possible and not any(loader.may_have_workers for loader in possible))
            ):
                continue
            yield file.finding(
                "DP1",
                value,
                Certainty.LIKELY,
                f"every worker gets a copy of `self.{name}` in the same state, so all draw the same numbers",
                f"create `self.{name}` in each worker (worker_init_fn), seeded from torch.initial_seed()",
            )


def _is_generator(file: SourceFile, value: ast.expr) -> bool:
    """Whether a value is a generator, torch.Generator().manual_seed(0), or seeded albumentations."""
    for origin in file.values.origins(value):
        call: ast.AST | None = origin
        while isinstance(call, ast.Call):
            callee = file.scopes.callee(call)
            seed = find_argument(call, "seed") if callee.startswith("albumentations.") else None
            if callee in _GENERATORS or (seed is not None and not is_none(seed)):
                return True
            call = call.func.value if isinstance(call.func, ast.Attribute) else None
    return False


def _seeds_later(info: ClassInfo, name: str) -> bool:
    """Whether another method, which may run in the worker, calls seed() or manual_seed() of the attribute."""
    return any(
        is_method_call(node, "seed", "manual_seed") and self_attribute(node.func.value, method) == name
        for key, method in info.methods.items()
        if key != "__init__"
        for node in ast.walk(method)
    )


def _reads(file: SourceFile, info: ClassInfo, method: Function, name: str, max_depth: int = 3) -> bool:
    """Whether a method uses the attribute, itself or through other methods of the class."""
    for node in file.tree.within(method, ast.Attribute):
        attribute = self_attribute(node, method)
        if attribute == name:
            return True
        helper = info.method(attribute) if attribute else None
        if (
            helper is not None
            and helper is not method
            and max_depth
            and _reads(file, info, helper, name, max_depth - 1)
        ):
            return True
    return False


def _reseeds(file: SourceFile, loader: Loader, name: str) -> bool:
    """Whether worker_init_fn mentions the attribute, or is in none of the files."""
    value = loader.value("worker_init_fn")
    if value is None:
        return False
    function = file.definitions.find_function(value)
    return function is None or file.tree.mentions(function, name)


def _find_global_numpy(file: SourceFile, info: ClassInfo, used_by: list[Loader]) -> Findings:
    """np.random in __getitem__: before torch 1.9, forked workers started with the same state."""
    for name in ("__getitem__", "__iter__"):
        method = info.methods.get(name)
        for call in file.tree.within(method, ast.Call) if method else []:
            callee = file.scopes.callee(call)
            is_draw = callee.startswith("numpy.random.") and callee not in (*_GENERATORS, *_SEED_FUNCTIONS)
            if is_draw and any(
                loader.may_have_workers and not loader.has("worker_init_fn") for loader in used_by
            ):
                yield file.finding(
                    "DP1",
                    call,
                    Certainty.HINT,
                    f"`{text_of(call.func)}` draws equal numbers in all forked workers before torch 1.9",
                    "seed numpy in worker_init_fn from torch.initial_seed(), or draw with torch",
                )
                return


def _find_constant_seeds(file: SourceFile, function: Function | ast.Lambda) -> Findings:
    """A worker_init_fn whose seed is the same in every epoch."""
    parameters = {item.arg for item in file.scopes.parameters(function)} - {"self", "rank", "seed"}
    for call in file.tree.within(function, ast.Call):
        seed = find_argument(call, "seed", 0) if file.scopes.callee(call) in _SEED_FUNCTIONS else None
        words = _names_in_origins(file, seed) if seed is not None else set()
        by_worker = not parameters.isdisjoint(words)
        if (by_worker or isinstance(seed, (ast.Constant, ast.Name, ast.Attribute))) and not any(
            fresh in word for word in words for fresh in _VARYING_SOURCES
        ):
            message = (
                "seeds each worker with the same number in every epoch, so every epoch repeats the augmentations"
                if by_worker
                else "seeds all workers with the same number, so they draw the same augmentations"
            )
            yield file.finding(
                "DP1",
                call,
                Certainty.LIKELY,
                f"`{text_of(call)}` {message}",
                "derive the seed from torch.initial_seed(), which differs by worker and epoch",
            )
            return


def _names_in_origins(file: SourceFile, node: ast.expr, max_depth: int = 3) -> set[str]:
    """The names in an expression, and in the expressions that were assigned to them."""
    words = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            origins = file.values.origins(inner) if max_depth else []
            words |= {inner.id}.union(
                *(_names_in_origins(file, origin, max_depth - 1) for origin in origins if origin is not node)
            )
    return words
