"""The structure that CONTRIBUTING.md draws: a module imports only lower levels; torch never."""

import ast
import subprocess
import sys

import pytest
from conftest import ROOT

LEVELS = {
    0: ["errors", "plain", "cgroup", "cleaners", "__init__"],
    1: ["paths", "entry", "terms", "frontmatter", "patterns", "grids", "confine", "usage", "ranks", "logs",
        "files", "syntax", "supervised"],
    2: ["synonyms", "protocol", "verdict", "parse", "needs", "pairs", "process", "diagnose", "relay",
        "pictures", "index", "measured", "supervisor"],
    3: ["mutants", "index_build", "catalogue", "environment", "trust", "warm", "template", "torches",
        "evidence", "site_text", "terminal"],
    4: ["check", "finding", "reproduce", "scaffold", "search_data", "site_feed"],
    5: ["mutate", "render_entry", "render_run", "render_evidence", "hits", "entry_json", "run_json",
        "junit", "findings", "session", "site_entry"],
    6: ["options", "site"],
    7: ["commands_lookup", "commands_run", "commands_maintain"],
    8: ["cli"],
    9: ["__main__"],
}
LEVEL = {name: level for level, names in LEVELS.items() for name in names}
MODULES = sorted(path.stem for path in (ROOT / "dpkb").glob("*.py"))
RENDERERS = ("render_entry", "render_run", "render_evidence")
IMPORTERS = {"subprocess": ("process", "relay"), "rich": ("terminal", *RENDERERS), "yaml": ("frontmatter",),
             "typer": ("options", *LEVELS[7]), "re2": ("patterns",)}


def imports(module):
    """The names that a module imports, those inside functions too."""
    tree = ast.parse((ROOT / "dpkb" / f"{module}.py").read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module == "dpkb":
                yield from (f"dpkb.{a.name}" for a in node.names if (ROOT / f"dpkb/{a.name}.py").exists())
            else:
                yield node.module


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_lower_levels(module):
    for name in imports(module):
        if name.startswith("dpkb."):
            lower = name.split(".")[1]
            assert LEVEL[lower] < LEVEL[module], f"{module} imports {lower}"


@pytest.mark.parametrize("module", MODULES)
def test_a_library_has_its_own_importer(module):
    for name in imports(module):
        top = name.split(".")[0]
        assert top not in ("torch", "torchvision", "numpy"), f"{module} imports {top}"
        assert module in IMPORTERS.get(top, (module,)), f"{module} imports {top}"


def test_every_module_has_a_level():
    assert sorted(LEVEL) == MODULES


@pytest.mark.parametrize(("command", "absent"), [
    (["search", "bus", "error"], ["torch", "rich", "yaml", "markdown_it", "psutil", "re2", "packaging"]),
    (["show", "DP15"], ["torch", "torchvision", "numpy"]),
])
def test_a_command_loads_only_what_it_needs(command, absent, tmp_path):
    code = (
        "import sys; from dpkb.cli import app, load_commands; sys.argv = ['dpkb', *sys.argv[1:]]\n"
        "load_commands(sys.argv[1:2])\n"
        "try: app(prog_name='dpkb')\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"finally: print([m for m in {absent!r} if m in sys.modules], file=sys.stderr)\n"
    )
    for _ in range(2):  # the first builds the index, which reads the entries
        done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True,
                              cwd=tmp_path, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"
