"""H1: the inputs are what the tokenizer returns.

model_input_names lists it, and the model takes these names.

Symptom: none: two inputs
Needs:   torch, transformers; cpu; about 8 s
Run:     python fix_what_the_tokenizer_returns.py; python broken_no_token_types.py
"""
import json
import sys

try:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

tokenizer = Tokenizer(models.WordLevel({"a": 0, "film": 1}))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer,
                                    model_input_names=["input_ids", "attention_mask"])

if __name__ == "__main__":
    encoding = tokenizer("a film")
    inputs = {key: encoding[key] for key in tokenizer.model_input_names}  # FIX: of this model

    healthy = inputs["input_ids"] == [0, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": sorted(inputs)}))
    sys.exit(0 if healthy else 1)
