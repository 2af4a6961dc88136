import torch


def train(model, loader, optimizer):
    for images, labels in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model.forward(images), labels)  # BUG
        loss.backward()
        optimizer.step()


class Translator:
    def __init__(self, model):
        self.model = model

    def scores(self, hidden):
        return self.model.decoder.forward(hidden)  # BUG


class Agent:
    def __init__(self, make_network):
        self.q_network_local = make_network()

    def act(self, state):
        return self.q_network_local.forward(state).argmax()  # BUG
