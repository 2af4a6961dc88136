"""L4: a chat template without generation tags, so the mask of the assistant's tokens is empty.

return_assistant_tokens_mask needs {% generation %} and {% endgeneration %} around the answer. Most
templates have none. All labels are then -100.

Symptom: a warning at most; 0 of 11 tokens are counted
Needs:   torch, transformers; cpu; about 10 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch

try:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

words = "<pad> <|user|> <|assistant|> <|end|> what is two plus three ? five".split()
user = "{{ '<|user|> ' + m.content + ' <|end|> ' }}"
answer = "{{ m.content + ' <|end|>' }}"
template = ("{% for m in messages %}{% if m.role == 'user' %}" + user
            + "{% else %}{{ '<|assistant|> ' }}"
            + answer  # BUG: no generation tags
            + "{{ ' ' }}{% endif %}{% endfor %}")


def make_tokenizer():
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, "<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>",
                                   chat_template=template)


if __name__ == "__main__":
    tokenizer = make_tokenizer()
    chat = [{"role": "user", "content": "what is two plus three ?"},
            {"role": "assistant", "content": "five"}]
    encoded = tokenizer.apply_chat_template(chat, tokenize=True, return_dict=True,
                                            return_assistant_tokens_mask=True)
    ids, mask = torch.tensor(encoded["input_ids"]), torch.tensor(encoded["assistant_masks"])
    labels = ids.masked_fill(mask == 0, -100)

    trained_on = tokenizer.decode(ids[labels != -100])
    healthy = trained_on == "five <|end|>"
    print("OBSERVED", json.dumps({"healthy": healthy, "tokens": len(ids),
                                  "counted": int((labels != -100).sum()),
                                  "trained_on": trained_on}))
    sys.exit(0 if healthy else 1)
