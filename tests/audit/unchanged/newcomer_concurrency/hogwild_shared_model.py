# A model in shared memory is trained by two processes one after the other; events, queues and barriers order them.
import torch
import torch.multiprocessing as mp
from torch import nn
from torch.utils.data import DataLoader


def train(rank, net, turn, queue, barrier):
    torch.set_num_threads(1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    barrier.wait()
    for step in range(3):
        turn[rank].acquire()
        for x in DataLoader(torch.ones(2, 2) * (rank + 1), batch_size=2):
            opt.zero_grad()
            net(x).sum().backward()
            opt.step()
        queue.put((rank, step, net.weight.detach().clone().tolist(), net.weight.is_shared()))
        turn[1 - rank].release()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    ctx = mp.get_context("fork")
    net = nn.Linear(2, 1)
    net.share_memory()
    turn = [ctx.Semaphore(1), ctx.Semaphore(0)]
    queue, barrier = ctx.SimpleQueue(), ctx.Barrier(2)
    workers = [ctx.Process(target=train, args=(r, net, turn, queue, barrier)) for r in range(2)]
    for w in workers:
        w.start()
    for _ in range(6):
        print(*queue.get())
    for w in workers:
        w.join()
    print([w.exitcode for w in workers], net.weight.tolist())


if __name__ == "__main__":
    main()
