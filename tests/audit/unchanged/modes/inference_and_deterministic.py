# Deterministic algorithms, inference mode, no_grad, detect_anomaly, default dtype.
# needs: torch>=1.9
import torch

torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
torch.set_default_dtype(torch.float64)
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    with torch.autograd.set_detect_anomaly(True):
        loss = torch.nn.functional.mse_loss(model(torch.randn(4, 2)), torch.zeros(4, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.inference_mode():
        out = model.eval()(torch.ones(1, 2))
    model.train()
    print(loss.item().hex(), out.is_inference(), out.item().hex())
