import torch

checkpoint = torch.load("checkpoint.pth.tar")  # BUG: it has whole objects
encoder = checkpoint["encoder"]
encoder = encoder.to("cuda")
encoder.eval()
decoder = torch.load("decoder.pt", map_location="cpu")  # BUG
print(sum(p.numel() for p in decoder.parameters()))
