"""L4: the space between two turns stands behind the generation tags.

Each block begins and ends with a token, so both ends are found, also before transformers 4.47.

Symptom: none: both answers and their ends are counted, 4 tokens
Needs:   torch, transformers; cpu; about 10 s
Run:     python broken_space_inside.py; python fix_space_behind.py
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

words = "<pad> <|user|> <|assistant|> <|end|> what is two plus three ? five six".split()
user = "{{ '<|user|> ' + m.content + ' <|end|> ' }}"
answer = "{{ m.content + ' <|end|>' }}"
template = ("{% for m in messages %}{% if m.role == 'user' %}" + user
            + "{% else %}{{ '<|assistant|> ' }}"
            + "{% generation %}" + answer + "{% endgeneration %}{{ ' ' }}"  # FIX: outside
            + "{% endif %}{% endfor %}")


def make_tokenizer():
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, "<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>",
                                   chat_template=template)


if __name__ == "__main__":
    tokenizer = make_tokenizer()
    chat = [{"role": "user", "content": "what is two plus three ?"},
            {"role": "assistant", "content": "five"},
            {"role": "user", "content": "what is three plus three ?"},
            {"role": "assistant", "content": "six"}]
    encoded = tokenizer.apply_chat_template(chat, tokenize=True, return_dict=True,
                                            return_assistant_tokens_mask=True)
    ids, mask = torch.tensor(encoded["input_ids"]), torch.tensor(encoded["assistant_masks"])
    labels = ids.masked_fill(mask == 0, -100)

    trained_on = tokenizer.decode(ids[labels != -100])
    healthy = trained_on == "five <|end|> six <|end|>"
    print("OBSERVED", json.dumps({"healthy": healthy, "tokens": len(ids),
                                  "counted": int((labels != -100).sum()),
                                  "trained_on": trained_on}))
    sys.exit(0 if healthy else 1)
