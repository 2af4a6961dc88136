"""The one table of the functions of torch that the audit replaces, each with the reason.

A replaced function calls the real one with the same arguments, returns its result and raises its errors. Prefer
a hook of torch: those are in `attachment.py`.
"""

from __future__ import annotations

import sys
from functools import partial

from dpkb_audit.object_contents import plain
from dpkb_audit.watch_ranks import COLLECTIVES

MYPY = False
if MYPY:
    from collections.abc import Callable

    from dpkb_audit.attachment import Attachment


class Replaced:
    """A function to be replaced, and what is called with its arguments.

    `after` and `failed` get the result or the error first. is_scripted: TorchScript compiles it in programs.
    is_compiler: it is a part of the compiler, and watched while that runs. rests: it is not looked at at rest.
    """

    def __init__(
        self,
        path: str,
        why: str,
        before: Callable[..., object] | None = None,
        after: Callable[..., object] | None = None,
        failed: Callable[..., object] | None = None,
        is_scripted: bool = False,
        is_compiler: bool = False,
        rests: bool = False,
    ) -> None:
        self.module, _, self.name = path.partition(":")
        self.why, self.before, self.after, self.failed = why, before, after, failed
        self.is_scripted, self.is_compiler, self.rests = is_scripted, is_compiler, rests


LOSSES = (
    "cross_entropy",
    "nll_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "kl_div",
    "huber_loss",
)


