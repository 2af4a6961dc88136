"""L5: a sample has an image, and its text has no place for it.

The text was written without <image>, so the processor adds no tokens for the image.

Symptom: ValueError: Image features and image tokens do not match, tokens: 0, features: 64
Needs:   torch, transformers; cpu; about 9 s
Run:     python broken_no_placeholder.py
"""
import json
import sys

import torch

try:
    from transformers import (
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
    )
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

torch.manual_seed(0)
image_token, tokens_of_image, max_length = 49, 4, 8
size = {"hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2}


def make_model():
    """A small LLaVA whose images are 8 x 8 pixels and become 4 tokens."""
    vision = CLIPVisionConfig(num_hidden_layers=1, image_size=8, patch_size=4, **size)
    text = LlamaConfig(vocab_size=50, num_hidden_layers=1, **size)
    config = LlavaConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=image_token,
        vision_feature_layer=-1,
    )
    return LlavaForConditionalGeneration(config)


if __name__ == "__main__":
    model = make_model()
    images = torch.randn(1, 3, 8, 8)
    question = torch.arange(1, 4)[None]
    ids = question  # BUG: no token of the image
    output = model(input_ids=ids, pixel_values=images, labels=ids)

    healthy = bool(torch.isfinite(output.loss))
    print("OBSERVED", json.dumps({"healthy": healthy, "tokens": ids.shape[1]}))
    sys.exit(0 if healthy else 1)
