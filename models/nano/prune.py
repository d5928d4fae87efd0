"""Pruning: a network with a smaller vocabulary, fewer layers and fewer hidden units, without those that matter least."""

# ruff: noqa: T201
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, pre_tokenizers
from torch import Tensor, nn

from models.nano import tokenizer as tokens
from models.nano.draw import Split
from models.nano.mixture import samples
from models.nano.network import Network
from models.nano.tokenizer import ASSISTANT, END, MARKS, SYSTEM, USER, digits_alone, pair, vocabulary

USUAL_WORDS = 9_000
"""Tokens of the base that are always kept: the most frequent ones, since merges are ordered by frequency."""
OFTEN = 20
"""Another token is kept if it occurs so often in `count` samples (`prune_vocabulary`)."""
MARK_STARTS = {
    SYSTEM: ("<|im_start|>", "system"),
    USER: ("<|im_start|>", "user"),
    ASSISTANT: ("<|im_start|>", "Ġassistant"),
    END: ("<|im_end|>",),
}
"""The embedding of each mark begins as the mean of these tokens of the base."""
SPECIAL = 17
"""Special tokens at the start of the base's vocabulary."""
JUDGED = 8
"""Samples by which layers and hidden units are judged."""


def prune_vocabulary(network: Network, words: Sequence[str], merges: Sequence[str], count: int = 6000) -> tuple[Network, Tokenizer]:
    """The network with only the frequent tokens, those that our text needs, and the parts they are merged from.

    All bytes are kept, so any text can still be encoded.
    """
    pairs = [pair(merge) for merge in merges]
    whole = vocabulary(words, pairs, digits_alone())
    seen = Counter(word for encoded in whole.encode_batch(list(tokens.texts(count, 11))) for word in encoded.tokens)
    wanted = {*words[:USUAL_WORDS], *pre_tokenizers.ByteLevel.alphabet(), *(word for word, times in seen.items() if times >= OFTEN)}
    joined = {first + second: (first, second) for first, second in pairs}
    waiting = list(wanted)
    while waiting:
        for part in joined.get(waiting.pop(), ()):
            if part not in wanted:
                wanted.add(part)
                waiting.append(part)
    kept = [word for word in words[SPECIAL:] if word in wanted]
    ids = {word: i for i, word in enumerate(words)}
    old = network.embedding.weight.detach()
    rows = [old[[ids[word] for word in MARK_STARTS[mark]]].mean(0) for mark in MARKS] + [old[ids[word]] for word in kept]
    smaller = Network(replace(network.shape, vocabulary=len(rows)))
    smaller.load_state_dict(network.state_dict() | {"embedding.weight": torch.stack(rows)})
    still = [both for both in pairs if {*both, "".join(both)} <= wanted]
    return smaller, vocabulary([*MARKS, *kept], still, digits_alone())


def least_needed_layers(network: Network, tokenizer: Tokenizer, layers: int) -> list[int]:
    """The layers to leave out until `layers` are left, in order: each time the one without which the loss is lowest."""
    rows = _rows(tokenizer, 5)
    kept, gone = list(range(len(network.blocks))), []
    while len(kept) > layers:
        losses = [(_loss(with_layers(network, kept[:i] + kept[i + 1 :]), rows), i) for i in range(1, len(kept) - 1)]
        loss, at = min(losses)
        gone.append(kept.pop(at))
        print(f"without layer {gone[-1]}: loss {loss:.3f}", flush=True)
    return gone


def prune_hidden(network: Network, tokenizer: Tokenizer, hidden: int) -> Network:
    """The network with `hidden` units in each layer: those with the largest activation on samples times output weight."""
    sums = [torch.zeros(network.shape.hidden) for _ in network.blocks]

    def add(number: int, _: nn.Module, given: tuple[Tensor]) -> None:
        sums[number] += given[0].float().square().reshape(-1, network.shape.hidden).sum(0)

    hooks = [block.down.register_forward_pre_hook(partial(add, number)) for number, block in enumerate(network.blocks)]
    _loss(network, _rows(tokenizer, 77))
    for hook in hooks:
        hook.remove()
    weights = network.state_dict()
    for i, (block, total) in enumerate(zip(network.blocks, sums, strict=True)):
        kept = (total.sqrt() * block.down.weight.norm(dim=0)).topk(hidden).indices.sort().values
        gate, up = block.gate_up.weight.chunk(2)
        weights |= {f"blocks.{i}.gate_up.weight": torch.cat([gate[kept], up[kept]]), f"blocks.{i}.down.weight": block.down.weight[:, kept]}
    smaller = Network(replace(network.shape, hidden=hidden))
    smaller.load_state_dict(weights)
    return smaller


def _rows(tokenizer: Tokenizer, seed: int) -> list[list[int]]:
    return [item.ids[:320] for item in tokens.encode(tokenizer, list(islice(samples(seed, Split.TRAIN), JUDGED)), 1.0)]


def with_layers(network: Network, layers: Sequence[int]) -> Network:
    """The network with only these layers, which are shared, not copied."""
    smaller = Network(replace(network.shape, layers=0))
    smaller.shape = replace(network.shape, layers=len(layers))
    smaller.embedding, smaller.norm = network.embedding, network.norm
    smaller.blocks = nn.ModuleList(network.blocks[i] for i in layers)
    return smaller


def _loss(network: Network, rows: Sequence[Sequence[int]]) -> float:
    """Mean loss over all tokens, in nats."""
    total = 0.0
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for row in rows:
            ids = torch.tensor([row])
            logits = network.logits(network.hidden(ids[:, :-1]))
            total += float(F.cross_entropy(logits[0].float(), ids[0, 1:]))
    return total / len(rows)
