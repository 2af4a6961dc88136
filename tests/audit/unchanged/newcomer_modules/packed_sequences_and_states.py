# An LSTM and a GRU on packed sequences; outputs are named tuples and nested tuples, whose types are printed.
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(7)
torch.set_num_threads(1)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 4, padding_idx=0)
        self.lstm = nn.LSTM(4, 5, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(10, 3, batch_first=True)
        self.cell = nn.LSTMCell(3, 3)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths, batch_first=True, enforce_sorted=False)
        out, state = self.lstm(packed)
        print(type(out) is PackedSequence, type(state) is tuple, [tuple(s.shape) for s in state])
        out, h = self.gru(out)
        padded, lens = pad_packed_sequence(out, batch_first=True)
        print(tuple(padded.shape), lens.tolist())
        hx = self.cell(h[-1])
        print(type(hx) is tuple, len(hx))
        return hx[0]


model = Tagger()
opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
for _ in range(3):
    seqs = [torch.randint(1, 10, (n,)) for n in (3, 5, 2)]
    out = model(pad_sequence(seqs, batch_first=True), torch.tensor([3, 5, 2]))
    opt.zero_grad()
    out.pow(2).mean().backward()
    opt.step()
    print(out.sum().item().hex(), model.emb.weight.grad[0].tolist())
