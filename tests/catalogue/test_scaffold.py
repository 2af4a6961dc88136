"""The skeleton of an entry: it is complete, and never overwrites a file."""

import subprocess
import sys

import pytest
from support import write_catalogue

from dpkb.catalogue.load import load
from dpkb.catalogue.scaffold import create
from dpkb.errors import UsageError
from dpkb.scripts.pair_rules import find_pair_problems


@pytest.fixture
def folder(tmp_path):
    return write_catalogue(tmp_path / "catalogue")


def names(folder, paths):
    return [str(path.relative_to(folder)) for path in paths]


def test_a_skeleton_has_a_page_search_words_and_two_scripts(folder):
    assert names(folder, create("ZZ9", "stale_index", folder, load([folder]))) == [
        "kb/zz9_stale_index.md",
        "kb/zz9_stale_index.search.yaml",
        "reproducers/zz9_stale_index/broken.py",
        "reproducers/zz9_stale_index/fixed.py",
    ]


def test_what_is_left_to_be_written_is_named_line_by_line(folder):
    create("ZZ9", "stale_index", folder, load([folder]))
    catalogue = load([folder])
    assert list(catalogue.entries) == ["ZZ1"] and catalogue.unreadable_count == 1
    said = {(problem.path.name, problem.key) for problem in catalogue.problems}
    page, words = "zz9_stale_index.md", "zz9_stale_index.search.yaml"
    assert {
        (page, "title"),
        (page, "summary"),
        (page, "title_zh"),
        (page, "summary_zh"),
        (page, "scripts.broken.claim"),
        (page, None),
        (words, "keywords"),
        (words, "asked_as"),
    } <= said
    assert all(problem.line for problem in catalogue.problems)


def test_its_scripts_are_a_pair_that_runs(folder):
    create("ZZ9", "stale_index", folder, load([folder]))
    scripts = folder / "reproducers" / "zz9_stale_index"
    broken, fixed = ((scripts / name).read_text() for name in ("broken.py", "fixed.py"))
    assert find_pair_problems(broken, fixed) == ()
    for source, code in ((broken, 1), (fixed, 0)):
        without_torch = source.replace("import torch\n", "").replace("torch.tensor", "int")
        done = subprocess.run(
            [sys.executable, "-c", without_torch], capture_output=True, text=True, check=False
        )
        assert done.returncode == code and done.stdout.startswith('OBSERVED {"healthy": '), done.stderr


@pytest.mark.parametrize(
    ("entry_id", "slug", "says"),
    [
        ("zz9", "a_slug", "'zz9' is not an id"),
        ("ZZ", "a_slug", "is not an id"),
        ("ZZ9", "Slug", "is not a slug"),
        ("ZZ9", "../x", "is not a slug"),
        ("ZZ9", "a", "is not a slug"),
        ("ZZ9", "a" * 60, "is not a slug"),
        ("ZZ1", "a_slug", "ZZ1 is taken by"),
    ],
)
def test_a_wrong_name_is_refused(folder, entry_id, slug, says):
    before = sorted(folder.rglob("*"))
    with pytest.raises(UsageError, match=says):
        create(entry_id, slug, folder, load([folder]))
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("slug", ["stale_index", "another_topic"])
def test_the_id_of_a_skeleton_is_taken(folder, slug):
    create("ZZ9", "stale_index", folder, load([folder]))
    with pytest.raises(UsageError, match=r"ZZ9 is taken by .*zz9_stale_index\.md: choose another number"):
        create("ZZ9", slug, folder, load([folder]))
    assert create("ZZ99", slug, folder, load([folder]))


def test_existing_files_are_not_overwritten(folder):
    catalogue = load([folder])
    paths = create("ZZ9", "stale_index", folder, catalogue)
    with pytest.raises(UsageError, match="already exists"):
        create("ZZ9", "stale_index", folder, catalogue)
    paths[0].unlink()
    assert create("ZZ9", "stale_index", folder, catalogue) == paths, "it was cut short: completed"
    paths[0].unlink()
    paths[2].write_text("mine\n")
    with pytest.raises(UsageError, match=r"broken\.py already exists; nothing was written"):
        create("ZZ9", "stale_index", folder, catalogue)
    assert paths[2].read_text() == "mine\n" and not paths[0].exists()
