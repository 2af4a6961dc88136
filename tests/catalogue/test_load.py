"""Several catalogues as one: in order, each id once; a bad file does not stop the others."""

from dataclasses import replace
from pathlib import Path

import pytest
from support import write_catalogue

from dpkb.catalogue.load import list_entry_files, load, read_entry_text, read_reproducer, read_source
from dpkb.errors import DpkbError, UnknownName
from dpkb.paths import find_built_in_catalogue


@pytest.fixture
def folder(tmp_path):
    for name in ("ZZ10", "ZZ2", "YY1"):
        write_catalogue(tmp_path / "catalogue", name)
    return tmp_path / "catalogue"


def test_entries_are_in_order_and_found_in_any_case(folder):
    catalogue = load([folder])
    assert [entry.id for entry in catalogue] == ["YY1", "ZZ2", "ZZ10"]
    assert (catalogue.problems, catalogue.unreadable_count) == ([], 0)
    assert {catalogue.find_entry(name).id for name in ("ZZ2", "zz2", "zz-2", "ZZ 2")} == {"ZZ2"}


def count_chinese(text):
    return sum("\u4e00" <= character <= "\u9fff" for character in text or "")


def test_every_entry_of_dpkb_has_a_title_and_a_summary_in_chinese():
    """A team's own entries need none."""
    entries = list(load([find_built_in_catalogue()]))
    assert [e.id for e in entries if not count_chinese(e.title_zh) or not count_chinese(e.summary_zh)] == []
    assert [e.id for e in entries if count_chinese(e.title_zh) > 40 or not e.summary_zh.endswith("。")] == []


@pytest.mark.parametrize(
    ("name", "near"),
    [("ZZ01", "ZZ10"), ("zz3", "ZZ2"), ("1YY", "YY1"), ("bus error", "`dpkb list` shows them all.")],
)
def test_an_unknown_id_offers_near_ones(folder, name, near):
    with pytest.raises(UnknownName, match=name) as failure:
        load([folder]).find_entry(name)
    assert near in str(failure.value).partition(". ")[2] and f"dpkb search {name}" in str(failure.value)


def test_a_long_title_of_a_similar_entry_is_cut(folder):
    page = folder / "kb/zz2_made.md"
    page.write_text(page.read_text().replace("A failure made for a test", "word " * 15))
    with pytest.raises(UnknownName) as failure:
        load([folder]).find_entry("zz3")
    assert f"ZZ2 ({'word ' * 7}word…)" in str(failure.value)


def test_a_script_is_found_with_and_without_its_ending(folder):
    catalogue = load([folder])
    entry = catalogue.find_entry("ZZ2")
    assert catalogue.find_script(entry, "broken.py") == catalogue.find_script(entry, "broken")
    with pytest.raises(UnknownName, match=r"ZZ2 has no script 'trap'\. It has broken, fixed"):
        catalogue.find_script(entry, "trap")


def test_of_two_catalogues_the_first_keeps_an_id(folder, tmp_path):
    other = write_catalogue(tmp_path / "other", "ZZ2")
    catalogue = load([folder, other])
    assert catalogue.find_entry("ZZ2").path.is_relative_to(folder) and catalogue.unreadable_count == 1
    (problem,) = catalogue.problems
    assert (problem.path.is_relative_to(other), problem.line, problem.key) == (True, 2, "id")


def test_a_bad_entry_is_a_problem_and_the_others_are_served(folder):
    (folder / "kb/zz2_made.md").write_text("nothing")
    (folder / "kb/yy1_made.search.yaml").unlink()
    catalogue = load([folder])
    assert list(catalogue.entries) == ["ZZ10"] and catalogue.unreadable_count == 2
    assert {problem.path.name for problem in catalogue.problems} == {"zz2_made.md", "yy1_made.search.yaml"}


def test_an_entry_with_mistakes_is_not_called_unknown(folder):
    page = folder / "kb/zz2_made.md"
    page.write_text("nothing")
    with pytest.raises(DpkbError) as failure:
        load([folder]).find_entry("zz2")
    assert str(failure.value) == (
        f"ZZ2 cannot be read: {page} or a file that belongs to it has mistakes; `dpkb check` lists them"
    )


def test_files_that_are_no_entries_are_ignored(folder):
    for name in ("_template.md", ".zz3.md", "notes.txt", "zz3.md~"):
        (folder / "kb" / name).write_text("")
    assert [path.name for path in list_entry_files(folder)] == ["yy1_made.md", "zz10_made.md", "zz2_made.md"]


def test_a_catalogue_without_a_folder_is_not_an_empty_one(tmp_path):
    with pytest.raises(DpkbError, match="kb: cannot be read: No such file"):
        load([tmp_path])


FAMILY = (
    "---\nfamily: ZZ\ntitle: {title}\nsummary: A summary.\n---\n\n## When to suspect it\n\nNow.\n\n"
    "## What to run first\n\nThis.\n"
)


def test_the_first_page_of_a_family_counts(folder, tmp_path):
    other = write_catalogue(tmp_path / "other", "ZZ3")
    for place, title in ((folder, "First"), (other, "Second")):
        (place / "kb/_families").mkdir()
        (place / "kb/_families/ZZ.md").write_text(FAMILY.format(title=title))
    catalogue = load([folder, other])
    assert (catalogue.families["ZZ"].title, catalogue.problems) == ("First", [])
    (folder / "kb/_families/ZZ.md").write_bytes(b"\xff")
    catalogue = load([folder, other])
    assert catalogue.families["ZZ"].title == "Second" and "not UTF-8" in catalogue.problems[0].message


def test_the_text_of_an_entry_is_read_with_the_limits_of_the_loader(folder):
    entry = load([folder]).find_entry("ZZ2")
    assert read_entry_text(entry) == entry.path.read_text()
    entry.path.write_text("x" * 100_001)
    with pytest.raises(DpkbError, match=r"zz2_made\.md: cannot be read: larger than 100,000 bytes"):
        read_entry_text(entry)
    entry.path.unlink()
    with pytest.raises(DpkbError, match=r"zz2_made\.md: cannot be read: No such file"):
        read_entry_text(entry)


def test_a_script_is_read_with_what_it_needs(folder):
    script = load([folder]).find_entry("ZZ2").find_script("broken")
    reproducer = read_reproducer(script)
    assert reproducer.source == script.path.read_text() and reproducer.needs.packages == ("torch",)
    assert (reproducer.key, reproducer.claim) == ("ZZ2/broken", "it fails")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('"""ZZ2: no needs."""\n', "see `dpkb check`"),
        ("def f(:\n", "see `dpkb check`"),
        (None, "cannot be read"),
        ("x" * 20_001, "larger than 20,000 bytes"),
    ],
)
def test_a_script_that_cannot_be_used_is_named(folder, text, says):
    script = load([folder]).find_entry("ZZ2").find_script("broken")
    script.path.unlink()
    if text is not None:
        script.path.write_text(text)
    with pytest.raises(DpkbError, match=r"broken\.py: ") as failure:
        read_reproducer(script)
    assert says in str(failure.value)


def test_no_source_is_read_from_outside_of_the_scripts(folder):
    script = load([folder]).find_entry("ZZ2").find_script("broken")
    outside = replace(script, path=Path(folder, "reproducers", "zz2_made", "..", "..", "kb", "zz2_made.md"))
    with pytest.raises(DpkbError, match="leads out"):
        read_source(outside)
