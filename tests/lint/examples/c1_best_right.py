import torch


class Trainer:
    def __init__(self, net, optimizer, start_epoch):
        self.net, self.optimizer, self.epoch = net, optimizer, start_epoch
        self.scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
        self.scheduler.last_epoch = start_epoch - 1

    def load(self, path):
        state = torch.load(path)
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch = state["epoch"]

    def save(self, path):
        torch.save(
            {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": self.epoch}, path
        )

    def save_best(self, path):
        torch.save({"net": self.net.state_dict(), "epoch": self.epoch}, path)

    def train(self, epochs):
        for self.epoch in range(self.epoch, epochs):
            train_epoch(self.net, self.optimizer)
            self.scheduler.step()
