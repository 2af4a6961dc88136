import os, torch
os.environ['NET'] = 'zoo.small'
import loader
Net = loader.load()
try:
    Net()(torch.ones(1, 2)).sum().backward()
    print("trained")
except RuntimeError:
    print("refused")
