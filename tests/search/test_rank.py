"""The right entry first, and why it matched."""

import contextlib
from dataclasses import replace

import pytest
from support import ROOT, SEARCH, write_catalogue

from dpkb.catalogue.load import load
from dpkb.search.build import build
from dpkb.search.index import StaleIndex
from dpkb.search.rank import search


@pytest.fixture(scope="module")
def real_index():
    """The index of the real catalogue."""
    with contextlib.closing(build(list(load([ROOT])), {"unreadable": "0"}, None)) as connection:
        yield connection


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("bus error", "DP15"),
        ("Bus eror", "DP15"),
        ("/dev/shm", "DP15"),
        ("RuntimeError: DataLoader worker (pid 4242) is killed by signal: Bus error.", "DP15"),
        ("RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0", "DP4"),
        ("set_epoch", "DP14"),
        ("sampler option is mutually exclusive with shuffle", "DP14"),
        ("Can't pickle local object 'main.<locals>.<lambda>'", "DP6"),
        ("Expected more than 1 value per channel when training", "DP8"),
        ("worker_init_fn numpy same random numbers", "DP1"),
        ("images look blue, opencv", "DP11"),
        ("IterableDataset duplicate samples num_workers", "DP2"),
        ("dp9", "DP9"),
        ("dp-9", "DP9"),
        (" Dp 9 ", "DP9"),
        ("dp_9", "DP9"),
        ("增强 每个 worker 随机数 一样", "DP1"),
        ("DataLoader num_workers 大于0 卡死", "DP30"),
        ("断点续训之后loss突然变大", "C1"),
        ("训练正常,一到验证就显存溢出", "M4"),
        ("微调后的大模型停不下来,一直重复输出", "L2"),
        ("跑起来CPU所有核心都100%,训练反而变慢", "T9"),
    ],
)
def test_the_right_entry_comes_first(real_index, question, expected):
    assert search(real_index, question, 5).hits[0].id == expected


# -- a catalogue of a few entries -------------------------------------------------------------------


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    """Three entries with different keywords; the first leads to others."""
    folder = tmp_path_factory.mktemp("catalogue")
    for entry_id, words in (("ZZ1", "walrus tusk"), ("ZZ2", "giraffe neck"), ("Q1", "walrus neck zebra")):
        keywords = ", ".join(words.split())
        write_catalogue(folder, entry_id, search=SEARCH.replace("[one, two, three]", f"[{keywords}, a, b]"))
    return list(load([folder]))


def result_of(entries, question, limit=5, **more):
    result = search(build(entries, {"unreadable": "2"}, None), question, limit, **more)
    assert result.unreadable_count == 2
    return result


def found_ids(entries, question, **more):
    return [hit.id for hit in result_of(entries, question, **more).hits]


def test_the_entry_with_more_of_the_words_comes_first(entries):
    assert found_ids(entries, "giraffe neck")[0] == "ZZ2"
    assert found_ids(entries, "zebra neck")[0] == "Q1"
    assert found_ids(entries, "nothing of it") == [] and found_ids([], "walrus") == []


def test_an_id_alone_means_that_entry(entries):
    others = [replace(entry, keywords=("zz2",) * 5) if entry.id != "ZZ2" else entry for entry in entries]
    result = result_of(others, "ZZ2")
    assert result.hits[0].id == "ZZ2" and not result.weak


def test_a_kind_and_a_family_have_no_more_hits_than_asked_for(entries):
    assert len(found_ids(entries, "failure made for a test", limit=1)) == 1
    assert found_ids(entries, "walrus", family="Q") == ["Q1"]
    assert not found_ids(entries, "walrus", family="X")
    assert found_ids(entries, "walrus", kind="silent") and not found_ids(entries, "walrus", kind="hangs")


def test_a_hit_says_which_fields_and_which_line_matched(entries):
    result = result_of(entries, "giraffe neck")
    hit = result.hits[0]
    assert (hit.title, hit.kind, hit.family) == ("A failure made for a test", "silent", "ZZ")
    assert hit.matched == ("keyword: giraff neck",) and hit.line in ("keyword: giraffe", "keyword: neck")


def test_a_near_spelling_is_shown_with_the_word_of_the_entry(entries):
    assert result_of(entries, "girafe neck").hits[0].matched == ("keyword: giraff (for giraf) neck",)


