"""Puts the watching versions of torch's functions in the place of the real ones.

Each calls the real one with the same arguments, and returns or raises what it does.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import sys
import time
import weakref

from dpkb_audit.session import LoaderRecord

MYPY = False
if MYPY:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dpkb_audit.session import Session

_LOSSES = ("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
           "mse_loss", "l1_loss", "smooth_l1_loss", "kl_div", "huber_loss")
_COLLECTIVES = ("all_reduce", "all_gather", "all_gather_object", "all_to_all", "barrier", "broadcast",
                "broadcast_object_list", "gather", "reduce", "reduce_scatter", "scatter", "send", "recv",
                "all_gather_into_tensor", "reduce_scatter_tensor", "monitored_barrier")


class Attachment:
    """The functions that are replaced now, and how to put the real ones back."""

    def __init__(self, session: Session) -> None:
        self.session = session
        # Owner, name, the real function, the watching one, and whether a compiler may read it.
        self._replaced: list[tuple[Any, str, Any, Any, bool]] = []
        self._handles: list[Any] = []
        self._may_look = True
        self._compiling = False

    def replace(self, owner: Any, name: str, watch: Callable[[Callable[..., Any]], Callable[..., Any]],
                traced: bool = False) -> None:
        """Replace owner.name by watch(real). traced: a compiler may read it, and must see the real one."""
        real = owner.__dict__.get(name) if isinstance(owner, type) else getattr(owner, name, None)
        if real is None or getattr(real, "_dpkb_watches", False):
            return
        watching = functools.wraps(real)(watch(real))
        watching._dpkb_watches = True  # type: ignore[attr-defined]
        setattr(owner, name, watching)
        self._replaced.append((owner, name, real, watching, traced))

    def detach(self, only_traced: bool = False) -> None:
        """Put the real functions back, for good."""
        for owner, name, real, _, traced in self._replaced:
            if traced or not only_traced:
                setattr(owner, name, real)
        self._replaced = [item for item in self._replaced if only_traced and not item[4]]
        self._may_look = False
        self.look(False)

    @contextlib.contextmanager
    def real_ones(self) -> Iterator[None]:
        """While the block runs, what a compiler reads is as torch made it."""
        if self._compiling:  # a compiler calls itself for the functions that it meets
            yield
            return
        self._compiling = True
        looked, self._may_look = self._may_look, False
        self.look(False)
        traced = [item for item in self._replaced if item[4]]
        for owner, name, real, _, _ in traced:
            setattr(owner, name, real)
        try:
            yield
        finally:
            for owner, name, _, watching, _ in traced:
                setattr(owner, name, watching)
            self._compiling = False
            self._may_look = looked
            self.look(self.session.looking)

    def look(self, wanted: bool) -> None:
        """Begin or stop to be called with each module."""
        from torch.nn.modules import module

        if wanted and self._may_look and not self._handles:
            self._handles = [module.register_module_forward_pre_hook(self._before_module),
                             module.register_module_forward_hook(self._after_module)]
        elif not wanted:
            for handle in self._handles:
                handle.remove()
            self._handles = []

    # A hook that returns None changes nothing.
    def _before_module(self, module: Any, inputs: Any) -> None:
        self.session.module_started(module, inputs)

    def _after_module(self, module: Any, inputs: Any, output: Any) -> None:
        self.session.module_ended(module, inputs, output)


def attach(session: Session) -> Attachment:
    """Watch torch in this process. It must be imported."""
    attachment = Attachment(session)
    for watch in (_watch_loaders, _watch_workers, _watch_training, _watch_modules, _watch_scalers,
                  _watch_losses, _watch_ranks, _watch_checkpoints, _watch_compilers, _watch_process_end):
        try:
            watch(attachment)
        except Exception:
            import traceback

            session.journal.write("failure", what=watch.__name__, why=traceback.format_exc(limit=-4))
    session.on_looking = attachment.look
    session._look()
    return attachment


def _around(session: Session, before: str | None, after: str | None,
            arguments: Callable[..., tuple[Any, ...]]) -> Callable[[Any], Any]:
    """Emits events before and after the real function, with what `arguments` makes of its arguments."""
    def watch(real: Callable[..., Any]) -> Callable[..., Any]:
        def watching(*args: Any, **kwargs: Any) -> Any:
            if before:
                session.emit(before, *arguments(*args, **kwargs))
            result = real(*args, **kwargs)
            if after:
                session.emit(after, *arguments(*args, **kwargs))
            return result

        return watching

    return watch


# -- loaders and their workers ----------------------------------------------------------------------


def _watch_loaders(attachment: Attachment) -> None:
    from torch.utils.data import DataLoader, dataloader, distributed

    session, base = attachment.session, dataloader._BaseDataLoaderIter
    # Not kept on the loader: it may be pickled or copied.
    records: weakref.WeakKeyDictionary[Any, LoaderRecord] = weakref.WeakKeyDictionary()
    # The loader whose iterator is being made: workers get their first indices then.
    opening: list[LoaderRecord] = []
    numbers = itertools.count()

    def watch_init(real: Callable[..., Any]) -> Callable[..., Any]:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            real(self, *args, **kwargs)
            record_of(self)

        return __init__

    def record_of(loader: Any) -> LoaderRecord:
        record = records.get(loader)
        if record is None:
            record = records[loader] = LoaderRecord(loader, next(numbers))
            session.emit("loader_created", record)
        return record

    def watch_iter(real: Callable[..., Any]) -> Callable[..., Any]:
        def __iter__(self: Any) -> Any:
            record = record_of(self)
            session.emit("epoch_started", record)
            opening.append(record)
            try:
                iterator = real(self)
            finally:
                opening.pop()
            if isinstance(iterator, base):
                iterator._dpkb_record = record  # type: ignore[attr-defined]
                pids = [worker.pid for worker in getattr(iterator, "_workers", ())]
                record.worker_pids += [pid for pid in pids if pid not in record.worker_pids]
            return iterator

        return __iter__

    def watch_next(real: Callable[..., Any]) -> Callable[..., Any]:
        def __next__(self: Any) -> Any:
            record = self.__dict__.get("_dpkb_record")
            start = time.perf_counter()
            try:
                batch = real(self)
            except StopIteration:
                if record is not None:
                    session.emit("epoch_ended", record)
                raise
            if record is not None:
                session.emit("batch", record, batch, time.perf_counter() - start)
            return batch

        return __next__

    def watch_next_index(real: Callable[..., Any]) -> Callable[..., Any]:
        def _next_index(self: Any) -> Any:
            indices = real(self)
            record = self.__dict__.get("_dpkb_record") or (opening[-1] if opening else None)
            if record is not None:
                session.emit("indices", record, indices)
            return indices

        return _next_index

    attachment.replace(DataLoader, "__init__", watch_init)
    attachment.replace(DataLoader, "__iter__", watch_iter)
    if session.watched("indices"):
        attachment.replace(base, "_next_index", watch_next_index)
    attachment.replace(base, "__next__", watch_next)
    attachment.replace(distributed.DistributedSampler, "__iter__",
                       _around(session, "sampler_started", None, lambda sampler: (sampler,)))


class _WatchedCollate:
    """A collate_fn that also shows the samples; it lives in one fetcher and is never sent to a process."""

    def __init__(self, session: Session, dataset: Any, real: Callable[[Any], Any], batched: bool) -> None:
        self._session, self._dataset, self._real, self._batched = session, dataset, real, batched

    def __call__(self, samples: Any) -> Any:
        batch = self._real(samples)
        self._session.emit("samples", self._dataset, samples if self._batched else [samples], batch)
        return batch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class _CountedStream:
    """The iterator of an IterableDataset, with the number of samples that it gave."""

    def __init__(self, real: Any) -> None:
        self._real, self.given, self.ended = real, 0, False

    def __iter__(self) -> _CountedStream:
        return self

    def __next__(self) -> Any:
        sample = next(self._real)
        self.given += 1
        return sample

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _watch_workers(attachment: Attachment) -> None:
    from torch.utils.data._utils import fetch, worker

    session = attachment.session
    parameters = list(inspect.signature(worker._worker_loop).parameters)

    def watch_loop(real: Callable[..., Any]) -> Callable[..., Any]:
        def _worker_loop(*args: Any, **kwargs: Any) -> Any:
            values = dict(zip(parameters, args), **kwargs)
            session.become_worker(values.get("worker_id", 0))
            try:
                return real(*args, **kwargs)
            finally:
                session.emit("worker_ended", values.get("dataset"))
                session.end()

        return _worker_loop

    def watch_fetcher(real: Callable[..., Any]) -> Callable[..., Any]:
        def __init__(self: Any, dataset: Any, *args: Any, **kwargs: Any) -> None:
            if session.worker is not None:
                session.emit("worker_started", dataset)
            real(self, dataset, *args, **kwargs)
            if session.watched("samples") and not isinstance(self.collate_fn, _WatchedCollate):
                self.collate_fn = _WatchedCollate(session, dataset, self.collate_fn,
                                                  getattr(self, "auto_collation", True))

        return __init__

    def watch_stream(real: Callable[..., Any]) -> Callable[..., Any]:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            real(self, *args, **kwargs)
            self.dataset_iter = _CountedStream(self.dataset_iter)

        return __init__

    def watch_stream_fetch(real: Callable[..., Any]) -> Callable[..., Any]:
        def fetch(self: Any, indices: Any) -> Any:
            stream = self.dataset_iter
            given = stream.given
            try:
                return real(self, indices)
            except StopIteration:
                if not stream.ended:
                    stream.ended = True
                    session.emit("stream_ended", self.dataset, stream.given, stream.given - given)
                raise

        return fetch

    def watch_map_fetch(real: Callable[..., Any]) -> Callable[..., Any]:
        def fetch(self: Any, indices: Any) -> Any:
            before, session.indices = session.indices, indices
            try:
                return real(self, indices)
            except (IndexError, KeyError) as error:
                session.emit("fetch_failed", self.dataset, indices, error)
                raise
            finally:
                session.indices = before

        return fetch

    attachment.replace(worker, "_worker_loop", watch_loop)
    attachment.replace(fetch._BaseDatasetFetcher, "__init__", watch_fetcher)
    attachment.replace(fetch._MapDatasetFetcher, "fetch", watch_map_fetch)
    if session.watched("stream_ended"):
        attachment.replace(fetch._IterableDatasetFetcher, "__init__", watch_stream)
        attachment.replace(fetch._IterableDatasetFetcher, "fetch", watch_stream_fetch)


# -- optimizers and backward passes -----------------------------------------------------------------


def _watch_training(attachment: Attachment) -> None:
    import torch
    from torch.optim import Optimizer

    session = attachment.session
    stepping: list[Any] = []
    known: weakref.WeakSet[Any] = weakref.WeakSet()

    def watch_step(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            if stepping:  # the step of a base class, or of an optimizer within an optimizer
                return real(self, *args, **kwargs)
            if self not in known:  # created before the audit began
                known.add(self)
                session.emit("optimizer_created", self)
            session.emit("step_started", self)
            stepping.append(self)
            try:
                result = real(self, *args, **kwargs)
            finally:
                stepping.clear()
            session.emit("step_ended", self)
            session.end_if_enough()
            return result

        return step

    def watch_init(real: Callable[..., Any]) -> Callable[..., Any]:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            real(self, *args, **kwargs)
            # The class that defines step(): one that inherits it would count each step twice.
            owner = next((kind for kind in type(self).__mro__ if "step" in kind.__dict__), None)
            if owner is not None and owner is not Optimizer:
                attachment.replace(owner, "step", watch_step)
            known.add(self)
            session.emit("optimizer_created", self)

        return __init__

    attachment.replace(Optimizer, "__init__", watch_init)
    kinds = [Optimizer]
    for kind in kinds:
        kinds += kind.__subclasses__()
        if kind is not Optimizer and "step" in kind.__dict__:
            attachment.replace(kind, "step", watch_step)
    owner_only = _around(session, None, "gradients_zeroed", lambda owner, *_, **__: (owner,))
    attachment.replace(Optimizer, "zero_grad", owner_only)
    attachment.replace(torch.nn.Module, "zero_grad", owner_only)
    attachment.replace(Optimizer, "load_state_dict", _loading(session))
    if session.watched("gradients_clipped"):
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            clipping = _around(session, "gradients_clipped", None, lambda parameters, *_, **__: (parameters,))
            attachment.replace(torch.nn.utils, name, clipping)
            attachment.replace(torch.nn.utils.clip_grad, name, clipping)

    def watch_backward(real: Callable[..., Any]) -> Callable[..., Any]:
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            several = tensors if isinstance(tensors, (tuple, list)) else (tensors,)
            session.emit("backward_started", several)
            try:
                result = real(tensors, *args, **kwargs)
            finally:
                session.in_backward = False
            session.emit("backward_ended", several)
            return result

        return backward

    attachment.replace(torch.autograd, "backward", watch_backward)
    if session.watched("gradients_taken"):
        attachment.replace(torch.autograd, "grad",
                           _around(session, "gradients_taken", None, lambda outputs, *_, **__: (outputs,)))


def _loading(session: Session) -> Callable[[Any], Any]:
    def watch(real: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            session.emit("state_loading", self, state_dict)
            try:
                result = real(self, state_dict, *args, **kwargs)
            except Exception as error:
                session.emit("state_failed", self, state_dict, error)
                raise
            session.emit("state_loaded", self, state_dict, result)
            return result

        return load_state_dict

    return watch


# -- modules and losses -----------------------------------------------------------------------------


def _watch_modules(attachment: Attachment) -> None:
    from torch.nn import Module

    session = attachment.session

    def watch_registering(real: Callable[..., Any]) -> Callable[..., Any]:
        def register(self: Any, *args: Any, **kwargs: Any) -> Any:
            handle = real(self, *args, **kwargs)
            if real.__name__ != "register_full_backward_hook":
                session.emit("hook_registered", self)
            if session.watched("hooks_passed_by"):
                _watch_forward(attachment, self)
            return handle

        return register

    for name in ("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"):
        attachment.replace(Module, name, watch_registering)
    attachment.replace(Module, "load_state_dict", _loading(session))
    if session.watched("parameters_listed"):
        attachment.replace(Module, "parameters", _around(session, None, "parameters_listed",
                                                         lambda module, *_, **__: (module,)), traced=True)


def _watch_forward(attachment: Attachment, module: Any) -> None:
    """Watch forward() of the class of a module that has hooks: called directly, it does not run them."""
    from torch.nn.modules import module as calls

    session, file = attachment.session, calls.__file__
    owner = next((kind for kind in type(module).__mro__ if "forward" in kind.__dict__), None)

    def watch(real: Callable[..., Any]) -> Callable[..., Any]:
        def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
            frame = sys._getframe(1)
            if frame.f_code.co_filename != file and (
                    self._forward_hooks or self._forward_pre_hooks or self._backward_hooks):
                # A forward() that calls the one of its base class has been called properly further up.
                for _ in range(40):
                    frame = frame.f_back  # type: ignore[assignment]
                    if frame is None or (frame.f_code.co_filename == file and
                                         frame.f_locals.get("self") is self):
                        break
                if frame is None or frame.f_code.co_filename != file:
                    session.emit("hooks_passed_by", self)
            return real(self, *args, **kwargs)

        return forward

    if owner is not None and owner is not calls.Module and attachment._may_look:
        attachment.replace(owner, "forward", watch, traced=True)


def _watch_scalers(attachment: Attachment) -> None:
    """The GradScaler of torch.cuda.amp, and that of torch.amp from torch 2.3 on."""
    import torch

    session = attachment.session
    if not session.watched("scaler_called") and not session.watched("scaler_failed"):
        return

    def watch(name: str) -> Callable[[Any], Any]:
        def watch_method(real: Callable[..., Any]) -> Callable[..., Any]:
            def method(self: Any, *args: Any, **kwargs: Any) -> Any:
                session.emit("scaler_called", name, self, args)
                try:
                    return real(self, *args, **kwargs)
                except Exception as error:
                    session.emit("scaler_failed", name, self, error)
                    raise

            return method

        return watch_method

    for owner in (getattr(torch, "amp", None), torch.cuda.amp):
        scaler = getattr(owner, "GradScaler", None)
        if isinstance(scaler, type):
            for name in ("scale", "unscale_", "step", "update"):
                attachment.replace(scaler, name, watch(name))


def _watch_losses(attachment: Attachment) -> None:
    from torch import Tensor
    from torch.nn import Parameter, functional

    session = attachment.session

    def watch(name: str) -> Callable[[Any], Any]:
        def watch_loss(real: Callable[..., Any]) -> Callable[..., Any]:
            parameters = list(inspect.signature(real).parameters)

            def loss(*args: Any, **kwargs: Any) -> Any:
                result = real(*args, **kwargs)
                # Not what a tracer puts in the place of tensors.
                if type(result) in (Tensor, Parameter):
                    session.emit("loss", name, dict(zip(parameters, args), **kwargs), result)
                return result

            return loss

        return watch_loss

    def watch_dropout(real: Callable[..., Any]) -> Callable[..., Any]:
        def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
            session.emit("dropout", p, training)
            return real(input, p, training, inplace)

        return dropout

    if session.watched("dropout"):
        attachment.replace(functional, "dropout", watch_dropout, traced=True)
    if session.watched("loss"):
        for name in _LOSSES:
            if hasattr(functional, name):
                attachment.replace(functional, name, watch(name), traced=True)


def _watch_compilers(attachment: Attachment) -> None:
    """Compilers read the code of what they compile: they must not meet the watching functions."""
    import torch

    session = attachment.session

    def watch_compile(real: Callable[..., Any]) -> Callable[..., Any]:
        def compile(*args: Any, **kwargs: Any) -> Any:
            if not kwargs.get("disable"):
                if attachment._may_look:
                    session.journal.write("left_out", what="modules and losses, after torch.compile")
                attachment.detach(only_traced=True)  # it reads the code later, when the model is called
            return real(*args, **kwargs)

        return compile

    def watch_jit(real: Callable[..., Any]) -> Callable[..., Any]:
        def compiling(*args: Any, **kwargs: Any) -> Any:
            with attachment.real_ones():
                return real(*args, **kwargs)

        return compiling

    attachment.replace(torch, "compile", watch_compile)
    for name in ("script", "trace"):
        attachment.replace(torch.jit, name, watch_jit)


# -- ranks and checkpoints --------------------------------------------------------------------------


def _watch_ranks(attachment: Attachment) -> None:
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    session = attachment.session
    attachment.replace(DistributedDataParallel, "__init__",
                       _around(session, None, "ddp_created", lambda ddp, *_, **__: (ddp,)))
    attachment.replace(DistributedDataParallel, "forward",
                       _around(session, "ddp_forward", "ddp_forward_ended", lambda ddp, *_, **__: (ddp,)),
                       traced=True)
    if not dist.is_available():
        return

    def watch_collective(name: str) -> Callable[[Any], Any]:
        def watch(real: Callable[..., Any]) -> Callable[..., Any]:
            try:
                parameters = list(inspect.signature(real).parameters)
            except (TypeError, ValueError):
                parameters = []

            def collective(*args: Any, **kwargs: Any) -> Any:
                group = dict(zip(parameters, args), **kwargs).get("group")
                if name != "destroy_process_group":
                    session.emit("collective", name)
                session.emit("collective_started", name, group)
                result = real(*args, **kwargs)
                session.emit("collective_ended", name, group)
                return result

            return collective

        return watch

    nothing = functools.partial(_constant, ())
    if session.watched("join_created"):
        attachment.replace(DistributedDataParallel, "join", _around(session, "join_created", None, nothing))
        try:
            from torch.distributed.algorithms.join import Join
        except ImportError:  # before torch 1.10
            pass
        else:
            attachment.replace(Join, "__init__", _around(session, "join_created", None, nothing))
    attachment.replace(dist, "init_process_group", _around(
        session, None, "process_group_started", lambda *_, **__: (dist.get_rank(), dist.get_world_size())))
    for name in _COLLECTIVES:
        if hasattr(dist, name):
            attachment.replace(dist, name, watch_collective(name))
    attachment.replace(dist, "destroy_process_group", watch_collective("destroy_process_group"))


def _constant(value: Any, *_: Any, **__: Any) -> Any:
    return value


def _watch_checkpoints(attachment: Attachment) -> None:
    import torch

    session = attachment.session

    def watch_load(real: Callable[..., Any]) -> Callable[..., Any]:
        def load(f: Any, *args: Any, **kwargs: Any) -> Any:
            obj = real(f, *args, **kwargs)
            session.emit("loaded", obj, f)
            return obj

        return load

    attachment.replace(torch, "save", _around(session, "saved", None, lambda obj, f, *_, **__: (obj, f)))
    attachment.replace(torch, "load", watch_load)


# -- the end of a process ---------------------------------------------------------------------------


def _watch_process_end(attachment: Attachment) -> None:
    """A child of multiprocessing ends without atexit."""
    from multiprocessing import process, util

    session = attachment.session

    def watch_bootstrap(real: Callable[..., Any]) -> Callable[..., Any]:
        def _bootstrap(*args: Any, **kwargs: Any) -> Any:
            try:
                session.exit_code = real(*args, **kwargs)
                return session.exit_code
            finally:
                session.end()

        return _bootstrap

    attachment.replace(process.BaseProcess, "_bootstrap", watch_bootstrap)
    if process.parent_process() is not None:  # a child that has just imported torch
        util.Finalize(None, session.end, exitpriority=0)
