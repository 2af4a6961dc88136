from library import AttentionBlock, TextEncoder, Tokenizer
from torch import nn


class Stack(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.blocks = [AttentionBlock(8) for _ in range(depth)]  # BUG
        self.encoders = {"text": TextEncoder(8)}  # BUG
        self.tokenizers = [Tokenizer(), Tokenizer()]
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.last(x + self.encoders["text"](self.tokenizers[0](x)))


class Stages(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.stages = self.make_stages(depth)  # BUG
        self.last = self.make_last(depth)

    def make_stages(self, depth):
        stages = []
        for _ in range(depth):
            stages.append(nn.Sequential(nn.Linear(8, 8), nn.ReLU()))
        return stages

    def make_last(self, depth):
        layers = []
        for _ in range(depth):
            layers.append(nn.Linear(8, 8))
        return nn.Sequential(*layers)

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return self.last(x)
