"""P5: the predictions of a model that was loaded in bfloat16 are made an array.

NumPy has no bfloat16. The evaluation fails where it worked with transformers 4.

Symptom: TypeError: Got unsupported ScalarType BFloat16
Needs:   torch, transformers; cpu; about 8 s
Run:     python broken_numpy.py; python fix_float.py
"""
import json
import sys
import tempfile

import torch

try:
    from transformers import AutoModelForSequenceClassification as AutoModel
    from transformers import BertConfig, BertForSequenceClassification
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=16, num_labels=2)
token_ids = torch.randint(50, (8, 6), generator=torch.Generator().manual_seed(0))


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        BertForSequenceClassification(config).to(torch.bfloat16).save_pretrained(folder)
        model = AutoModel.from_pretrained(folder)  # BUG: bfloat16, as in the file
    with torch.no_grad():
        scores = model(input_ids=token_ids).logits.numpy()

    healthy = scores.shape == (8, 2)

    print("OBSERVED", json.dumps({"healthy": healthy, "rows_and_classes": list(scores.shape)}))
    sys.exit(0 if healthy else 1)
