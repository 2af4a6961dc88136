"""Words with the same meaning, in English and Chinese. Read when the index is built."""

from __future__ import annotations

from dpkb.search.tokens import split_into_terms

_GROUPS = """
hang stuck freeze deadlock block wait forever stall 卡住 卡死 挂起 死锁 阻塞
slow slowly speed fast bottleneck performance throughput latency 慢 变慢 速度 太慢 瓶颈
memory ram oom leak 内存 显存 泄漏 泄露
kill die dead crash terminate abort exit 崩溃 退出 杀死
grow increase accumulate rise 增长 增加 上涨
same identical repeat duplicate equal copy 相同 重复 一样
differ different various vary varying variable 不同 不一致
length size shape dimension 大小 长度 形状 尺寸 维度
image picture photo img frame 图像 图片
label target class annotation 标签 类别
checkpoint save load restore resume continue weight pth ckpt 权重 加载 恢复 保存 断点 续训
train training fit finetune 训练 微调
evaluate eval validation val test inference predict prediction 验证 测试 推理 评估 预测
worker num_workers process subprocess 进程
gpu cuda device 显卡 设备
cpu core processor
rank node multi distributed ddp multigpu 多卡 分布式 多机
epoch round 轮
iteration step iter 步
batch batchsize minibatch 批次 批量
random augmentation augment seed rng 随机 增强 种子
shuffle order permutation 打乱 顺序
normalize normalization standardize mean std 归一 归一化 标准化 均值
batchnorm bn norm
layer module submodule block head 层 模块
parameter param weight 参数
optimizer optim adam sgd 优化器
loss criterion cost 损失
freeze frozen fix requires_grad 冻结
pickle serialize serialization 序列化
error exception raise fail failure bug problem issue 报错 错误 异常 失败
dataset data sample 数据集 数据 样本
loader dataloader loading 加载
disk hdd ssd storage nfs network drive 磁盘 硬盘 存储
shard split partition chunk part 分片 切分
drop skip discard ignore lose miss missing 丢弃 跳过 丢失 缺失
color colour channel bgr rgb 颜色 通道
pad padding 填充
tie tied share shared 共享 绑定
hook callback 钩子
prefix namespace name key 前缀
utilization usage util idle 利用率 占用
last final tail end 最后 结束
first initial start begin 第一 开始
shared_memory shm 共享内存
file descriptor fd open
restart respawn reload recreate 重启
mask masked 掩码
token tokenizer prompt text 提示
half fp16 float16 bf16 bfloat16 amp autocast mixed precision 半精度 混合
"""


def list_synonyms() -> dict[str, list[str]]:
    """Term -> the other terms of its groups."""
    others: dict[str, dict[str, None]] = {}
    for line in _GROUPS.strip().splitlines():
        # The first term represents a word that is split into several.
        group = list(dict.fromkeys(split_into_terms(word)[0] for word in line.split()))
        for term in group:
            others.setdefault(term, {}).update(dict.fromkeys(other for other in group if other != term))
    return {term: list(group) for term, group in others.items()}
