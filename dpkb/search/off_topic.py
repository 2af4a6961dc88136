"""The signs that a question is not about a failure, or does not say about which."""

from __future__ import annotations

from dpkb.search.tokens import MAX_CHARACTERS, split_into_terms

# One or two lines for each topic. A word here does no harm to an entry that is about it: see weakness.py.
_TOPICS = """
install installation installer pip conda anaconda miniconda wheel whl requirements dependency toolkit
cudatoolkit venv dll apt brew nvidia environment downgrade uninstall setup
安装 环境 驱动 依赖
libtorch cmake cpp gcc clang nvcc ninja linker makefile msvc compiler header undefined extension pybind11 rust
编译
onnx opset onnxruntime tensorrt openvino coreml tflite ncnn torchscript jit export caffe2 aot 导出
deploy deployment serving triton torchserve executorch android ios iphone mobile java kotlin swift raspberry
jetson 部署
quantization quantize int8 int4 gptq awq gguf fbgemm qnnpack qat observer prune pruning distillation
量化 剪枝 蒸馏
tensorboard tensorboardx summarywriter mlflow wandb
plot visualize visualization matplotlib figure heatmap captum 可视化
flops gflops fvcore
webui gui gradio comfyui streamlit flask fastapi browser javascript button tab plugin
tensorflow tf keras sklearn scikit pandas dataframe csv xgboost lightgbm jax flax mxnet paddle paddlepaddle
matlab spark
paper author cite citation license commercial equation formula appendix arxiv publish 论文 作者 公式 开源
readme repository github link url gdrive baidu book course homework roadmap 下载 链接
vllm ollama langchain openai api chatbot rag kubernetes
rocm amd mps metal tpu xla directml npu ascend gaudi
difference equivalent explain understand theory recommend
miou bleu rouge fid leaderboard xml labelme labelimg cvat roboflow
ffmpeg video codec webcam camera
"""
# Reports of failures seldom begin like this. In lower case, each with the words that may follow it.
REQUEST_STARTS = (
    *(f"how {word} " for word in "to do does did can is are many much long".split()),
    *(f"what {word} " for word in "is are kind".split()),
    *(f"can {word} " for word in "i we you anyone".split()),
    *(f"do {word} " for word in "i we you".split()),
    "where ",
    "which ",
    "could you ",
    "is there ",
    "are there ",
    "is it possible ",
    "does this ",
    "does the ",
    "如何",
)


# Words that every thread has: a question of these alone does not say what failed.
_GENERAL = """
train trainer training pytorch torch python py script code run program model network dataset data custom own finetune
fine tune tuning lora sft epoch step error bug problem issue trouble wrong fail failure exception help solve fix
work happen question please anyone someone know use try start follow command example project repo
version new different not no doesn don didn isn during
"""
# With one of these words, the names of tools and models do not say what failed either.
_TROUBLE = "error bug problem issue trouble wrong fail failure exception"
_NAMES = """
multi gpu ddp fsdp distributed parallel node accelerate deepspeed lightning transformers huggingface trl peft unsloth
lora qlora llama qwen mistral gemma bert gpt yolo vit unet resnet gan diffusion sdxl llm vlm vision sft dpo grpo rlhf
colab kaggle notebook
"""
GENERAL_CHINESE = "报错 错误 问题 训练 微调 模型 数据 代码 运行 请问 如何 解决 怎么 失败"


def is_request(question: str) -> bool:
    """Whether a question asks for something other than the cause of a failure, judged by its first words."""
    return question.lstrip().lower().startswith(REQUEST_STARTS)


def list_off_topic_terms() -> frozenset[str]:
    """The terms of words about other topics. The first term represents a word that has several."""
    return frozenset(split_into_terms(word)[0] for word in _TOPICS.split())


def list_general_terms() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The terms of words that every thread has; those that name trouble; and names, which say nothing beside these."""
    general, trouble, names = (
        frozenset(split_into_terms(word)[0] for word in words.split())
        for words in (_GENERAL, _TROUBLE, _NAMES)
    )
    return general, trouble, names


def is_unclear(question: str, known_terms: set[str]) -> bool:
    """Whether general words are all that is known of a question: it does not say what failed.

    Of a compound name only the whole is compared: "PointLLM" is not about a point.
    """
    text = question[:MAX_CHARACTERS].replace("_", " ")
    for word in GENERAL_CHINESE.split():
        text = text.replace(word, " ")
    said = {terms[0] for word in text.split() if (terms := split_into_terms(word))}
    general, trouble, names = list_general_terms()
    left = known_terms & said - general
    return not left or (bool(said & trouble) and names.issuperset(term.rstrip("0123456789") for term in left))
