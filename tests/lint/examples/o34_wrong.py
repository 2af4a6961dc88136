import torch
import torch.nn.functional as F


def losses(scores, targets, mask):
    entropy = -(scores.softmax(1) * torch.log(scores.softmax(1))).sum(1)  # BUG
    probabilities = F.softmax(scores, dim=1)
    likelihood = probabilities.log()  # BUG
    accepted = torch.log(torch.sigmoid(scores))  # BUG
    soft = torch.log(1 + torch.exp(scores))  # BUG
    return entropy, likelihood.gather(1, targets), accepted, soft, scores.exp().sum(1).log()  # BUG
