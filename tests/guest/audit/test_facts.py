"""What a fact says of the process that noted it."""

from dpkb_audit.facts import Fact, LoaderSummary

LOADER = LoaderSummary(3, ("train.py", 7), pid=10, worker_pids=(11, 12, 21, 22))


def test_a_worker_knows_its_loader_and_which_start_of_its_workers_it_belongs_to():
    facts = [Fact({"size": 8}, pid, loader=LOADER) for pid in LOADER.worker_pids]
    assert [fact.worker_start(2) for fact in facts] == [0, 0, 1, 1]
    assert {(fact.loader_key, fact.loader_line) for fact in facts} == {((10, 3), ("train.py", 7))}
    assert facts[0]["size"] == 8 and "size" in facts[0] and "other" not in facts[0]


def test_a_process_that_is_not_a_worker_has_no_loader():
    fact = Fact({}, 10)
    assert (fact.loader_key, fact.loader_line, fact.worker_start(2)) == (None, None, 0)
