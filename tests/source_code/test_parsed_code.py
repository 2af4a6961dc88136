"""Files and notebooks as they are read: encodings, cells, magics, and what cannot be read."""

import ast
import json
import os
import warnings
from pathlib import Path

import pytest

from dpkb.source_code.parsed_code import CannotRead, ParsedCode, read_code


def read(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_code(path)


def notebook(*cells):
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("bad.py", b"import torch\ndef f(:\n", "line 2: does not parse"),
        ("nul.py", b"import torch\0\n", "does not parse"),
        ("latin.py", b"# torch \xe9\n", "declared encoding"),
        ("codec.py", b"# -*- coding: no-such-codec -*-\n# torch \xe9\n", "declared encoding"),
        ("bad.ipynb", b'{"torch": 1}', "is not a notebook: it has no 'cells'"),
        ("list.ipynb", b'["torch"]', "is not a notebook"),
        ("cut.ipynb", b'{"cells": [{"cell_type": "code", "source": "import torch', "Unterminated string"),
        (
            "none.ipynb",
            b'{"cells": [{"cell_type": "code", "source": null}], "torch": 1}',
            "is not a notebook",
        ),
        ("deep.ipynb", b"torch" + b"[" * 100_000, "is not a notebook"),
        ("punycode.py", b"# coding: punycode\nimport torch\n", "declared encoding"),
        ("undefined.py", b"# coding: undefined\nimport torch\n", "declared encoding"),
        ("large.py", b"import torch\n" + b"x = 1\n" * 700_000, "larger than 4 MB"),
        ("deep.py", b"import torch\nx = " + b"(" * 500 + b")" * 500, "does not parse"),
        ("signs.py", b"import torch\nx = " + b"-" * 100_000 + b"1", "does not parse"),
    ],
)
def test_an_unreadable_file_has_a_reason_in_one_line(tmp_path, name, content, reason):
    with pytest.raises(CannotRead) as failure:
        read(tmp_path, name, content)
    assert reason in str(failure.value)


def test_a_missing_file_and_a_folder(tmp_path):
    for path in (tmp_path / "missing.py", tmp_path):
        with pytest.raises(CannotRead, match=r"^cannot be read: "):
            read_code(path)


@pytest.mark.parametrize("name", ["/dev/zero", "pipe.py"])
def test_what_may_never_end_is_not_read(tmp_path, name):
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(CannotRead, match="not a regular file"):
        read_code(tmp_path / name)


def test_a_pipe_that_the_shell_opened_is_read():
    reader, writer = os.pipe()
    os.write(writer, b"import torch\n")
    os.close(writer)
    with open(reader, "rb"):
        assert read_code(Path(f"/dev/fd/{reader}")).text == "import torch\n"


def test_a_file_that_never_mentions_torch_is_not_parsed(tmp_path):
    assert read(tmp_path, "other.py", "def f(:\n") is None
    assert read(tmp_path, "light.py", "import lightning\n") is not None


@pytest.mark.parametrize(
    "content",
    [
        b"# -*- coding: latin-1 -*-\nx = 'torch \xe9'\n",
        "\ufeff\nx = 'torch é'\n".encode(),
        "# coding: future_fstrings\nx = 'torch é'\r\n".encode(),
        "\rx = 'torch é'\r".encode(),
    ],
    ids=["latin-1", "byte order mark", "codec of a package", "old line ends"],
)
def test_the_text_is_read_in_its_encoding(tmp_path, content):
    source = read(tmp_path, "net.py", content)
    (line,) = source.tree.body
    assert line.value.value == "torch é"
    assert source.text.split("\n")[line.lineno - 1] == "x = 'torch é'", "a line is where its node says it is"


def test_the_keyword_of_python_3_7_is_an_argument_of_older_code(tmp_path):
    source = read(tmp_path, "old.py", "import torch\nx = x.cuda(async=True)\ny = 'async=True'\n")
    assert [node.arg for node in ast.walk(source.tree) if isinstance(node, ast.keyword)] == ["asynC"]
    assert "async=True" in source.text, "what is shown is as it is written"


