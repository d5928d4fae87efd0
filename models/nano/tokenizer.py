"""The tokenizer: byte-level BPE with GPT-2's splitting, which llama.cpp knows as `gpt-2`; no text has unknown tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from models.nano.draw import Split, content
from models.nano.mixture import samples
from models.nano.render import Sample
from npc_server.prompts.load import PACKAGE_FOLDER

SYSTEM, USER, ASSISTANT, END = "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"
MARKS = (SYSTEM, USER, ASSISTANT, END)
"""The first four ids."""
CHAT_TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'system' %}" + SYSTEM + "{{ message['content'] }}"
    "{% elif message['role'] == 'user' %}" + USER + "{{ message['content'] }}"
    "{% else %}" + ASSISTANT + "{{ message['content'] }}" + END + "{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}" + ASSISTANT + "{% endif %}"
)
VOCABULARY = 4096
ASKED = 3.0
"""How much the words count that show an answer to be right; the rest of a reply, which could often be another, counts 1."""
TOWNS = Path(__file__).parents[2] / "npc_server" / "data"


@dataclass(frozen=True)
class Encoded:
    """A sample as tokens, and how much each counts as something to predict."""

    ids: list[int]
    weights: list[float]


def texts(count: int, seed: int) -> Iterator[str]:
    """What the vocabulary is learned from: training samples, and the towns that come with the server."""
    for sample in islice(samples(seed, Split.TRAIN), count):
        yield sample.system
        for turn in sample.turns:
            yield turn.user
            yield turn.reply
    for path in sorted(TOWNS.rglob("*.yaml")) + sorted(TOWNS.rglob("*.toml")):
        yield path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE_FOLDER.glob("*.prompt")):
        yield path.read_text(encoding="utf-8") * 20
    for emoji in content()["emoji"]:
        yield f" | {emoji}\nemoji: {emoji}\n" * 60


def learn(count: int = 6000, seed: int = 11, size: int = VOCABULARY) -> Tokenizer:
    """A vocabulary in which names and numbers are the same tokens after a space and at the start of a line.

    While it is learned, a space before a capital or a digit stands alone, so that no merge joins the two. Otherwise a name that begins
    an answer would be other tokens than in the memory it is read from, and could not be copied.
    """
    tokenizer = Tokenizer(models.BPE(byte_fallback=False))
    bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(r" (?=[A-Z0-9])"), "isolated"), bytes_])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(MARKS), initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(texts(count, seed), trainer)
    tokenizer.pre_tokenizer = bytes_  # as llama.cpp splits: the merges alone keep the space apart
    return tokenizer


def encode(tokenizer: Tokenizer, batch: Sequence[Sample], prompt_weight: float) -> list[Encoded]:
    """Each sample as the server would send it: the marks are put in as tokens, never read out of the text."""
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
            put([*reply.ids, marks[END]], 1.0)
            for value in turn.expect:
                at = turn.reply.casefold().find(value.casefold())
                for i, (start, end) in enumerate(reply.offsets):
                    if at >= 0 and start < at + len(value) and end > at:
                        weights[i - len(reply.ids) - 1] = ASKED
        found.append(Encoded(row, weights))
    return found
