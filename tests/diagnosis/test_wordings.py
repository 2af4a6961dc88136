"""Other accelerators than NVIDIA's, and other languages than English, say the same in other words."""

import pytest
from support.diagnosis import diagnose_text

OOM = {"M1", "M2", "Q3"}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1.50 GiB. GPU 0 has", OOM),
        ("torch.OutOfMemoryError: XPU out of memory. Tried to allocate 20.00 MiB. GPU 0 has", OOM),
        ("RuntimeError: NPU out of memory. Tried to allocate 20.00 MiB (NPU 0; 60.97 GiB total", OOM),
        ("RuntimeError: NPU out of memory. NPUWorkspaceAllocator tried to allocate 2.00GiB", OOM),
        ("RuntimeError: MPS backend out of memory (MPS allocated: 5.05 GB, other", OOM),
        ("(00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)", OOM),
        (
            "RuntimeError: level_zero backend failed with error: 39 (UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)",
            OOM,
        ),
        (
            "[Rank 1] Watchdog caught collective operation timeout: WorkHCCL(SeqNum=3, OpType=ALLREDUCE",
            {"D21"},
        ),
        ("EI0002: The wait execution of the Notify register times out.", {"D21"}),
        ("RuntimeError: Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocess", {"G2"}),
        ("RuntimeError: Cannot re-initialize XPU in forked subprocess. To use XPU with multiproc", {"G2"}),
        ("RuntimeError: HIP error: initialization error", {"G2"}),
        ("RuntimeError: HIP error: invalid device ordinal", {"D30"}),
        (
            "Expected all tensors to be on the same device, but found at least two devices, npu:0 and npu:1!",
            {"S6"},
        ),
        (
            "RuntimeError: Input type (XPUFloatType) and weight type (torch.FloatTensor) should be the same",
            {"N2"},
        ),
        ("Memory access fault by GPU node-1 (Agent handle: 0x55) on address 0x7f. Reason: Page not", {"Q5"}),
    ],
)
def test_other_accelerators(line, wanted):
    assert wanted <= {match.id for match in diagnose_text(f"step 1 loss 2.0\n{line}\n").matches}


KILLED = [
    "./go.sh: line 9: 20113 Killed                  python fit.py",
    "./go.sh: 第 9 行: 20113 已杀死               python fit.py",
    "./go.sh：第 9 行： 20113 已杀死               python fit.py",
    "./go.sh: Zeile 9: 20113 Getötet                python fit.py",
    "./go.sh: ligne 9 : 20113 Processus arrêté        python fit.py",
    "./go.sh: línea 9: 20113 Terminado (killed)      python fit.py",
    "./go.sh: 行 9: 20113 強制終了            python fit.py",
    "./go.sh: строка 9: 20113 Убито              python fit.py",
    "./go.sh: linha 9: 20113 Morto                   python fit.py",
    "已杀死",
    "Getötet",
    "Processus arrêté",
    "Terminado (killed)",
    "強制終了",
    "Убито",
    "Morto",
]


@pytest.mark.parametrize("line", KILLED)
def test_a_shell_says_killed_in_its_own_language(line):
    found = diagnose_text(f"Epoch 2:  31%|###| 310/1000 [04:12<09:00,  1.3it/s]\n{line}\n")
    assert {"U9", "DP17", "DP9"} <= {match.id for match in found.matches}
    assert found.first and found.first.line == 2


@pytest.mark.parametrize(
    "line",
    [
        "段错误",
        "Speicherzugriffsfehler",
        "Erreur de segmentation",
        "Violación de segmento",
        "Ошибка сегментирования",
    ],
)
def test_a_crash_in_another_language_leads_to_the_step_of_a_crash(line):
    found = diagnose_text(f"step 1\n{line} (core dumped)\n")
    assert found.next_step and found.next_step.id == "Q4" and "FAULTHANDLER" in found.next_step.advice
    assert diagnose_text(f"step 1\n{line}sometimes\n").first is None
