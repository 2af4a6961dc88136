from torch import nn


def train_step(model, optimizer, batch):
    loss = model(batch).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def number_of_step(model, optimizer, batch):
    loss = model(batch).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def train(model, optimizer, batches):
    losses, total = [], 0.0
    for batch in batches:
        loss = train_step(model, optimizer, batch)
        losses.append(loss.item())
        total += number_of_step(model, optimizer, batch)
        last = 0.0
        last += train_step(model, optimizer, batch)
    return losses, total, last


class Loss(nn.Module):
    def forward(self, model, images, labels):
        total = 0
        for image, label in zip(images, labels):
            loss = nn.functional.mse_loss(model(image), label)
            total += loss
        return total
