"""Text as search terms: identifiers, forms of a word, scripts without spaces."""

import pytest

from dpkb.search.tokens import pair_neighbours, split_into_terms, split_question, stem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("worker_init_fn", ["worker_init_fn", "worker", "init", "fn"]),
        ("DataLoader hangs", ["dataloader", "data", "loader", "hang"]),
        ("CUDAError", ["cudaerror", "cuda", "error"]),
        ("LoRA_dropout SiLU mAP", ["lora_dropout", "lora", "dropout", "silu", "map"]),
        ("GPUs num_GPUs", ["gpu", "num_gpus", "num", "gpu"]),
        ("/dev/shm", ["dev", "shm"]),
        ("the pid 123456 of 0x7f3a", ["pid"]),
        ("exit code 137", ["exit", "cod", "137"]),
        ("数据增强", ["数据", "据增", "增强"]),
        ("用DataLoader时报错", ["用", "dataloader", "data", "loader", "报错"]),
        ("训练之后显存不够", ["训练", "练之", "显存", "存不", "不够"]),
        ("torch.utils.data", ["torch", "util", "data"]),
        ("", []),
        ("___", []),
        ("!?", []),
    ],
)
def test_a_text_is_split_into_terms(text, expected):
    assert split_into_terms(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hangs", "hanging"),
        ("dropped", "drop"),
        ("shared", "sharing"),
        ("batches", "batch"),
        ("copies", "copy"),
        ("pickling", "pickle"),
        ("duplicates", "duplicated"),
        ("crashes", "crash"),
        ("gpus", "gpu"),
    ],
)
def test_forms_of_a_word_share_a_stem(one, other):
    assert stem(one) == stem(other)


def test_neighbours_and_the_bound_of_a_question():
    assert pair_neighbours(["a", "b", "c"]) == ["a b", "b c"]
    assert split_question("x1 y2 z3 " * 10_000) == ["x1", "y2", "z3"]
    assert len(split_question(" ".join(f"w{i}" for i in range(5_000)))) == 400


@pytest.mark.parametrize("text", ["的", "的 吗", "gets"])
def test_a_question_of_stop_words_alone_has_no_terms(text):
    assert split_question(text) == [] and split_question(f"{text} loss") == [*split_into_terms(text), "loss"]
