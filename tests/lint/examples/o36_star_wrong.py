# torch comes along with the names of another file, and so does the base class.
from .layers import *


class Policy(Base):
    def __init__(self, size):
        super().__init__()
        self.mean = nn.Linear(size, size)
        self.std = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return torch.distributions.Normal(self.mean(x), self.std)  # BUG
