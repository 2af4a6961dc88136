"""V1: evaluation gets other pixel values than training."""

import ast

from dpkb.lint import library_names
from dpkb.lint.nodes import as_constant, find_argument, group, text_of
from dpkb.lint.phase_names import is_training_name
from dpkb.lint.source_file import Certainty, Findings, SourceFile

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


def check(file: SourceFile) -> Findings:
    yield from _find_in_functions(file)
    yield from _find_augmented_datasets(file)
    yield from _find_augmented_split(file)
    pipelines = group(
        (is_training_name(_name_of_pipeline(file, call)), (call, names))
        for call in file.scopes.calls_of(*library_names.COMPOSE)
        if (names := _transform_names(file, call)) is not None
    )
    training, evaluation = pipelines[True], pipelines[False]
    for call, names in evaluation if len(training) == 1 else ():
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


def _find_different_normalisation(file: SourceFile, training: _Pipeline, evaluation: _Pipeline) -> Findings:
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


def _find_augmented_datasets(file: SourceFile) -> Findings:
    """valid_set = Dataset(path, transform), with the random transform of the training set."""
    composed = set(file.scopes.calls_of(*library_names.COMPOSE))
    used = group(
        ((text_of(value), origin), (is_training_name(text_of(node.targets[0])), node.value))
        for node in (file.tree.nodes(ast.Assign) if composed else ())
        if isinstance(node.value, ast.Call)
        and node.value not in composed
        and isinstance(node.targets[0], (ast.Name, ast.Attribute))
        for value in (*node.value.args, *(keyword.value for keyword in node.value.keywords))
        if isinstance(value, (ast.Name, ast.Attribute))
        for origin in file.values.origins(value)
        if isinstance(origin, ast.Call) and origin in composed
    )
    for (_, origin), uses in used.items():
        random = [name for name in _transform_names(file, origin) or [] if name in _RANDOM_TRANSFORMS]
        for is_training, call in uses if random and any(kind for kind, _ in uses) else ():
            if is_training is False:
                yield file.finding(
                    "V1",
                    call,
                    Certainty.LIKELY,
                    f"evaluation gets the random transform of the training set ({', '.join(random)})",
                    "use a separate transform with Resize and CenterCrop",
                )


def _find_augmented_split(file: SourceFile) -> Findings:
    """train_set, valid_set = random_split(dataset, sizes), if the dataset has a random transform."""
    for node in file.tree.nodes(ast.Assign):
        call, parts = node.value, getattr(node.targets[0], "elts", [])
        if not isinstance(call, ast.Call) or file.scopes.callee(call) != "torch.utils.data.random_split":
            continue
        kinds = {is_training_name(text_of(item)) for item in parts}
        dataset_argument = find_argument(call, "dataset", 0)
        for dataset in file.values.origins(dataset_argument) if {True, False} <= kinds else []:
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


def _find_in_functions(file: SourceFile) -> Findings:
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
    appended_items = [
        append.args[0]
        for append in file.tree.within(file.tree.block_of(call), ast.Call)
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
    for node in file.tree.within(call, ast.Call):
        if file.scopes.callee(node).endswith(".Normalize"):
            values = find_argument(node, "mean", 0), find_argument(node, "std", 1)
            return " and ".join(text_of(file.values.only_origin(value)) for value in values)
    return ""
