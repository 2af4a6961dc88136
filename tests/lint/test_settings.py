"""[tool.dpkb.lint] of the nearest pyproject.toml: valid settings are read, others are refused."""

from itertools import permutations
from pathlib import Path

import pytest
from support.lint_file import LIST_OF_LAYERS

from dpkb.errors import UsageError
from dpkb.lint.run import Selection, lint
from dpkb.lint.settings import read_selections


def read_selection(path, **options):
    [selection] = read_selections([path], **options).values()
    return selection


def selection_of(folder, text, **options):
    (folder / "pyproject.toml").write_text(text)
    return read_selection(folder, **options)


def test_every_setting_is_read(tmp_path):
    text = "[tool.dpkb.lint]\nselect = ['n3', 'DP1']\nignore = ['o5']\nhints = true\nexclude = ['tests/*']\n"
    assert selection_of(tmp_path, text) == Selection(
        frozenset({"N3", "DP1"}), frozenset({"O5"}), True, ("tests/*",)
    )


@pytest.mark.parametrize("text", ["", "[tool.ruff]\nselect = ['E']\n", "[tool.dpkb.lint]\n", "[tool.dpkb]\n"])
def test_a_project_without_settings_for_lint(tmp_path, text):
    assert selection_of(tmp_path, text) == Selection()


def test_the_nearest_settings_count_for_a_file_and_a_folder(tmp_path):
    inner = tmp_path / "package" / "models"
    inner.mkdir(parents=True)
    selection_of(tmp_path, "[tool.dpkb.lint]\nhints = true\n")
    assert read_selection(inner / "net.py").hints and read_selection(inner).hints
    selection_of(tmp_path / "package", "[project]\nname = 'inner'\n")
    assert not read_selection(inner / "net.py").hints


@pytest.mark.parametrize("path", ["../other", "../other/net.py", "..", "inner/../../other", "link/../net.py"])
def test_the_settings_of_a_folder_that_the_path_leaves_do_not_count(tmp_path, monkeypatch, path):
    for folder in ("project/inner", "other/inner"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "project/link").symlink_to(tmp_path / "other/inner")
    selection_of(tmp_path / "project", "[tool.dpkb.lint]\nhints = true\n")
    monkeypatch.chdir(tmp_path / "project")
    assert read_selection(Path("net.py")).hints and read_selection(Path("inner/../net.py")).hints
    assert not read_selection(Path(path)).hints


def test_without_a_file_there_are_no_settings(tmp_path):
    assert read_selection(tmp_path / "net.py") == Selection()


def test_the_command_line_wins(tmp_path):
    text = "[tool.dpkb.lint]\nselect = ['N3']\nignore = ['O5']\nexclude = ['tests/*']\n"
    assert selection_of(tmp_path, text, select=["DP1"], ignore=["DP2"], hints=True) == Selection(
        frozenset({"DP1"}), frozenset({"DP2", "O5"}), True, ("tests/*",)
    )
    assert not selection_of(tmp_path, text).hints


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.dpkb.lint]\nselct = []\n", "has no key selct; it has select, ignore, hints, exclude"),
        ("[tool.dpkb.lint]\nignore = ['ZZ9']\n", "ignore: lint has no rule for ZZ9"),
        ("[tool.dpkb.lint]\nignore = 'N3'\n", "ignore: must be a list"),
        ("[tool.dpkb.lint]\nexclude = [1]\n", "exclude: must be a list"),
        ("[tool.dpkb.lint]\nhints = 'yes'\n", "hints: must be true or false"),
        ("[tool", "is not valid TOML, so correct it: "),
        ("x = '\udce9'", "is not UTF-8 at byte 5: save the file as UTF-8"),
        ("x = " + "[" * 100_000, "is nested too deeply"),
        ("#" * 1_000_001, "larger than 1,000,000 bytes"),
        ("tool = 1\n", "must be a table"),
        ("[tool]\ndpkb = []\n", "must be a table"),
        ("[tool.dpkb]\nlint = true\n", "must be a table"),
    ],
)
def test_invalid_settings_are_refused(tmp_path, text, message):
    file = tmp_path / "pyproject.toml"
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(UsageError) as failure:
        read_selection(tmp_path)
    assert str(failure.value).startswith(f"{file}: ") and message in str(failure.value)


@pytest.mark.parametrize("start", ["root", "below", "elsewhere"])
def test_excluded_paths_start_at_the_folder_of_the_settings(tmp_path, monkeypatch, start):
    project = tmp_path / "root"
    (project / "below/deep").mkdir(parents=True)
    (project / "pyproject.toml").write_text("[tool.dpkb.lint]\nexclude = ['below/deep/*']\n")
    (project / "below/deep/a.py").touch()
    (project / "below/b.py").touch()
    folder, path = {
        "root": (project, "."),
        "below": (project / "below", "."),
        "elsewhere": (tmp_path, str(project)),
    }[start]
    monkeypatch.chdir(folder)
    result = lint(read_selections([Path(path)]))
    assert (result.files, result.excluded) == (1, 1)


def test_each_path_has_its_own_settings_in_any_order(tmp_path):
    """pre-commit names files in any order. A file below two paths has the settings of the nearer path."""
    outer, inner = tmp_path, tmp_path / "inner"
    inner.mkdir()
    for folder, text in ((outer, "ignore = ['N3']"), (inner, "exclude = ['*/b.py']")):
        (folder / "pyproject.toml").write_text(f"[tool.dpkb.lint]\n{text}\n")
        (folder / "a.py").write_text(LIST_OF_LAYERS)
        (folder / "b.py").write_text(LIST_OF_LAYERS)
    for paths in permutations([outer / "a.py", inner / "a.py", inner / "b.py"]):
        result = lint(read_selections(paths))
        assert ([finding.file for finding in result.findings], result.excluded) == ([str(inner / "a.py")], 1)
    for paths in permutations([outer, inner]):
        result = lint(read_selections(paths))
        assert ([finding.file for finding in result.findings], result.excluded) == ([str(inner / "a.py")], 1)
    assert not lint(read_selections([outer])).findings
