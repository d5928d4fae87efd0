"""Encoding samples as tokens. The vocabulary is byte-level BPE, which can encode any text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from models.nano.draw import Split, content
from models.nano.mixture import samples
from models.nano.render import Sample
from npc_server.prompts.load import PACKAGE_FOLDER

SYSTEM, USER, ASSISTANT, END = "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"
MARKS = (SYSTEM, USER, ASSISTANT, END)
"""Special tokens of the chat template. They have the first four ids."""
CHAT_TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'system' %}" + SYSTEM + "{{ message['content'] }}"
    "{% elif message['role'] == 'user' %}" + USER + "{{ message['content'] }}"
    "{% else %}" + ASSISTANT + "{{ message['content'] }}" + END + "{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}" + ASSISTANT + "{% endif %}"
)
REPLY = 1.0
"""Weight of a reply's tokens in the loss. Those of a prompt weigh less."""
ASKED = 3.0
"""Weight of the tokens that show that an answer is right. The rest of a reply could often be another."""
TOWNS = Path(__file__).parents[2] / "npc_server" / "data"


@dataclass(frozen=True)
class Encoded:
    """A sample as tokens, with the weight of each in the loss."""

    ids: list[int]
    weights: list[float]


def digits_alone() -> pre_tokenizers.PreTokenizer:
    """SmolLM2's pre-tokenizer, which splits off every digit: llama.cpp's `smollm`."""
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])


def pair(merge: str) -> tuple[str, str]:
    """The two tokens of a merge in a GGUF file."""
    first, second = merge.split(" ")
    return first, second


def vocabulary(words: Sequence[str], merges: Sequence[tuple[str, str]], splitting: pre_tokenizers.PreTokenizer) -> Tokenizer:
    """A tokenizer with these tokens and merges. The marks are special tokens, which no text can spell."""
    made = Tokenizer(models.BPE(vocab={word: i for i, word in enumerate(words)}, merges=list(merges), byte_fallback=False))
    made.pre_tokenizer, made.decoder = splitting, decoders.ByteLevel()
    made.add_special_tokens([mark for mark in MARKS if mark in words])
    return made


def texts(count: int, seed: int) -> Iterator[str]:
    """Texts that the vocabulary must encode well: training samples, towns, word lists and prompts."""
    for sample in islice(samples(seed, Split.TRAIN), count):
        yield sample.system
        for turn in sample.turns:
            yield turn.user
            yield turn.reply
    for path in sorted(TOWNS.rglob("*.yaml")) + sorted(TOWNS.rglob("*.toml")):
        yield path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE_FOLDER.rglob("*.prompt")):
        yield path.read_text(encoding="utf-8") * 20
    for emoji in content()["emoji"]:
        yield f" | {emoji}\nemoji: {emoji}\n" * 60


def encode(tokenizer: Tokenizer, batch: Sequence[Sample], prompt_weight: float) -> list[Encoded]:
    """Each sample as the server would send it. Marks are inserted as tokens, and never read from the text."""
    pieces: list[str] = []
    for sample in batch:
        pieces.append(sample.system)
        for turn in sample.turns:
            pieces += [turn.user, turn.reply]
    encoded = iter(tokenizer.encode_batch(pieces))
    marks = {mark: tokenizer.token_to_id(mark) for mark in MARKS}
    found: list[Encoded] = []
    for sample in batch:
        row, weights = [marks[SYSTEM]], [0.0]

        def put(tokens: Sequence[int], weight: float, row: list[int] = row, weights: list[float] = weights) -> None:
            row.extend(tokens)
            weights.extend([weight] * len(tokens))

        put(next(encoded).ids, prompt_weight)
        for turn in sample.turns:
            put([marks[USER]], 0.0)
            put(next(encoded).ids, prompt_weight)
            put([marks[ASSISTANT]], 0.0)
            reply = next(encoded)
            put([*reply.ids, marks[END]], REPLY)
            for value in turn.expect:
                at = turn.reply.casefold().find(value.casefold())
                for i, (start, end) in enumerate(reply.offsets):
                    if at >= 0 and start < at + len(value) and end > at:
                        weights[i - len(reply.ids) - 1] = ASKED
        found.append(Encoded(row, weights))
    return found
