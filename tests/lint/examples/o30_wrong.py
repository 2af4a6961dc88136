import torch


def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # BUG


def train_early(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # BUG
        loss.backward()
        optimizer.step()


def train_guarded(model, loader, optimizer, max_norm):
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if max_norm is not None:  # BUG
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)


def train_until_interrupted(model, loader, optimizer):
    for x, y in loader:
        try:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # BUG
        except KeyboardInterrupt:
            break
