"""dpkb: an executable error index for PyTorch training."""

__version__ = "0.1.0"
