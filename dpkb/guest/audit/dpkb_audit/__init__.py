"""The half of `dpkb audit` that runs inside the audited program: Python 3.8, standard library and torch.

start.py begins when torch is imported; watch_*.py replace the functions of torch that are watched by
ones that also report an event; training.py follows loaders, optimizers and models through these events;
checks/ has one file for each entry that can be seen. What they see goes to a journal, one file per process.
"""