def list_replaced(attachment: Attachment) -> list[Replaced]:
    """The rows of the table. Functions that this version of torch lacks are left out when they are replaced."""
    from torch.optim import lr_scheduler

    loaders, models, training, ranks = (
        attachment.loaders,
        attachment.models,
        attachment.training,
        attachment.ranks,
    )
    emit, calls = attachment.audit.emit, attachment.audit.module_calls
    loader, fetch = "torch.utils.data.dataloader:", "torch.utils.data._utils.fetch:"
    rows = [
        Replaced(
            loader + "DataLoader.__init__",
            "the line that creates a loader is where its findings point, and nothing tells of a new loader",
            after=lambda result, loader, *_, **__: loaders.find_record(loader),
        ),
        Replaced(
            loader + "DataLoader.__iter__",
            "nothing tells of an epoch, or which iterator belongs to which loader",
            before=loaders.start_epoch,
            after=loaders.follow_iterator,
            failed=loaders.stop_opening,
        ),
        Replaced(
            loader + "_BaseDataLoaderIter.__next__",
            "nothing tells how long the program waits for a batch, or that an epoch has ended",
            before=loaders.start_waiting,
            after=loaders.follow_batch,
            failed=loaders.follow_end,
        ),
        Replaced(
            loader + "_BaseDataLoaderIter._next_index",
            "the order of the samples is known to the sampler's iterator only, which cannot be read twice",
            after=loaders.follow_indices,
        ),
        Replaced(
            loader + "_MultiProcessingDataLoaderIter._try_get_data",
            "a worker that hangs is seen only while the program waits for it",
            before=loaders.start_waiting,
            after=loaders.follow_waiting,
            failed=loaders.stop_waiting,
        ),
        Replaced(
            fetch + "_MapDatasetFetcher.fetch",
            "samples exist only between the dataset and collate_fn",
            before=loaders.start_fetching,
            after=loaders.end_fetching,
            failed=loaders.fail_fetching,
        ),
        Replaced(
            fetch + "_IterableDatasetFetcher.fetch",
            "as for map-style datasets; and how many samples a stream gave is not counted by torch",
            before=loaders.start_fetching,
            after=loaders.end_fetching,
            failed=loaders.fail_fetching,
        ),
        Replaced(
            "torch.optim.optimizer:Optimizer.__init__",
            "a step hook comes too late: the parameters of an optimizer are wrong when it is created",
            before=training.start_creation,
            after=lambda result, optimizer, *_, **__: emit("optimizer_created", optimizer),
        ),
        Replaced(
            "torch.optim.optimizer:Optimizer.zero_grad",
            "only the call shows which line clears the gradients that a step then does not find",
            after=lambda result, owner, *_, **__: emit("gradients_zeroed", owner),
            rests=True,
        ),
        Replaced(
            "torch.nn.modules.module:Module.zero_grad",
            "as for optimizers",
            after=lambda result, owner, *_, **__: emit("gradients_zeroed", owner),
            rests=True,
        ),
        Replaced(
            "torch.autograd:backward",
            "autograd has hooks for tensors and nodes, none for a backward pass",
            before=training.start_backward,
            after=training.end_backward,
            failed=training.fail_backward,
        ),
        Replaced(
            "torch.autograd:grad",
            "as for backward()",
            before=lambda outputs, *_, **__: emit("gradients_taken", outputs),
            rests=True,
        ),
        *(
            Replaced(
                "torch.nn.utils.clip_grad:" + name,
                "clipping leaves no trace in the gradients that shows whether they were scaled",
                after=lambda result, parameters, *_, **__: emit("gradients_clipped", parameters),
                rests=True,
            )
            for name in ("clip_grad_norm_", "clip_grad_value_")
        ),
        *(
            Replaced(
                f"torch.optim.lr_scheduler:{kind}.step",
                "schedulers have no hooks, and a rate does not tell which line changed it",
                before=training.start_schedule,
                after=training.end_schedule,
                failed=training.end_schedule,
            )
            for kind in (
                "LRScheduler" if hasattr(lr_scheduler, "LRScheduler") else "_LRScheduler",
                "SequentialLR",
                "ChainedScheduler",
                "CosineAnnealingWarmRestarts",
            )
        ),
        *(
            Replaced(
                f"{module}:GradScaler.{name}",
                "the order of its calls is what can be wrong, and it has no hooks",
                before=lambda scaler, *args, name=name, **_: emit("scaler_called", name, scaler, args),
                failed=lambda error, scaler, *_, name=name, **__: emit("scaler_failed", name, scaler, error),
            )
            for module in ("torch.amp.grad_scaler", "torch.cuda.amp.grad_scaler")
            for name in ("scale", "unscale_", "step", "update")
        ),
        *(
            Replaced(
                "torch.nn.functional:" + name,
                "programs call losses as functions, so no module hook sees them",
                after=partial(models.follow_loss, name),
                failed=partial(models.follow_loss_error, name),
                is_scripted=True,
                rests=True,
            )
            for name in LOSSES
        ),
        Replaced(
            "torch.nn.functional:dropout",
            "as for losses",
            before=lambda input, p=0.5, training=True, inplace=False: emit("dropout", p, training),
            is_scripted=True,
            rests=True,
        ),
        Replaced(
            "torch.utils.checkpoint:checkpoint",
            "what it runs has no graph, so nothing later shows its inputs",
            before=models.follow_checkpoint,
        ),
        *(
            Replaced(
                "torch._dynamo." + path,
                "module hooks must be gone before the compiler or an exporter reads a module",
                before=models.follow_compiler,
                is_compiler=True,
            )
            for path in ("eval_frame:OptimizeContext.__init__", "convert_frame:fullgraph_capture")
        ),
        Replaced(
            "torch._dynamo.eval_frame:OptimizedModule.__call__",
            "a compiled module warns if there are module hooks, so its calls are seen here",
            before=lambda compiled, *args, **_: calls.follow_start(compiled._orig_mod, args),
            after=lambda output, compiled, *args, **_: calls.follow_end(compiled._orig_mod, args, output),
        ),
        Replaced(
            "torch.serialization:save",
            "nothing tells of a checkpoint",
            before=lambda obj, f, *_, **__: emit("saved", plain(obj), f),
        ),
        Replaced(
            "torch.serialization:load",
            "nothing tells of a checkpoint",
            after=lambda obj, f, *_, **__: emit("loaded", plain(obj), f),
        ),
        Replaced(
            "torch.nn.modules.module:Module.load_state_dict",
            "the hooks for it belong to single objects and do not see an error",
            before=lambda module, state_dict, *_, **__: models.emit_state(
                "state_loading", module, state_dict
            ),
            after=lambda result, module, state_dict, *_, **__: models.emit_state(
                "state_loaded", module, state_dict, result
            ),
            failed=lambda error, module, state_dict, *_, **__: models.emit_state(
                "state_failed", module, state_dict, error
            ),
        ),
        Replaced(
            "torch.optim.optimizer:Optimizer.load_state_dict",
            "as for modules",
            after=lambda result, optimizer, *_, **__: emit("optimizer_loaded", optimizer),
        ),
        Replaced(
            "torch.nn.parallel.distributed:DistributedDataParallel.__init__",
            "a model that is trained past its wrapper never calls the wrapper",
            after=lambda result, ddp, *_, **__: emit("ddp_created", ddp),
        ),
        Replaced(
            "torch.nn.parallel.distributed:DistributedDataParallel.forward",
            "its communication has to be known for every step, and module hooks see only some",
            before=lambda ddp, *_, **__: emit("ddp_forward", ddp),
        ),
        Replaced(
            "torch.distributed.distributed_c10d:init_process_group",
            "the ranks are known from here on",
            after=ranks.follow_start,
        ),
        *(
            Replaced(
                "torch.distributed.distributed_c10d:" + name,
                "the order of the collectives of each rank is what can differ, and only NCCL has hooks",
                before=partial(ranks.start_collective, name),
                after=ranks.end_collective,
                failed=ranks.end_collective,
            )
            for name in (*COLLECTIVES, "destroy_process_group")
        ),
    ]
    if not hasattr(sys.modules["torch.optim.optimizer"], "register_optimizer_step_pre_hook"):
        rows += [
            Replaced(
                "torch.autograd.profiler:record_function.__enter__",
                "before torch 2.0 optimizers have no hooks, but each step is a range of the profiler",
                before=training.enter_range,
            ),
            Replaced(
                "torch.autograd.profiler:record_function.__exit__",
                "as for __enter__",
                before=training.leave_range,
            ),
        ]
    return rows
