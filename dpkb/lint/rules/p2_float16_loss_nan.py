"""P2: training in float16 without a loss scale."""

import ast
import re

from dpkb.lint.gradients import is_without_gradients
from dpkb.lint.models import find_half_models
from dpkb.lint.nodes import find_argument, text_of
from dpkb.lint.source_file import Certainty, Findings, SourceFile
from dpkb.lint.training_steps import find_training_steps

LOOKS_FOR = "model.half(), or autocast with float16, and a training loop in a file without a GradScaler."

# Libraries that scale the loss themselves, and words of code that uses another type.
_OTHER_METHODS = (
    "deepspeed",
    "accelerator",
    "Accelerator",
    "Fabric",
    "fabric",
    "bfloat16",
    "Trainer",
    "master_params",
    "FP16_Optimizer",
    "dtype_str",
    "ptdtype",
)
# A word that matches shows that the loss is scaled; scale_each and scale_factor are about images.
_SCALING_WORD = re.compile(
    r"scaler|unscale|scaling|(loss|init|static)_?scale|scale_?(loss|grad|window)", re.I
)

# The device of autocast, or the first argument of torch.cuda.amp.autocast().
_CUDA = re.compile(r"'cuda'|True")


def check(file: SourceFile) -> Findings:
    blocks = [
        training.block
        for training in find_training_steps(file)
        if training.calls("step") and not training.backward.args
    ]
    words = file.tree.words(file.tree.root)
    if not blocks or not words.isdisjoint(_OTHER_METHODS) or any(map(_SCALING_WORD.search, words)):
        return
    called = {text_of(call.func) for block in blocks for call in file.tree.within(block, ast.Call)}
    for half in find_half_models(file):
        # model.half(), model = Net().half()
        statement = file.tree.statement_of(half)
        model = statement.targets[0] if isinstance(statement, ast.Assign) else half.func.value
        if text_of(model) in called:
            yield file.finding(
                "P2",
                half,
                Certainty.LIKELY,
                "trains float16 weights: small gradients become 0, and large activations become inf",
                "keep the model in float32, and run the forward under torch.autocast with a GradScaler",
            )
    blocks += [function for block in blocks for function in file.definitions.find_called_functions(block)]
    for call in file.scopes.calls_of("torch.autocast"):
        if any(file.tree.is_inside(call, block) for block in blocks) and _is_float16(file, call):
            yield file.finding(
                "P2",
                call,
                Certainty.LIKELY,
                "float16 autocast without a GradScaler: gradients below 6e-8 become 0",
                "scale the loss with torch.amp.GradScaler, or use dtype=torch.bfloat16",
            )


def _is_float16(file: SourceFile, call: ast.Call) -> bool:
    """Whether autocast uses float16, which is the default on CUDA; on the CPU the default is bfloat16."""
    dtype = find_argument(call, "dtype", 1)
    if dtype is not None:
        return any(
            file.scopes.full_name(origin) in ("torch.float16", "torch.half")
            for origin in file.values.origins(dtype)
        )
    enabled = find_argument(call, "enabled")
    device = find_argument(call, "device_type", 0)
    # `device.type` of device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if isinstance(device, ast.Attribute) and device.attr == "type":
        device = device.value
    return (
        (enabled is None or file.values.constant(enabled) is True)
        and (device is None or any(_CUDA.search(text_of(origin)) for origin in file.values.origins(device)))
        and not is_without_gradients(file, call)
    )
