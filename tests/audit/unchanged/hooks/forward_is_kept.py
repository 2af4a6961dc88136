# The class of a module with hooks keeps the forward() that it was written with.
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x + 1


forward, names = Net.__dict__["forward"], sorted(vars(Net))
net = Net()
net.register_forward_hook(lambda module, inputs, output: None)
net.register_full_backward_hook(lambda module, grad_input, grad_output: None)
net(torch.ones(1, requires_grad=True)).sum().backward()
print(Net.__dict__["forward"] is forward, sorted(vars(Net)) == names, Net.forward.__code__.co_name)
print(sorted(vars(net)))