def test_the_words_side_by_side_count_more_than_apart(entries):
    _, first, second = entries
    side_by_side = replace(first, keywords=("walrus tusk", "one two"), asked_as=("why",))
    apart = replace(second, keywords=("walrus one", "tusk two"), asked_as=("why",))
    result = result_of([apart, side_by_side], "walrus tusk")
    assert [hit.id for hit in result.hits] == ["ZZ1", "ZZ2"]
    assert result.hits[0].line == "keyword: walrus tusk"


def test_a_clear_first_hit_has_its_answer(entries):
    assert result_of(entries, "giraffe").answer == "It was written for a test."
    assert result_of(entries, "failure made for a test").answer == "", "all three fit as well"


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE line",
        "DELETE FROM answer",
        "DELETE FROM entry",
        "DELETE FROM note",
        "UPDATE note SET value='many' WHERE key='unreadable'",
        "UPDATE term SET docs=NULL",
        "UPDATE term SET impacts='text'",
        "UPDATE term SET fields=x'00'",
        "UPDATE term SET impacts=x''",
    ],
)
def test_a_damaged_index_is_stale(entries, damage):
    with contextlib.closing(build(entries, {"unreadable": "0"}, None)) as connection:
        connection.execute(damage)
        with pytest.raises(StaleIndex):
            search(connection, "giraffe", 5)


def test_a_bug_in_the_search_is_no_damage_of_the_index(entries):
    with contextlib.closing(build(entries, {"unreadable": "0"}, None)) as connection:
        with pytest.raises(AttributeError):
            search(connection, 5, 5)
        with pytest.raises(TypeError):
            search(connection, "giraffe", "5")


@pytest.mark.parametrize(
    ("question", "unclear"),
    [
        ("train.py error", True),
        ("PointLLM training error", True),
        ("训练报错，请问如何解决", True),
        ("it does not work, please help", True),
        ("multi-GPU training DDP errors", True),
        ("bug fine tuning Qwen2-VL with LLaMA-Factory", True),
        ("DDP hangs", False),
        ("multi gpu", False),
        ("ChildFailedError: training failed", False),
        ("训练卡住", False),
        ("training hangs", False),
        ("bus error", False),
        ("dp1", False),
    ],
)
def test_a_question_that_does_not_say_what_failed_is_asked_back(real_index, question, unclear):
    found = search(real_index, question, 5)
    assert (found.unclear, found.unclear and not found.weak) == (unclear, False)


def test_the_case_of_an_entry_that_fits_a_message_is_shown_with_its_advice(real_index):
    def first(question):
        return search(real_index, question, 3).hits[0]

    hit = first("RuntimeError: Dataset scripts are no longer supported, but found squad.py")
    assert hit.line.startswith("case: `Dataset scripts are no longer supported") and "Parquet" in hit.summary
    general = first("cannot import name, a library of another version")
    assert general.id == hit.id and general.summary != hit.summary and "case: " not in general.line


CASES = """It is there.

| You see | Cause | What to do |
|---|---|---|
| `the walrus lost its tusk` | a storm | wait |
| `the giraffe lost its neck` | a lion | run |
| the | a word of every question | nothing |"""


@pytest.mark.parametrize(
    ("question", "advice"),
    [
        ("the walrus lost its tusk at night", "A storm. What to do: wait"),
        ("giraffe lost its neck", "A lion. What to do: run"),
        ("the animal lost its horn at night", ""),
        ("the walrus and the giraffe lost tusk and neck", ""),
        ("walrus", ""),
    ],
)
def test_a_case_is_shown_if_no_other_fits_as_well(tmp_path, question, advice):
    """Instead of the section In short, which may be about another case."""
    words = SEARCH.replace("[one, two, three]", "[walrus, giraffe, lost, horn]")
    for entry_id in ("ZZ1", "ZZ2"):
        write_catalogue(tmp_path, entry_id, search=words if entry_id == "ZZ1" else SEARCH, symptom=CASES)
    result = result_of(list(load([tmp_path])), question)
    hit = result.hits[0]
    assert hit.id == "ZZ1"
    assert (hit.summary == advice) is bool(advice) and hit.line.startswith("case: ") is bool(advice)
    assert not (advice and result.answer)
