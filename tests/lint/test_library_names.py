"""The names of library functions, also in longer and older forms."""

import pytest
from dpkb_audit import watch_ranks

from dpkb.lint import library_names


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.Linear", "torch.nn.Linear"),
        ("torch.optim.adam.Adam", "torch.optim.Adam"),
        ("torch.optim.lr_scheduler.StepLR", "torch.optim.lr_scheduler.StepLR"),
        ("torch.distributed.distributed_c10d.all_reduce", "torch.distributed.all_reduce"),
        ("torch.cuda.amp.autocast", "torch.autocast"),
        ("torch.utils.data.dataloader.DataLoader", library_names.LOADER),
        ("pytorch_lightning.LightningModule", "lightning.LightningModule"),
        ("package.optim.adam.Adam", "package.optim.adam.Adam"),
    ],
)
def test_several_names_of_a_class_have_one_canonical_name(written, name):
    assert library_names.canonicalize(written) == name
    assert library_names.canonicalize(name) == name


KINDS = {
    library_names.NN_MODULE: """
        torch.nn.Linear torch.nn.Sequential torch.nn.parallel.DistributedDataParallel timm.models.ResNet
        lightning.LightningModule torchvision.models.resnet18 transformers.BertForSequenceClassification
        transformers.AutoModel transformers.LlamaModel""",
    library_names.DATASET: """
        torch.utils.data.IterableDataset torch.utils.data.TensorDataset torchvision.datasets.ImageFolder
        torchvision.datasets.CIFAR10 torch.utils.data.Subset""",
    library_names.OPTIMIZER: "torch.optim.SGD torch.optim.AdamW",
    library_names.SCHEDULER: "torch.optim.lr_scheduler.StepLR torch.optim.lr_scheduler.OneCycleLR",
    library_names.TENSOR: "torch.zeros torch.cat torch.from_numpy",
    "": """
        torch.nn.functional.relu torch.nn.init.xavier_uniform_ torch.nn.utils.clip_grad_norm_
        torch.nn.Parameter transformers.BertTokenizer timm.create_model torch.utils.data.DataLoader
        torch.optim.lr_scheduler torchvision.transforms.Compose torch.no_grad torch.linalg.eye numpy.zeros
        my.nn.Linear""",
}


@pytest.mark.parametrize("wanted", [kind for kind in KINDS if kind])
def test_subclasses_in_libraries(wanted):
    assert library_names.is_subclass(wanted, wanted)
    for kind, listed in KINDS.items():
        for name in listed.split():
            assert library_names.is_subclass(name, wanted) is (kind == wanted), name


def test_lint_and_audit_know_the_same_collectives():
    assert set(library_names.COLLECTIVES) == set(watch_ranks.COLLECTIVES) - {"send", "recv"}
