from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]


class Counted(Net):
    @property
    def layers(self):
        return self.__dict__["all"]

    @layers.setter
    def layers(self, value):
        self.__dict__["all"] = value


print(len(Counted().layers))
