"""M2: a model that splits its points grows until the memory is used up.

Each point with a large gradient becomes two. Nothing limits their number, so the parameters,
gradients and optimizer state grow with it.

Symptom: no error yet: the points of 60 steps are many times those of the start
Needs:   torch; cpu; about 3 s
Run:     python broken_growing.py
"""
import json
import sys

import torch

torch.manual_seed(0)
limit = 4000


def densify(points):
    """Split the points with a large gradient into two, as gaussian splatting does."""
    large = points.grad.norm(dim=1) > 0.001
    new = points.detach()[large] + 0.01 * torch.randn(int(large.sum()), 3)
    return torch.cat([points.detach(), new]).requires_grad_()


if __name__ == "__main__":
    points = torch.randn(1000, 3, requires_grad=True)
    for step in range(60):
        points.grad = None
        (points.pow(2).sum(1) - 1).pow(2).sum().backward()
        if step % 10 == 9:
            points = densify(points)  # BUG: without a limit

    growth = len(points) / 1000
    healthy = growth <= limit / 1000
    print("OBSERVED", json.dumps({"healthy": healthy, "growth": growth, "points": len(points)}))
    sys.exit(0 if healthy else 1)
