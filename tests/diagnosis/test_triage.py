"""Where no entry explains a log: what to collect next."""

import io
import json

import pytest
from support.corpus import CORPUS
from support.diagnosis import diagnose_text

from dpkb.diagnosis import triage
from dpkb.diagnosis.conclusion import diagnose
from dpkb.diagnosis.match import Signatures
from dpkb.diagnosis.triage import choose_next_step

LAUNCHER = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"
FAILED = "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 7)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RuntimeError: CUDA error: an illegal memory access was encountered\n", "Q5"),
        ("RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:272, internal error\n", "Q1"),
        ("MemoryError\n", "Q3"),
        ("AssertionError: loss is nan at step 7\n", "Q2"),
        ("ValueError: no sample was sent by DataLoader worker 3\n", "Q4"),
        (f"closing signal SIGTERM\n{LAUNCHER}\n", "Q6"),
        (f"MemoryError\n{LAUNCHER}\n", "Q3"),
        ("Segmentation fault (core dumped)\n", "Q4"),
        ("process finished with exit code 139 (interrupted by signal 11: SIGSEGV)\n", "Q4"),
        (
            f'{FAILED}\nTraceback (most recent call last):\n  File "/bin/torchrun", line 8, in <module>\n',
            "Q6",
        ),
        ("Epoch 1 loss 0.3\n", "Q1"),
        ("ModuleNotFoundError: No module named 'foo'\n", "E5"),
        ("ValueError: a setting of my own is wrong\n", None),
        ("", None),
    ],
)
def test_what_to_collect_next(text, expected):
    answer = diagnose_text(text)
    if answer.matches:
        assert answer.matches[0].id == expected and answer.next_step is None
    else:
        assert (answer.next_step and answer.next_step.id) == expected


@pytest.mark.parametrize(
    ("errors", "lines", "expected"),
    [
        (["MemoryError", "ValueError: x"], ["the loss is nan"], "Q3"),  # an error says more than a line
        (["RuntimeError: NCCL error", "ValueError: loss is nan"], [], "Q2"),  # the last one counts
        (["ValueError: x"], ["the loss is nan", "NCCL timed out"], "Q1"),
        (["ValueError: x"], ["step 1"], None),
        ([], ["step 1"], "Q1"),
        ([], ["", "  "], None),
        ([], ["exit code: 137"], "Q3"),
        ([], ["exit code: 1370"], "Q1"),
        (["ValueError: x"], ["information on the nanoseconds of the finite"], None),  # within words
        (["ValueError: x"], [LAUNCHER, "CUDA error"], "Q6"),
        ([], ["step 1", "Message for the error 5:", "Access is denied."], None),  # no job that hangs
        ([], ["Error in call to target", "full_key: model"], None),
        ([], ["saving the model", "训练完成"], None),
        ([], ["could not find a cache", *["step 1"] * 3], "Q1"),
    ],
)
def test_the_step_that_errors_and_lines_lead_to(errors, lines, expected):
    step = choose_next_step(errors, lines)
    assert (step and step.id) == expected


def test_the_command_says_it_in_words_and_in_json(dpkb_in_process, tmp_path):
    path = tmp_path / "log.txt"
    for text, shown in (("ValueError: no sample was sent by DataLoader worker 3\n", "Q4"), ("", None)):
        path.write_text(text)
        answer = json.loads(dpkb_in_process("diagnose", path, "--json").stdout)
        assert (answer["next"] or {"id": None})["id"] == shown
        assert ("Collect next: " in dpkb_in_process("diagnose", path).stdout) is (shown is not None)


@pytest.mark.parametrize(
    ("error", "file", "library"),
    [
        ("KeyError: 'manhattan'", "sentence_transformers/evaluation/Binary.py", "sentence_transformers"),
        ("NameError: name 'x' is not defined", "/env/lib/python3.11/site-packages/trl/core.py", "trl"),
        (
            "UnboundLocalError: local variable 'm' referenced",
            "C:\\e\\Lib\\site-packages\\peft\\lora.py",
            "peft",
        ),
        (
            "AttributeError: 'A' object has no attribute 'b'\nDid you mean",
            ".../ultralytics/nn/tasks.py",
            "ultralytics",
        ),
        ("AttributeError: 'A' object has no attribute 'b'", "torch/nn/modules/module.py", None),
        ("RuntimeError: shape", "/env/lib/python3.11/site-packages/trl/core.py", None),
        ("KeyError: 'label'", "data/train.py", None),
    ],
)
def test_a_library_that_looks_in_vain_is_suspected(error, file, library):
    trace = (
        f'Traceback (most recent call last):\n  File "fit.py", line 1, in f\n  File "{file}", line 7, in g\n'
    )
    step = diagnose_text(f"{trace}{error}\n").next_step
    if library is None:
        assert step is None
    else:
        assert step.id == "E2" and f"in {library} and" in step.advice and f"{file}, line 7" in step.advice


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("CUDA out of memory: try to allocate 131060.03 GiB", "garbage"),
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 67109892.01 GiB. GPU 0 has",
            "garbage",
        ),
        ("RuntimeError: CUDA out of memory. Tried to allocate more than 1EB memory.", "garbage"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 TiB.", "garbage"),
        (
            "RuntimeError: DefaultCPUAllocator: can't allocate memory: you tried to allocate 40000000000000 bytes.",
            "garbage",
        ),
        ("e/bitsandbytes/libbitsandbytes_cpu.so: undefined symbol: cadam32bit_grad_fp32", "bitsandbytes"),
        ("ImportError: e/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister", "NCCL"),
        ("ImportError: e/torch/lib/libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent", "MKL"),
        ("ImportError: e/flash_attn_2_cuda.so: undefined symbol: _ZN3c104cuda9SetDeviceEi", "flash-attn"),
        ("ImportError: libcudnn_cnn_infer.so.8: undefined symbol: _ZN11nvrtcHelper4loadEb, version 8", "ldd"),
    ],
)
def test_what_is_about_the_machine_gets_a_signpost_and_no_step(line, word):
    signatures = Signatures(CORPUS.catalogue, CORPUS.catalogue.signposts)
    found = diagnose(io.BytesIO(f"{line}\n".encode()), signatures)
    assert word in found.signpost.look and not found.matches and found.next_step is None


@pytest.mark.parametrize(
    "size", ["5.03 GiB", "352.00 MiB", "2.00GiB", "1024.00 GiB", "1.50 TiB", "512 bytes"]
)
def test_a_size_that_a_gpu_may_have_is_a_shortage(size):
    assert diagnose_text(
        f"RuntimeError: CUDA out of memory. Tried to allocate {size} (GPU 0; 8 GiB)\n"
    ).matches


def test_every_entry_that_a_step_names_exists():
    others = (triage.FAILED_RANK, triage.NO_ERROR, triage.STALLED)
    steps = {step.id for step in (*(step for _, step in triage.STEPS), *others)}
    assert steps == {"Q1", "Q2", "Q3", "Q4", "Q5", "Q6"} <= CORPUS.catalogue.entries.keys()
