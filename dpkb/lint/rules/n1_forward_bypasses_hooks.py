"""N1: forward() called directly, which skips hooks, or ddp.module(x), which skips DDP."""

import ast
import re

from dpkb.lint import library_names
from dpkb.lint.edits import remove_attribute
from dpkb.lint.gradients import is_without_gradients
from dpkb.lint.nodes import find_receiver, last_name, text_of
from dpkb.lint.phase_names import is_test_file
from dpkb.lint.source_file import Certainty, Findings, SourceFile, once_per_file

LOOKS_FOR = "model.forward(...) on an object, not on a class or super(); ddp.module(...) in training."

# More names than in models.looks_like_model(), since the call of forward() is a sign as well.
# models.is_nn_module() would accept too much: a RemoteModule has eval() and train(), and is run by forward().
_MODEL_NAMES = re.compile(
    r"(.*_)?(model|net|network|net[GD]|generator|discriminator|encoder|decoder|backbone|classifier|unet|vae"
    r"|transformer|policy|actor|critic|bert|resnet|dqn|q_?net|q_?network|lstm|gru|rnn|cnn)"
    r"(_(local|target|old|new|ema|teacher|student|\w|\d))?"
)

# What sets hooks on modules, or relies on them.
_HOOKS = re.compile(
    r"hook|weight_norm|spectral_norm|prune|parametri|fully_shard|FSDP|FullySharded|DistributedDataParallel|DDP|offload"
)

# In these libraries, an object with a forward() is no nn.Module.
_LIBRARIES = (
    "cv2.",
    "onnx",
    "tensorflow.",
    "keras.",
    "mxnet.",
    "paddle.",
    "jax.",
    "flax.",
    "numpy.",
    "torch.",
)


def check(file: SourceFile) -> Findings:
    yield from _find_calls_past_ddp(file)
    for call in file.scopes.method_calls("forward"):
        model = find_receiver(call)
        # Without an argument it is another forward(), as in cv2.dnn.
        if (
            (call.args or call.keywords)
            and not _is_base_class_or_self(file, model)
            and (
                file.values.is_a(model, library_names.NN_MODULE)
                or _is_layer_of_module(file, call, model)
                or (_may_be_module(file, model) and _MODEL_NAMES.fullmatch(last_name(model)))
            )
        ):
            name = text_of(model)
            # A short example below the definition of a model only shows them, and so do most tests.
            is_used = file.tree.function_of(call) is not None and not is_test_file(file)
            yield file.finding(
                "N1",
                call,
                Certainty.LIKELY if _has_hooks(file) and is_used else Certainty.HINT,
                f"`{name}.forward(...)` skips the hooks of `{name}`, such as those of pruning, weight_norm and "
                "FSDP2",
                f"call the module itself: `{name}(...)`",
                [remove_attribute(file, call.func)],
            )


@once_per_file
def _has_hooks(file: SourceFile) -> bool:
    """Whether something in the file sets hooks. Without them, forward() does the same as a call."""
    return any(_HOOKS.search(word) for word in file.tree.words(file.tree.root))


def _is_base_class_or_self(file: SourceFile, node: ast.expr | None) -> bool:
    """Whether a value is super(), Base, a new object, self, cls or a private attribute such as self.__class__."""
    if isinstance(node, ast.Call) and (
        isinstance(node.func, ast.Name) or file.definitions.find_class(node.func)
    ):
        return True
    return (
        (isinstance(node, ast.Attribute) and node.attr.startswith("__"))
        or bool(file.definitions.find_class(node) or file.scopes.full_name(node))
        or (isinstance(node, ast.Name) and node.id in ("self", "cls"))
    )


def _find_calls_past_ddp(file: SourceFile) -> Findings:
    """ddp.module(x) in a loop that trains: DDP does not average these gradients."""
    for call in file.scopes.method_calls("module"):
        wrapped = find_receiver(call)
        loops = file.tree.loops_around(call)
        if (
            loops
            and file.values.is_a(wrapped, library_names.DDP)
            and not is_without_gradients(file, call)
            and any(
                isinstance(node, ast.Attribute) and node.attr == "backward" for node in ast.walk(loops[0])
            )
        ):
            name = text_of(wrapped)
            yield file.finding(
                "N1",
                call,
                Certainty.LIKELY,
                f"`{name}.module(...)` bypasses DDP: the gradients are not averaged",
                f"call the wrapper: `{name}(...)`",
                [remove_attribute(file, call.func)],
            )


def _may_be_module(file: SourceFile, node: ast.expr | None) -> bool:
    """Whether the class of a value is not known, or known only by its name in another file."""
    return all(
        isinstance(kind, str) and (kind == "torch.load" or not kind.startswith(_LIBRARIES))
        for kind in file.values.types(node)
    )


def _is_layer_of_module(file: SourceFile, call: ast.Call, model: ast.expr | None) -> bool:
    """Whether a call is self.layer.forward(x) in a module: such an attribute is a module as well."""
    owner = file.definitions.class_of(call)
    return (
        owner is not None
        and owner.is_a(library_names.NN_MODULE)
        and isinstance(model, (ast.Attribute, ast.Subscript))
        and text_of(model).startswith("self.")
    )
