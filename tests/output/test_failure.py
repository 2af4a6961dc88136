from types import SimpleNamespace

from dpkb.output.failure import render_entry, render_frames

MESSAGE = "Traceback (most recent call last):\nRuntimeError: mat1 and mat2 shapes cannot be multiplied (2x4 and 3x2)\n"
FRAME = SimpleNamespace(
    file="/home/me/train.py", line=7, code="net(x)", is_layer=False, values={"x": "float32 (2, 4) on cpu"}
)


def test_the_frames_are_named_by_file_line_and_code():
    expected = ["Where it failed:", "  /home/me/train.py, line 7: net(x)", "    x  float32 (2, 4) on cpu"]
    assert render_frames([FRAME], 80) == expected
    without_code = SimpleNamespace(**{**vars(FRAME), "code": ""})
    assert render_frames([without_code], 80)[1] == "  /home/me/train.py, line 7"


def test_a_path_is_cut_before_the_code():
    folder = "/home/me/experiments" * 4
    long = SimpleNamespace(**{**vars(FRAME), "file": f"{folder}/train.py"})
    place = render_frames([long], 80)[1]
    assert len(place) == 80 and place.startswith("  …") and place.endswith("/train.py, line 7: net(x)")
    long.code = "net(" + ", ".join(["x"] * 40) + ")"
    place = render_frames([long], 80)[1]
    assert len(place) == 80 and place.startswith(
        "  …xperiments/home/me/experiments/train.py, line 7: net(x, x"
    )


def test_the_entry_with_its_fix():
    lines = render_entry(MESSAGE, 80)
    assert lines[0].startswith("S1 ") and lines[-1] == "      more: dpkb show S1"


def test_what_nothing_explains_gets_no_text():
    assert render_entry("ValueError: of the program\n", 80) == []


def test_a_message_of_the_hardware_gets_its_signpost():
    lines = render_entry("RuntimeError: CUDA error: uncorrectable ECC error encountered\n", 80)
    assert lines[0].startswith("This is about hardware (not reproduced by dpkb)")
