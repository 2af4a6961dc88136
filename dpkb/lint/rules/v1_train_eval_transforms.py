"""V1: evaluation gets other pixel values than training."""

import ast
from collections.abc import Iterator

from dpkb.lint import library_names
from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.nodes import as_constant, find_argument, text_of
from dpkb.lint.phase_names import is_training_name
from dpkb.lint.source_file import SourceFile

LOOKS_FOR = "Normalize in only one of training and evaluation, or with other values; random evaluation."

_RANDOM_TRANSFORMS = (
    "RandomCrop",
    "RandomResizedCrop",
    "RandomHorizontalFlip",
    "RandomRotation",
    "ColorJitter",
    "RandomErasing",
    "RandAugment",
    "AutoAugment",
    "RandomAffine",
    "TrivialAugmentWide",
)

# A call of Compose, with the names of its transforms.
_Pipeline = tuple[ast.Call, list[str]]


def check(file: SourceFile) -> Iterator[Finding]:
    training: list[_Pipeline] = []
    evaluation: list[_Pipeline] = []
    for call in file.scopes.calls_of(*library_names.COMPOSE):
        is_training = is_training_name(_name_of_pipeline(file, call))
        names = _transform_names(file, call)
        if is_training is None or names is None:
            continue
        (training if is_training else evaluation).append((call, names))
    yield from _find_in_functions(file)
    yield from _find_augmented_datasets(file)
    yield from _find_augmented_split(file)
    if len(training) != 1 or len(evaluation) < 1:
        return
    for call, names in evaluation:
        yield from _find_different_normalisation(file, training[0], (call, names))
        random = [name for name in names if name in _RANDOM_TRANSFORMS]
        if random:
            yield file.finding(
                "V1",
                call,
                Certainty.LIKELY,
                f"evaluation has random transforms ({', '.join(random)})",
                "use Resize and CenterCrop for evaluation",
            )


def _find_different_normalisation(
    file: SourceFile, training: _Pipeline, evaluation: _Pipeline
) -> Iterator[Finding]:
    (train_call, train), (call, names) = training, evaluation
    place, message = call, ""
    if "Normalize" in train and "Normalize" not in names and "ToTensor" in names:
        message = "training normalises, evaluation does not"
    elif "Normalize" in names and "Normalize" not in train and "ToTensor" in train:
        place, message = train_call, "evaluation normalises, training does not"
    else:
        one, other = _normalisation(file, train_call), _normalisation(file, call)
        if one and other and one != other:
            message = f"training normalises with {one}, evaluation with {other}"
    if message:
        yield file.finding("V1", place, Certainty.LIKELY, message, "use the same Normalize in both")


def _find_augmented_datasets(file: SourceFile) -> Iterator[Finding]:
    """valid_set = Dataset(path, transform), with the random transform of the training set."""
    composed = set(file.scopes.calls_of(*library_names.COMPOSE))
    random: dict[str, list[str]] = {}
    used: dict[str, list[tuple[bool | None, ast.Call]]] = {}
    for node in file.tree.nodes(ast.Assign) if composed else []:
        if (
            not isinstance(node.value, ast.Call)
            or node.value in composed
            or not isinstance(node.targets[0], (ast.Name, ast.Attribute))
        ):
            continue
        is_training = is_training_name(text_of(node.targets[0]))
        for value in (*node.value.args, *(keyword.value for keyword in node.value.keywords)):
            for origin in file.values.origins(value) if isinstance(value, (ast.Name, ast.Attribute)) else []:
                if isinstance(origin, ast.Call) and origin in composed:
                    key = ast.dump(value) + str(origin.lineno)
                    random[key] = [
                        name for name in _transform_names(file, origin) or [] if name in _RANDOM_TRANSFORMS
                    ]
                    used.setdefault(key, []).append((is_training, node.value))
    for key, uses in used.items():
        if random[key] and any(is_training for is_training, _ in uses):
            for is_training, call in uses:
                if is_training is False:
                    yield file.finding(
                        "V1",
                        call,
                        Certainty.LIKELY,
                        "evaluation gets the random transform of the training set "
                        f"({', '.join(random[key])})",
                        "use a separate transform with Resize and CenterCrop",
                    )


