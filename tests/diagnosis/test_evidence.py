"""What a log says for and against entries with the same signature."""

from support.rank_logs import ids, written


def test_collectives_that_differ_between_ranks_choose_the_entry(tmp_path):
    work = "[rank{}]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType={}, NumelIn={}, x)\n"

    def find(*rows):
        return written(tmp_path, train="".join(work.format(n, *row) for n, row in enumerate(rows)))

    found = find(("ALLREDUCE", 1), ("BROADCAST", 4096), ("BROADCAST", 4096))
    assert ids(found) == ["D21"] and "rank 0 in ALLREDUCE of 1 element" in found.matches[0].because[0]
    assert ids(find(("ALLREDUCE", 100), ("ALLREDUCE", 200)))[0] == "D8"
    # Without a difference nothing is chosen by it.
    assert len(ids(find(("ALLREDUCE", 100), ("ALLREDUCE", 100)))) > 3


def test_memory_that_rises_and_many_steps_speak_for_a_leak(tmp_path):
    oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total of x"
    steps = "".join(f"step {n} loss 1.9 mem {7 + n / 10:.1f} GB\n" for n in range(30))
    assert ids(written(tmp_path, train=oom))[0] in ("M1", "M2")
    found = written(tmp_path, train=steps + oom)
    assert ids(found)[0] == "Q3" and any("memory rises" in text for text in found.matches[0].because)
