from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader

    def fit(self):
        for images, labels in self.loader:
            print(self.model(images.cuda(non_blocking=True)), labels)


class Fabric:
    def __init__(self, loader):
        self.loader = loader


def main(model, train_set, test_set, device):
    Trainer(model, DataLoader(train_set, batch_size=8, shuffle=True, pin_memory=True)).fit()
    Fabric(DataLoader(test_set))
    loaders = [DataLoader(data, pin_memory=True) for data in (train_set, test_set)]
    for number in range(2):
        for images, _ in loaders[number]:
            print(model(images.to(device, non_blocking=True)), loaders[-1])
