"""Adds the other lines of real logs to the output of a script: each function of NOISES makes such a log."""

import itertools

_BAR = "Epoch 3:  45%|####5     | {}/1000 [00:10<00:12,  4.41it/s, loss=0.312, v_num=7]"
# What torchrun of torch 2.15 printed around a script that had raised on the second of two ranks.
_TORCHRUN_FIRST = """\

*****************************************
Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being \
overloaded, please further tune the variable for optimal performance in your application as needed.
*****************************************
"""
_TORCHRUN_LAST = """\
W1121 21:44:33.097000 5264 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 5622 \
closing signal SIGTERM
E1121 21:44:33.107000 5264 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) \
local_rank: 1 (pid: 5624) of binary: /usr/bin/python
Traceback (most recent call last):
  File "<frozen runpy>", line 198, in _run_module_as_main
  File "<frozen runpy>", line 88, in _run_code
  File "…/site-packages/torch/distributed/run.py", line 1142, in <module>
    main()
  File "…/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 384, in wrapper
    result = f(*args, **kwargs)
             ^^^^^^^^^^^^^^^^^^
  File "…/site-packages/torch/distributed/run.py", line 1129, in run
    elastic_launch(
  File "…/site-packages/torch/distributed/launcher/api.py", line 386, in launch_agent
    raise ChildFailedError(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-21_21:44:33
  host      : localhost
  rank      : 0 (local_rank: 0)
  exitcode  : -15 (pid: 5622)  (SIGTERM)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 5622
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-21_21:44:33
  host      : localhost
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 5624)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""
_START = """\
Python 3.11.7, torch 2.15.0, 8 CPU cores, 64 GB RAM
INFO:root:loading the dataset from data/train (118287 images), num_workers=8, batch_size=32, pin_memory=True
/opt/conda/lib/python3.11/site-packages/torchvision/models/_utils.py:208: UserWarning: The parameter \
'pretrained' is deprecated since 0.13 and may be removed in the future, please use 'weights' instead.
  warnings.warn(
node1:71:71 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>
wandb: Tracking run with wandb version 0.16.0
Epoch 1/90: loss 6.9071, lr 0.1, images/s 412.7
Epoch 2/90: loss 6.5310, lr 0.1, images/s 409.2
"""
_END = """\
wandb: Synced 5 W&B file(s), 0 media file(s), 0 artifact file(s) and 1 other file(s)
wandb: Find logs at: ./wandb/run-20261121_214433-abc/logs
srun: error: node1: task 1: Exited with exit code 1
"""


def _each_line(text: str, change) -> str:
    return "".join(change(n, line) + "\n" for n, line in enumerate(text.splitlines()))


def launched_by_torchrun(text: str) -> str:
    """Add the prefix of the failing rank, the lines of a job, and torchrun's table of errors."""
    ranked = _each_line(text, lambda n, line: f"[rank1]: {line}")
    return _START + _TORCHRUN_FIRST + ranked + _TORCHRUN_LAST + _END


def under_a_progress_bar(text: str) -> str:
    """Add a progress bar that is drawn again and again, also before the first line of an error."""
    bars = itertools.count(450)
    first, *rest = text.splitlines() or [""]
    log = "".join("\r" + _BAR.format(next(bars)) for _ in range(30)) + first + "\n"
    drawn_over = (f"{line}\n\r{_BAR.format(next(bars))}\r{' ' * 80}\r" for line in rest)
    return _START + log + "".join(drawn_over) + "\n"


def from_windows(text: str) -> bytes:
    """Encode the log as PowerShell redirects it: UTF-16, lines that end in CR LF."""
    return (_START + text + _END).replace("\n", "\r\n").encode("utf-16")


def in_colour(text: str) -> str:
    """Colour each line, and the text before its first colon in another colour."""

    def paint(n: int, line: str) -> str:
        head, colon, rest = line.partition(": ")
        if not colon:
            return f"\x1b[31m{line}\x1b[0m"
        return f"\x1b[1;31m{head}\x1b[0m{colon}\x1b[38;5;214m{rest}\x1b[0m\x1b[K"

    return _START + _each_line(text, paint) + _END


def of_two_ranks_at_once(text: str) -> str:
    """Mix the lines of two ranks, the second five lines late, with those of a third, which still trains."""
    lines = text.splitlines()
    first = [f"[rank0]: {line}" for line in lines] + [""] * 5
    second = [""] * 5 + [f"[rank1]: {line}" for line in lines]
    steps = (f"[rank2]: step {n} loss 0.{n}" for n in itertools.count(100))
    mixed = "".join(f"{a}\n{b}\n{next(steps)}\n" for a, b in zip(first, second, strict=True))
    return _START + _TORCHRUN_FIRST + mixed + _TORCHRUN_LAST


def collected_by_ray(text: str) -> str:
    """Add the coloured prefixes with which Ray prints the output of its workers; one of them still trains."""
    worker = "\x1b[36m(RayTrainWorker pid={}, ip=10.0.0.3)\x1b[0m {}"
    return _START + _each_line(
        text, lambda n, line: worker.format(470, line) + "\n" + worker.format(471, f"step {n} loss 0.{n}")
    )


def gathered_by_mpirun(text: str) -> str:
    """Add the prefixes of mpirun --tag-output, and the CR LF of a terminal."""
    return _each_line(_START + text + _END, lambda n, line: f"[1,1]<stderr>:{line}\r")


def through_logging(text: str) -> str:
    """Make each line a record of a logger, as a launcher does that reads a pipe."""
    stamped = _each_line(text, lambda n, line: f"2026-11-21 21:44:{n % 60:02},123 - ERROR - {line}")
    return _START + stamped + _END


def far_down_a_long_log(text: str) -> str:
    """Add eight hundred lines of steps before and after, which are several blocks of the reader."""
    steps = "".join(f"step {n} loss 0.{n} lr 0.001\n" for n in range(800))
    return _START + steps + text + steps + _END


NOISES = (
    launched_by_torchrun,
    under_a_progress_bar,
    from_windows,
    in_colour,
    of_two_ranks_at_once,
    collected_by_ray,
    gathered_by_mpirun,
    through_logging,
    far_down_a_long_log,
)
