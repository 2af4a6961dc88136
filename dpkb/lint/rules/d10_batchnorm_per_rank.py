"""D10: BatchNorm statistics that each rank computes alone."""

from dpkb.lint import library_names
from dpkb.lint.models import may_have_batch_norm
from dpkb.lint.nodes import find_argument
from dpkb.lint.source_file import Certainty, Findings, SourceFile

LOOKS_FOR = "DistributedDataParallel around a model with BatchNorm, and no SyncBatchNorm in the file."


def check(file: SourceFile) -> Findings:
    if file.tree.mentions(file.tree.root, "convert_sync_batchnorm", "SyncBatchNorm", "sync_bn"):
        return
    for call in file.scopes.calls_of(library_names.DDP):
        if may_have_batch_norm(file, find_argument(call, "module", 0)):
            yield file.finding(
                "D10",
                call,
                Certainty.HINT,
                "each rank computes BatchNorm statistics from its part of the data; rank 0's are saved",
                "`torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)` before DDP",
            )
