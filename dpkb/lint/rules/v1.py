"""V1: evaluation gets other pixel values than training."""

import ast
from collections.abc import Iterator

from dpkb.lint.finding import Certainty, Finding
from dpkb.lint.module import Module
from dpkb.lint.syntax import argument, text_of
from dpkb.lint.training import is_training_name

_T = "torchvision.transforms."
_RANDOM = (
    "RandomCrop", "RandomResizedCrop", "RandomHorizontalFlip", "RandomRotation", "ColorJitter",
    "RandomErasing", "RandAugment", "AutoAugment", "RandomAffine", "TrivialAugmentWide")


def check(module: Module) -> Iterator[Finding]:
    """Normalize in only one of training and evaluation, or two different ones; random evaluation."""
    training: list[tuple[ast.Call, list[str]]] = []
    evaluation: list[tuple[ast.Call, list[str]]] = []
    for call in module.calls_of(_T + "Compose", _T + "v2.Compose"):
        is_training = is_training_name(_name(module, call))
        names = _transforms(module, call)
        if is_training is None or names is None:
            continue
        (training if is_training else evaluation).append((call, names))
    yield from _functions(module)
    if len(training) != 1 or len(evaluation) < 1:
        return
    train = training[0][1]
    for call, names in evaluation:
        if "Normalize" in train and "Normalize" not in names and "ToTensor" in names:
            yield module.finding(
                "V1", call, Certainty.LIKELY, "training normalises, evaluation does not",
                "use the same Normalize in both")
        elif "Normalize" in names and "Normalize" not in train and "ToTensor" in train:
            yield module.finding(
                "V1", training[0][0], Certainty.LIKELY, "evaluation normalises, training does not",
                "use the same Normalize in both")
        else:
            one, other = (_normalisation(module, item) for item in (training[0][0], call))
            if one and other and one != other:
                yield module.finding(
                    "V1", call, Certainty.LIKELY, f"training normalises with {one}, evaluation with {other}",
                    "use the same Normalize in both")
        random = [name for name in names if name in _RANDOM]
        if random:
            yield module.finding(
                "V1", call, Certainty.LIKELY, f"evaluation is augmented at random ({', '.join(random)})",
                "use Resize and CenterCrop for evaluation")


def _functions(module: Module) -> Iterator[Finding]:
    """def train_transform: (x - mean) / std, and def eval_transform: x."""
    returned = {}
    for function in module.functions:
        kind = is_training_name(function.name)
        values = [node.value for node in module.within(function, ast.Return) if node.value is not None]
        if kind is not None and "transform" in function.name and len(values) == 1:
            returned[kind] = values[0]
    if len(returned) < 2:
        return
    value = returned[True]
    if (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div) and isinstance(value.left, ast.BinOp)
            and isinstance(value.left.op, ast.Sub) and text_of(value.left.left) == text_of(returned[False])):
        yield module.finding("V1", returned[False], Certainty.LIKELY,
                             "training normalises, evaluation does not",
                             "use the same normalisation in both")


def _name(module: Module, call: ast.Call) -> str:
    """The name, key or argument that the transform is assigned to."""
    for child, parent in zip([call, *module.parents_of(call)], module.parents_of(call), strict=False):
        if isinstance(parent, ast.Assign):
            return text_of(parent.targets[0])
        if isinstance(parent, ast.Dict) and child in parent.values:
            return text_of(parent.keys[parent.values.index(child)])
        if isinstance(parent, (ast.stmt, ast.Call)):
            break
    return ""


def _transforms(module: Module, call: ast.Call) -> list[str] | None:
    value = argument(call, "transforms", 0)
    if not isinstance(value, ast.List):
        return None
    names = []
    for item in value.elts:
        name = module.called(item).rpartition(".")[2] if isinstance(item, ast.Call) else ""
        for origin in module.origins(item) if not name else []:
            name = module.called(origin).rpartition(".")[2] if isinstance(origin, ast.Call) else ""
        if not name:
            return None  # an unknown step may normalise
        names.append(name)
    return names


def _normalisation(module: Module, call: ast.Call) -> str:
    for node in ast.walk(call):
        if isinstance(node, ast.Call) and module.called(node).endswith(".Normalize"):
            parts = [argument(node, "mean", 0), argument(node, "std", 1)]
            texts = [
                text_of(module.origins(part)[0]) if part is not None and len(module.origins(part)) == 1
                else text_of(part) for part in parts]
            return " and ".join(texts)
    return ""
