from sentence_transformers import SentenceTransformer
from torch import nn


def train(loader, optimizer, tokenizer):
    model = SentenceTransformer("model")
    for texts, labels in loader:
        tokens = tokenizer.encode(texts)
        loss = nn.functional.cross_entropy(model(tokens)["sentence_embedding"], labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.encode(["a text"])
