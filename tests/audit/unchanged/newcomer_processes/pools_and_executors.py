# A multiprocessing pool, process and thread executors that use torch; results, exceptions and names.
import concurrent.futures as cf
import multiprocessing as mp

import torch

torch.set_num_threads(1)
state = []


def init(x):
    state.append(x)
    torch.set_num_threads(1)


def work(i):
    if i == 3:
        raise LookupError(i, "three")
    return i, state[:], torch.full((2,), float(i)).sum().item(), mp.current_process().daemon


def main():
    ctx = mp.get_context("fork")
    with ctx.Pool(1, initializer=init, initargs=("pool",)) as pool:
        print(pool.map(work, range(3)))
        try:
            pool.map(work, [3])
        except LookupError as e:
            print(e.args, type(e.__cause__).__name__)
        print(list(pool.imap_unordered(work, [4])))
    with cf.ProcessPoolExecutor(1, mp_context=ctx, initializer=init, initargs=("executor",)) as ex:
        print(list(ex.map(work, range(2))))
        f = ex.submit(work, 3)
        print(type(f.exception()).__name__, f.exception().args)
    with cf.ThreadPoolExecutor(2, initializer=init, initargs=("thread",)) as ex:
        print(sorted(r[0] for r in ex.map(work, range(3))), sorted(state))
    q = ctx.SimpleQueue()
    p = ctx.Process(target=lambda: q.put(torch.ones(2).tolist()), name="worker", daemon=True)
    p.start()
    print(q.get(), p.name)
    p.join()
    print(p.exitcode, mp.active_children())


if __name__ == "__main__":
    main()
