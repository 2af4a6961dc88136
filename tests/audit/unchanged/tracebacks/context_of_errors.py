# The chain of exceptions: nothing of dpkb is in __context__, and the same object arrives.
import torch
from torch.utils.data import DataLoader

mine = KeyError("mine")


class Items:
    def __len__(self):
        return 1

    def __getitem__(self, index):
        raise mine


def closure():
    raise mine


layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for call in (
    lambda: next(iter(DataLoader(Items()))),
    lambda: optimizer.step(closure),
    lambda: layer(torch.ones(3)),
):
    try:
        call()
    except Exception as error:
        frames = []
        trace = error.__traceback__
        while trace:
            frames.append(trace.tb_frame.f_code.co_filename.rsplit("/")[-1])
            trace = trace.tb_next
        print(
            error is mine,
            error.__context__,
            error.__cause__,
            frames if error is mine else sorted(set(frames)),
        )
        error.__traceback__ = None
