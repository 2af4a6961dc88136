from types import SimpleNamespace

from dpkb.output.failure import render_failure

MESSAGE = "Traceback (most recent call last):\nRuntimeError: mat1 and mat2 shapes cannot be multiplied (2x4 and 3x2)\n"
FRAME = SimpleNamespace(
    file="/home/me/train.py", line=7, code="net(x)", is_layer=False, values={"x": "float32 (2, 4) on cpu"}
)


def test_the_frames_stand_before_the_entry():
    lines = render_failure(MESSAGE, [FRAME], 80).splitlines()
    assert lines[:3] == [
        "Where it failed:",
        "  /home/me/train.py, line 7: net(x)",
        "    x  float32 (2, 4) on cpu",
    ]
    assert lines[3].startswith("S1 ") and lines[-1] == "      more: dpkb show S1"


def test_what_nothing_explains_gets_no_text():
    assert render_failure("ValueError: of the program\n", [], 80) == ""


def test_a_message_of_the_hardware_gets_its_signpost():
    text = render_failure("RuntimeError: CUDA error: uncorrectable ECC error encountered\n", [], 80)
    assert text.startswith("This is about hardware (not reproduced by dpkb)")
