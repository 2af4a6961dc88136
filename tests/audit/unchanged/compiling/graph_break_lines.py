# needs: torch>=2.4
# The reason of a graph break names the program's line.
import torch


def uses_item(x):
    y = x.sum()
    if y.item() > 0:
        return x + 1
    return x - 1


def through_a_model(model, x):
    return uses_item(model(x))


model = torch.nn.Linear(2, 2)
explained = torch._dynamo.explain(through_a_model)(model, torch.ones(1, 2))
print(explained.graph_count, explained.graph_break_count)
for reason in explained.break_reasons:
    print([(frame.filename.rsplit("/")[-1], frame.name) for frame in reason.user_stack])
