"""The events of an audited process, which a check can handle by a method on_<event>."""

# Event -> the arguments of its handlers, and when it occurs. watch_*.py emit the events.
EVENTS = {
    "loader_created": "record: a LoaderRecord",
    "epoch_started": "record; iter(loader) was called",
    "batch": "record, batch, seconds that the program waited for it; not at rest",
    "batch_passed": "as batch, at rest",
    "epoch_ended": "record; the loader had no more batches",
    "epoch_abandoned": "record; iter(loader) is called again before the loader had no more batches",
    "batch_late": "record, workers (processes), number of the worker whose batch is late, seconds waited",
    "worker_started": "dataset, collate_fn; in a worker, after worker_init_fn and before the epoch's first "
    "sample",
    "samples": "dataset, samples (a list), batch: collate_fn was called, in a worker or in the main process. "
    "audit.indices has what was asked for. With batch_size=None there is one sample",
    "indices": "record, indices: those of a batch, as the sampler gave them. With batch_size=None one index",
    "fetch_failed": "dataset, indices, error: a map-style dataset raised an IndexError or KeyError",
    "stream_ended": "dataset, samples, dropped: an IterableDataset ended, and drop_last dropped samples",
    "worker_ended": "dataset",
    "optimizer_created": "optimizer",
    "step_started": "optimizer",
    "step_ended": "optimizer",
    "scheduler_stepped": "scheduler, epoch: before step() of a learning rate scheduler runs, except the "
    "step with which it is created. epoch: what was passed, usually None",
    "gradients_zeroed": "owner: an optimizer or a module",
    "gradients_clipped": "parameters: clip_grad_norm_ or clip_grad_value_ was called",
    "backward_started": "tensors: a tuple",
    "backward_passed": "also at rest: backward() is called; after backward_started",
    "loss_not_finite": "tensors: as backward_started, which it follows. The loss is a number on the CPU, nan "
    "or infinite",
    "backward_ended": "tensors",
    "gradients_taken": "outputs: torch.autograd.grad is called",
    "forward_started": "module, inputs: an outermost call. Only while audit.module_calls.looking, as the "
    "next three",
    "forward_ended": "module, inputs, output",
    "module_started": "module, inputs: each call of a module, the outermost included",
    "module_ended": "module, inputs, output",
    "checkpoint_started": "function, inputs: checkpoint() calls function(*inputs), and may be reentrant",
    "loss_failed": "name, arguments, error: the function of a loss raised",
    "dropout": "p, training: torch.nn.functional.dropout is called",
    "loss": "name ('cross_entropy'), arguments (a dict by parameter name), result",
    "ddp_created": "ddp",
    "ddp_forward": "ddp",
    "process_group_started": "rank, world_size",
    "collective": "name ('all_reduce'), group: also when a process group is destroyed",
    "saved": "obj, target: torch.save",
    "loaded": "obj, source: torch.load",
    "state_loading": "module, state (a dict): load_state_dict is called",
    "state_loaded": "module, state, result",
    "state_failed": "module, state, error: load_state_dict raised",
    "optimizer_loaded": "optimizer: its load_state_dict has returned",
    "parameters_passed": "module: an optimizer is going to be created from module.parameters()",
    "parameter_shared": "module, name, parameter: it is going to be given to a second module, as in "
    "`head.weight = embedding.weight`",
    "scaler_called": "name ('step'), scaler, arguments: before a method of a GradScaler",
    "scaler_failed": "name, scaler, error",
    "end": "the process ends, or has reached --steps",
}
