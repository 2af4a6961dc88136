import torch
import torch.nn.functional as F


def losses(scores, targets, eps=1e-8):
    likelihood = F.log_softmax(scores, dim=1)
    safe = torch.log(scores.softmax(1) + eps)
    top = scores.max(1, keepdim=True).values
    stable = top + (scores - top).exp().sum(1, keepdim=True).log()
    soft = torch.log(1 + torch.exp(-scores.abs()))
    return likelihood, safe, stable, soft, F.logsigmoid(scores)


def bounded(logits, eps):
    probabilities = torch.softmax(logits, dim=-1)
    probabilities = probabilities.clamp(min=eps)
    return probabilities.log()
