"""The line of the user's code, whatever called it."""

import json
import os
import sysconfig

from dpkb_audit.user_code import find_user_line, is_library


def test_python_and_installed_packages_are_libraries_and_programs_are_not(tmp_path):
    assert is_library(json.__file__) and is_library("<frozen importlib._bootstrap>")
    assert is_library(os.path.join(sysconfig.get_paths()["purelib"], "anything", "of_it.py"))
    assert is_library("/another/env/lib/python3.8/site-packages/package/module.py")
    assert is_library(find_user_line.__code__.co_filename)
    for name in (str(tmp_path / "train.py"), "train.py", "<stdin>", "<ipython-input-3-abc>"):
        assert not is_library(name)


def test_the_innermost_line_of_the_user_counts(tmp_path):
    program, helper = tmp_path / "train.py", tmp_path / "helper.py"
    spaces = {"user_line": find_user_line, "json": json}
    step = "def step(value):\n    lines.append(user_line())\n    return 1\n"
    exec(compile(step, str(helper), "exec"), spaces)
    spaces["lines"] = lines = []
    exec(compile("\njson.dumps(step, default=step)\n", str(program), "exec"), spaces)
    assert lines == [(str(helper), 2)]
    exec(
        compile(
            "\n\nlines.append(json.loads('1', parse_int=lambda text: user_line()))\n", str(program), "exec"
        ),
        spaces,
    )
    assert lines[1] == (str(program), 3)
