# A program with -m and as a zip file.
# run: sh -c 'cp FILE mine.py && python -m mine && mkdir z && cp FILE z/__main__.py && python -m zipapp z -o z.pyz && python z.pyz && rm z.pyz'
import sys

import torch

layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    layer(torch.ones(1, 1)).sum().backward()
    optimizer.step()
print([argument.rsplit("/")[-1] for argument in sys.argv], __name__, type(layer).__name__)
