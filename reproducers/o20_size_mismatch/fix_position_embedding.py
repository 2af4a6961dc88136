"""O20: interpolated position embeddings load into a model for larger images.

The grid of position embeddings is interpolated to the new number of patches. The class token stays
as it is.

Symptom: none: (1, 197, 2) becomes (1, 577, 2), and each corner keeps its place
Needs:   torch; cpu; about 2 s
Run:     python fix_position_embedding.py
"""
import json
import sys

import torch
from torch import nn


def resize_pos_embed(pos_embed, side):
    """(1, 1 + old * old, dim) -> (1, 1 + side * side, dim); the first row is the class token."""
    first, grid = pos_embed[:, :1], pos_embed[:, 1:]
    old = int(grid.shape[1] ** 0.5)
    grid = grid.reshape(1, old, old, -1).permute(0, 3, 1, 2)
    grid = nn.functional.interpolate(grid, size=(side, side), mode="bicubic", align_corners=False)
    return torch.cat([first, grid.flatten(2).transpose(1, 2)], dim=1)


class Model(nn.Module):
    def __init__(self, side):
        super().__init__()
        self.pos_embed = nn.Parameter(torch.zeros(1, 1 + side * side, 2))


if __name__ == "__main__":
    rows = torch.linspace(0, 1, 14)[:, None].expand(14, 14)
    place = torch.stack([rows, rows.t()], dim=-1).reshape(1, 14 * 14, 2)  # row, column of a patch
    checkpoint = {"pos_embed": torch.cat([torch.full((1, 1, 2), 7.0), place], dim=1)}

    model = Model(side=24)
    checkpoint["pos_embed"] = resize_pos_embed(checkpoint["pos_embed"], 24)  # FIX: before loading
    model.load_state_dict(checkpoint)

    loaded = model.pos_embed.detach()
    corners = loaded[0, 1:].reshape(24, 24, 2)[[0, 0, -1, -1], [0, -1, 0, -1]]
    expected = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    error = (corners - expected).abs().max().item()
    healthy = error < 0.05 and torch.equal(loaded[0, 0], checkpoint["pos_embed"][0, 0])
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(loaded.shape),
                                  "corners_off_by": round(error, 3)}))
    sys.exit(0 if healthy else 1)
