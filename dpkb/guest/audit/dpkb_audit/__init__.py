"""The half of `dpkb audit` that runs inside the audited program: Python 3.8, standard library and torch.

start.py begins the audit when torch is imported. watch_*.py replace functions of torch by functions that
also emit an event. training.py follows loaders, optimizers and models through these events. checks/ has one
file for each entry that audit can find. Findings and facts go to a journal, one file per process.
"""
