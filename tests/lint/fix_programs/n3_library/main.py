from net import Net

net = Net()
print(len(list(net.parameters())), net.layers[:1] + net.layers[1:] == net.layers)