def _find_augmented_split(file: SourceFile) -> Iterator[Finding]:
    """train_set, valid_set = random_split(dataset, sizes), if the dataset has a random transform."""
    for node in file.tree.nodes(ast.Assign):
        call = node.value
        if not (
            isinstance(call, ast.Call)
            and isinstance(node.targets[0], ast.Tuple)
            and file.scopes.callee(call) == "torch.utils.data.random_split"
            and call.args
        ):
            continue
        kinds = {is_training_name(text_of(item)) for item in node.targets[0].elts}
        for dataset in file.values.origins(call.args[0]) if {True, False} <= kinds else []:
            transform = find_argument(dataset, "transform") if isinstance(dataset, ast.Call) else None
            steps = [
                step
                for origin in file.values.origins(transform)
                if isinstance(origin, ast.Call)
                for step in _transform_names(file, origin) or []
                if step in _RANDOM_TRANSFORMS
            ]
            if steps and not file.tree.mentions(file.tree.root, "deepcopy", "copy"):
                yield file.finding(
                    "V1",
                    call,
                    Certainty.LIKELY,
                    f"both parts get the random transform of the dataset ({', '.join(steps)})",
                    "create two datasets with different transforms, and a Subset with the indices of each",
                )


def _find_in_functions(file: SourceFile) -> Iterator[Finding]:
    """Two functions, of which one returns x and the other (x - mean) / std."""
    results = {}
    for function in file.tree.functions:
        kind = is_training_name(function.name)
        values = [node.value for node in file.tree.within(function, ast.Return) if node.value is not None]
        if kind is not None and "transform" in function.name and len(values) == 1:
            results[kind] = values[0]
    if len(results) < 2:
        return
    value = results[True]
    if (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Div)
        and isinstance(value.left, ast.BinOp)
        and isinstance(value.left.op, ast.Sub)
        and text_of(value.left.left) == text_of(results[False])
    ):
        yield file.finding(
            "V1",
            results[False],
            Certainty.LIKELY,
            "training normalises, evaluation does not",
            "use the same normalisation in both",
        )


def _name_of_pipeline(file: SourceFile, call: ast.Call) -> str:
    """The name or key that a pipeline is assigned to, or the split of the dataset that gets it."""
    split = ""
    for child, parent in zip([call, *file.tree.parents_of(call)], file.tree.parents_of(call), strict=False):
        if isinstance(parent, ast.Assign):
            return split or text_of(parent.targets[0])
        if isinstance(parent, ast.Dict) and child in parent.values:
            return split or text_of(parent.keys[parent.values.index(child)])
        if isinstance(parent, ast.Call):
            if file.scopes.callee(parent).startswith(library_names.TRANSFORMS):
                break  # a part of another transform
            split = split or _name_of_split(file, parent)
        if isinstance(parent, ast.stmt):
            break
    return split


def _name_of_split(file: SourceFile, call: ast.Call) -> str:
    """The split in MNIST(root, train=False), CIFAR10(root, False) or Dataset(split="val"); "" without one."""
    split = next(
        (
            as_constant(keyword.value)
            for keyword in call.keywords
            if keyword.arg in ("train", "split", "mode", "phase", "is_train")
        ),
        None,
    )
    if split is None and file.scopes.callee(call).startswith("torchvision.datasets.") and len(call.args) > 1:
        split = as_constant(call.args[1])
    if isinstance(split, bool):
        return "train" if split else "test"
    return split if isinstance(split, str) else ""


def _transform_names(file: SourceFile, call: ast.Call) -> list[str] | None:
    """The names of the transforms in a call of Compose; None if one of them is not known."""
    value = find_argument(call, "transforms", 0)
    origins = file.values.origins(value)
    if len(origins) != 1 or not isinstance(origins[0], ast.List):
        return None
    scope = file.tree.block_of(call)
    appended_items = [
        append.args[0]
        for append in file.tree.within(scope, ast.Call)
        if isinstance(value, ast.Name) and text_of(append.func) == f"{value.id}.append" and append.args
    ]
    if isinstance(value, ast.Name) and not appended_items:
        return None
    names = []
    for item in (*origins[0].elts, *appended_items):
        name = file.scopes.callee(item).rpartition(".")[2] if isinstance(item, ast.Call) else ""
        for origin in file.values.origins(item) if not name else []:
            name = file.scopes.callee(origin).rpartition(".")[2] if isinstance(origin, ast.Call) else ""
        if not name:
            return None  # an unknown step may normalise
        names.append(name)
    return names


def _normalisation(file: SourceFile, call: ast.Call) -> str:
    """The mean and std of the Normalize in a pipeline, as text; "" without one."""
    for node in ast.walk(call):
        if isinstance(node, ast.Call) and file.scopes.callee(node).endswith(".Normalize"):
            values = [find_argument(node, "mean", 0), find_argument(node, "std", 1)]
            texts = [
                text_of(file.values.origins(value)[0])
                if len(file.values.origins(value)) == 1
                else text_of(value)
                for value in values
            ]
            return " and ".join(texts)
    return ""
