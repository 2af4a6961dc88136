# A second backward pass, and a custom function that fails: how many frames their tracebacks have.
import traceback

import torch


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise ArithmeticError("in backward")


loss = torch.ones(1, requires_grad=True).pow(2).sum()
loss.backward()
for call in (loss.backward, lambda: Fails.apply(torch.ones(1, requires_grad=True)).backward()):
    try:
        call()
    except Exception as error:
        print(type(error).__name__)
        print(
            [
                (frame.filename.rsplit("/")[-1], frame.name)
                for frame in traceback.extract_tb(error.__traceback__)
            ]
        )