def test_a_cell_may_have_old_line_ends(tmp_path):
    source = read(tmp_path, "old.ipynb", notebook("import torch\r\nx = 1\ry = 2"))
    assert source.text == "import torch\nx = 1\ny = 2\n"


def test_the_cells_of_a_notebook_and_their_places(tmp_path):
    source = read(tmp_path, "train.ipynb", notebook(["import torch\n", "x = 1"], "", "y = 2\nz = 3"))
    assert source.text == "import torch\nx = 1\n\ny = 2\nz = 3\n" and source.cell_starts == (1, 3, 4)
    assert [source.place(line) for line in (1, 2, 4, 5)] == [(1, 1), (2, 1), (1, 3), (2, 3)]
    assert ParsedCode("train.py", "", source.tree).place(7) == (7, None)


@pytest.mark.parametrize(
    ("cell", "left"),
    [
        ("%matplotlib inline\n!pip install x\nx = 1", ["x = 1"]),
        ("if x:\n    %cd ..\nelse:\n    !ls", ["if x:\n    pass\nelse:\n    pass"]),
        ("torch.nn?\nx = 1  # why?", ["x = 1"]),
        ("%%time\nx = 1", ["x = 1"]),
        ("%%bash\nx=1", []),
        ("\n%%bash\nfor i in 1 2; do echo; done", []),
        ("%%time\n%%bash\nfor i in 1 2; do echo; done", []),
        ("files = !ls\na, b = %cd ..\n?torch\nx = 1", ["x = 1"]),
        ("!pip install x \\\n    y \\\n  z\nx = 1", ["x = 1"]),
        ("x = ('%d'\n  % 8)", ["x = '%d' % 8"]),
        ("x = ('%d'\n  % size)", ["x = '%d' % size"]),
        ("!ls\nx = ('%d'\n  % 8)\ny = (x\n  != 1)", ["x = '%d' % 8", "y = x != 1"]),
    ],
)
def test_magics_and_cells_in_other_languages_are_skipped(tmp_path, cell, left):
    source = read(tmp_path, "train.ipynb", notebook("import torch", cell, "last = 1"))
    first, *others, last = [ast.unparse(node) for node in source.tree.body if not isinstance(node, ast.Pass)]
    assert (first, others, last) == ("import torch", left, "last = 1")
    assert source.tree.body[-1].lineno == source.cell_starts[2] and source.unread == ""


@pytest.mark.parametrize(
    ("cells", "unread"),
    [
        (["x = (1"], "cell 2: line 1: does not parse: '(' was never closed"),
        (
            ["x = 1", "%cd ..\n\nx = 1 +", "y = 2 2"],
            "cell 3: line 3: does not parse: invalid syntax; 1 other cell left out",
        ),
        (["for i in 1 2; do echo; done"], "cell 2: line 1: does not parse: "),
        (["x = " + "(" * 500], "cell 2: line 1: does not parse: "),
        (["x = " + "-" * 100_000 + "1"], "cell 2: does not parse: "),
        (["x = 1 \0 2", "%%bash\n\0\ud800", "'\ud800'"], "cell 2: line 1: does not parse: "),
    ],
)
def test_a_cell_that_does_not_parse_is_left_out_with_a_reason(tmp_path, cells, unread):
    source = read(tmp_path, "train.ipynb", notebook("import torch", *cells, "last = 1"))
    assert source.unread.startswith(unread)
    assert ast.unparse(source.tree.body[-1]) == "last = 1"
    assert source.tree.body[-1].lineno == source.cell_starts[-1]


@pytest.mark.parametrize("name", ["net.py", "net.ipynb"])
def test_reading_a_file_prints_no_warning(tmp_path, name):
    code = "import torch\nx = '\\d'\ny = 1 is 1\n"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        source = read(tmp_path, name, code if name.endswith(".py") else notebook(code))
    assert len(source.tree.body) == 3 and seen == []
