# Graph batches from torch-geometric and image transforms from torchvision come through loaders unchanged.
# needs: torch-geometric torchvision
import warnings

warnings.simplefilter("ignore")
import torch
from torch import nn
from torch.utils.data import DataLoader
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader as GraphLoader
from torch_geometric.nn import GCNConv, global_mean_pool
from torchvision import transforms

torch.manual_seed(0)
torch.set_num_threads(1)
graphs = [Data(x=torch.randn(n, 2), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([n % 2])) for n in (2, 3, 4, 5)]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.out = GCNConv(2, 4), nn.Linear(4, 2)

    def forward(self, data):
        return self.out(global_mean_pool(self.conv(data.x, data.edge_index).relu(), data.batch))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(2):
    for b in GraphLoader(graphs, batch_size=2, shuffle=True):
        loss = nn.functional.cross_entropy(net(b), b.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(type(b).__name__, isinstance(b, Batch), b.num_graphs, sorted(b.keys() if callable(b.keys) else b.keys), loss.item().hex())
augment = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.RandomCrop(4, padding=1), transforms.Normalize([0.5], [0.5])])


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return augment(torch.full((1, 4, 4), i / 4))


for _ in range(2):
    print([b.double().sum().item().hex() for b in DataLoader(Images(), batch_size=2)])
