"""One of two optimizers is cleared in the loop, in the function, or often enough."""

import torch


def train(teachers, student, batches):
    optimizers = [torch.optim.Adam(teacher.parameters()) for teacher in teachers]
    optimizer = torch.optim.Adam(student.parameters())
    for x in batches:
        for number, teacher in enumerate(teachers):
            optimizers[number].zero_grad()
            teacher(x).mean().backward()
            optimizers[number].step()
        student(x).mean().backward()  # BUG
        optimizer.step()
