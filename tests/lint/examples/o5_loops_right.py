import torch
import torch.nn.functional as F
from nets import make_net

net = make_net()
optimizer = torch.optim.Adam(net.parameters())


def train(train_loader, val_loader, epochs, every):
    for epoch in range(epochs):
        net.train()
        for step, (images, labels) in enumerate(train_loader):
            optimizer.zero_grad()
            F.cross_entropy(net(images), labels).backward()
            optimizer.step()
            if step % every == 0:
                net.eval().cpu()
                torch.save(net.state_dict(), "last.pt")
                net.to("cpu").train()
        validate(val_loader)


def validate(val_loader):
    net.eval()
    with torch.no_grad():
        for images, labels in val_loader:
            print((net(images).argmax(1) == labels).float().mean().item())
