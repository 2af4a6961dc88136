# quick
"""Doctests that show functions and errors.

>>> import torch
>>> torch.optim.SGD.step  # doctest: +ELLIPSIS
<function SGD.step at 0x...>
>>> torch.save  # doctest: +ELLIPSIS
<function save at 0x...>
>>> torch.nn.functional.mse_loss  # doctest: +ELLIPSIS
<function mse_loss at 0x...>
>>> torch.save(1)
Traceback (most recent call last):
TypeError: save() missing 1 required positional argument: 'f'
>>> torch.nn.functional.dropout(torch.ones(2), 2.0)
Traceback (most recent call last):
ValueError: dropout probability has to be between 0 and 1, but got 2.0
"""

import doctest

print(doctest.testmod())
