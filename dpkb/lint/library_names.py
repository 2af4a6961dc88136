"""Names of libraries: which of them are modules, datasets, optimizers or collectives."""

import re
from functools import cache

NN_MODULE = "torch.nn.Module"
PARAMETER = "torch.nn.Parameter"
DATASET = "torch.utils.data.Dataset"
ITERABLE_DATASET = "torch.utils.data.IterableDataset"
LOADER = "torch.utils.data.DataLoader"
OPTIMIZER = "torch.optim.Optimizer"
SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"
DDP = "torch.nn.parallel.DistributedDataParallel"
DISTRIBUTED_SAMPLER = "torch.utils.data.DistributedSampler"
GRAD_SCALER = "torch.amp.GradScaler"
TENSOR = "torch.Tensor"
TRANSFORMS = "torchvision.transforms."
COMPOSE = (TRANSFORMS + "Compose", TRANSFORMS + "v2.Compose")

# Libraries of which is_subclass() knows all subclasses of nn.Module.
KNOWN = ("torch.", "torchvision.", "abc.", "typing.", "collections.", "lightning.", "enum.")

# Longer or older names -> the name that the rules use.
_CANONICAL = {
    "torch.utils.data.dataset.Dataset": DATASET,
    "torch.utils.data.dataset.IterableDataset": ITERABLE_DATASET,
    "torch.utils.data.dataloader.DataLoader": LOADER,
    "torch_geometric.loader.DataLoader": LOADER,
    "torch_geometric.data.DataLoader": LOADER,
    "torch.utils.data.dataloader.default_collate": "torch.utils.data.default_collate",
    "torch.utils.data._utils.collate.default_collate": "torch.utils.data.default_collate",
    "torch.utils.data.distributed.DistributedSampler": DISTRIBUTED_SAMPLER,
    "torch.nn.parallel.distributed.DistributedDataParallel": DDP,
    "torch.nn.DistributedDataParallel": DDP,
    "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
    "torch.cuda.amp.GradScaler": GRAD_SCALER,
    "torch.cuda.amp.grad_scaler.GradScaler": GRAD_SCALER,
    "torch.cuda.amp.autocast": "torch.autocast",
    "torch.amp.autocast": "torch.autocast",
    "torch.nn.modules.module.Module": NN_MODULE,
    "mmcv.runner.BaseModule": NN_MODULE,
    "mmengine.model.BaseModule": NN_MODULE,
    "torch.optim.lr_scheduler._LRScheduler": SCHEDULER,
    "pytorch_lightning.LightningModule": "lightning.LightningModule",
    "lightning.pytorch.LightningModule": "lightning.LightningModule",
    "torch.nn.parameter.Parameter": PARAMETER,
    "torch.nn.utils.clip_grad.clip_grad_norm_": "torch.nn.utils.clip_grad_norm_",
}
_TENSOR_FUNCTIONS = {
    "tensor",
    "zeros",
    "ones",
    "empty",
    "full",
    "rand",
    "randn",
    "randint",
    "randperm",
    "arange",
    "linspace",
    "eye",
    "from_numpy",
    "as_tensor",
    "zeros_like",
    "ones_like",
    "rand_like",
    "randn_like",
    "full_like",
    "empty_like",
    "cat",
    "stack",
    "FloatTensor",
    "LongTensor",
    "Tensor",
    "logspace",
    "tril",
    "triu",
    "IntTensor",
    "BoolTensor",
}
# A class -> the names of its subclasses in libraries.
_SUBCLASSES = {
    NN_MODULE: r"lightning\.LightningModule|torchvision\.models\..+"
    r"|(torch\.nn\.(?!functional\.|init\.|utils\.)|timm\.)(.+\.)?"
    r"(?!(Parameter|Buffer|ParameterDict|UninitializedParameter|UninitializedBuffer)$)[A-Z]\w*"
    r"|transformers\.(.+\.)?(AutoModel\w*|\w*Model"
    r"|\w*For(CausalLM|SequenceClassification|MaskedLM|ConditionalGeneration|TokenClassification|QuestionAnswering))",
    DATASET: r"(torchvision\.datasets|torch\.utils\.data)\.(.+\.)?\w*(Dataset|Folder|MNIST|CIFAR10|CIFAR100|Subset)",
    OPTIMIZER: r"torch\.optim\.[A-Z]\w*",
    SCHEDULER: r"torch\.optim\.lr_scheduler\..*",
    TENSOR: rf"torch\.({'|'.join(_TENSOR_FUNCTIONS)})",
}
# Each collective -> the position of its argument `group`.
COLLECTIVES = {
    "barrier": 0,
    "monitored_barrier": 0,
    "all_reduce": 2,
    "all_gather": 2,
    "all_gather_into_tensor": 2,
    "all_gather_object": 2,
    "broadcast": 2,
    "broadcast_object_list": 2,
    "reduce": 3,
    "gather": 3,
    "gather_object": 3,
    "scatter": 3,
    "scatter_object_list": 3,
    "reduce_scatter": 3,
    "reduce_scatter_tensor": 3,
    "all_to_all": 2,
    "all_to_all_single": 4,
}
BATCH_NORMS = {"torch.nn.BatchNorm1d", "torch.nn.BatchNorm2d", "torch.nn.BatchNorm3d"}
# Layers that have weights to train.
LAYERS_WITH_WEIGHTS = tuple(
    f"torch.nn.{name}"
    for name in (
        "Parameter",
        "Linear",
        "Conv1d",
        "Conv2d",
        "Conv3d",
        "ConvTranspose2d",
        "Embedding",
        "LSTM",
        "GRU",
        "LSTMCell",
        "GRUCell",
        "BatchNorm1d",
        "BatchNorm2d",
        "LayerNorm",
        "MultiheadAttention",
    )
)
# Methods that return the object that they are called on, or a copy of it.
SAME_OBJECT_METHODS = {
    "to",
    "cuda",
    "cpu",
    "half",
    "float",
    "double",
    "bfloat16",
    "train",
    "eval",
    "type",
    "requires_grad_",
    "to_empty",
    "share_memory",
    "apply",
}


def canonicalize(name: str) -> str:
    """The name that the rules use for a class or function that has several."""
    if name in _CANONICAL:
        return _CANONICAL[name]
    for longer, shorter in (
        ("torch.nn.modules.", "torch.nn."),
        ("torch.distributed.distributed_c10d.", "torch.distributed."),
    ):
        if name.startswith(longer):
            return shorter + name.rpartition(".")[2]
    return (
        "torch.optim." + name.rpartition(".")[2]
        if name.startswith("torch.optim.") and name.count(".") == 3 and ".lr_scheduler." not in name
        else name
    )


@cache
def is_subclass(name: str, base_class: str) -> bool:
    """Whether a class of a library (its canonical name) is a subclass of the wanted one."""
    names = _SUBCLASSES.get(base_class)
    return name == base_class or (names is not None and re.fullmatch(names, name) is not None)
