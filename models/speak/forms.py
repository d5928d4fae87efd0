"""Compares forms of one model, such as Q4_0, Q8_0, or a base with an adapter: how well they foretell held-back replies, and how fast.

python -m models.speak.forms base.gguf+voice.lora.gguf --make Q8_0 IQ4_NL Q4_0    # makes the forms first
python -m models.speak.forms one.gguf other.gguf

The loss is the mean over tokens of replies in nats; lower is better. Speeds are the best of some rounds in which the forms take turns,
on one thread: other work on the machine then harms all alike.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import get_args

import numpy as np

from models.speak import worlds
from models.speak.render import Messages, messages
from npc_server.llm.adapters import Adapter
from npc_server.llm.gguf_header import read_header
from npc_server.llm.llama import LlamaContext, LlamaModel, Rows, Shape, send_log
from npc_server.llm.llama_tools import Form as LlamaForm
from npc_server.llm.llama_tools import quantize
from npc_server.llm.merge import merge
from npc_server.llm.template import Frame, frame_of

BATCH, CONTEXT, SEQUENCES = 512, 4096, 8
STEPS = 32
"""Tokens that each sequence writes in one round of the speed."""
END = "<|im_end|>"


@dataclass
class Form:
    """A model file, with an adapter or without, and its best times in seconds."""

    name: str
    model: LlamaModel
    context: LlamaContext
    frame: Frame
    size_mb: float
    best: dict[str, float] = field(default_factory=dict)

    def took(self, what: str, seconds: float) -> None:
        self.best[what] = min(seconds, self.best.get(what, seconds))


def opened(text: str) -> Form:
    """Loads `MODEL` or `MODEL+ADAPTER`."""
    base, _, adapter = text.partition("+")
    header = read_header(Path(base))
    adapters = [Adapter(Path(adapter))] if adapter else []
    model = LlamaModel(header.path, 0, adapters=adapters)
    context = LlamaContext(model, Shape(CONTEXT, BATCH, SEQUENCES, 1))
    size = header.size + sum(it.path.stat().st_size for it in adapters)
    return Form("+".join(Path(part).name for part in text.split("+")), model, context, frame_of(header.chat_template), size / 1e6)


def made(text: str, forms: Sequence[LlamaForm], folder: Path) -> Iterator[str]:
    """Makes forms of `MODEL` or `MODEL+ADAPTER` in a folder, and yields their paths."""
    base, _, adapter = text.partition("+")
    merge(Path(base), [Adapter(Path(adapter))] if adapter else [], folder / "merged.gguf")
    for form in forms:
        quantize(folder / "merged.gguf", folder / f"{form}.gguf", form)
        yield str(folder / f"{form}.gguf")


def held_back_replies(most: int) -> Iterator[Messages]:
    """The last reply of held-back talks, one world after the other, so that few talks come from many worlds."""
    loaded = [worlds.load(name) for name in worlds.names()]
    kept = [(world, [talk for talk in world.talks if world.holds_back(talk)]) for world in loaded]
    longest = max((len(talks) for _, talks in kept), default=0)
    in_turn = ((world, talks[number]) for number in range(longest) for world, talks in kept if number < len(talks))
    for world, talk in islice(in_turn, most):
        yield messages(world, talk)[-1]


def loss_of(form: Form, reply: Messages) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The loss of each token of a reply, its end included."""
    read, words = form.model.tokenizer.read_template, form.model.tokenizer.read_words
    frame = form.frame
    prompt = [*read(frame.before), *words(reply.system.strip()), *read(frame.between), *words(reply.user.strip()), *read(frame.after)]
    answer = [*words(reply.answer), *read(END)]
    tokens = [*prompt, *answer]
    losses: list[float] = []
    for start in range(0, len(tokens) - 1, BATCH):
        part = range(start, min(start + BATCH, len(tokens) - 1))
        form.context.decode(Rows.of((tokens[at], at, 0, at >= len(prompt) - 1) for at in part))
        wanted = [at for at in part if at >= len(prompt) - 1]
        for at, row in zip(wanted, form.context.logits() if wanted else (), strict=True):
            logits = row.astype(np.float64)
            top = logits.max()
            losses.append(float(np.log(np.exp(logits - top).sum()) + top - logits[tokens[at + 1]]))
    form.context.cut(0)
    return np.array(losses)


def one_round(form: Form) -> None:
    """Times a prompt of a whole batch, then writing alone, then writing together."""
    tokens = [number * 7919 % form.model.n_vocab for number in range(BATCH)]
    form.took("reads", _timed(form, [Rows.of((token, at, 0, at == BATCH - 1) for at, token in enumerate(tokens))]))
    form.took("writes", _timed(form, [Rows.of([(tokens[at], BATCH + at, 0, True)]) for at in range(STEPS)]))
    form.context.cut(0)
    together = [Rows.of((tokens[at + 1], at, sequence, True) for sequence in range(SEQUENCES)) for at in range(STEPS)]
    form.took("together", _timed(form, together))
    for sequence in range(SEQUENCES):
        form.context.cut(sequence)


def _timed(form: Form, batches: Sequence[Rows]) -> float:
    began = time.perf_counter()
    for rows in batches:
        form.context.decode(rows)
        form.context.logits()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description="Compares the loss and the speed of forms of one model.")
    parser.add_argument("forms", nargs="+", metavar="MODEL[+ADAPTER]")
    parser.add_argument("--talks", type=int, default=60, help="held-back talks whose last reply is foretold")
    parser.add_argument("--rounds", type=int, default=8, help="rounds of the speed")
    parser.add_argument("--make", nargs="+", choices=get_args(LlamaForm), default=[], help="forms to make of the first model, and compare")
    args = parser.parse_args()
    send_log(lambda text: None)
    with tempfile.TemporaryDirectory() as folder:
        compare([opened(text) for text in (*made(args.forms[0], args.make, Path(folder)), *args.forms)], args.talks, args.rounds)


def compare(forms: Sequence[Form], talks: int, rounds: int) -> None:
    """Prints size, loss and speeds of each form. The first one is what the others are compared with."""
    replies = list(held_back_replies(talks))
    losses = [np.concatenate([loss_of(form, reply) for reply in replies]) for form in forms] if replies else [np.zeros(1)] * len(forms)
    for _ in range(rounds):
        for form in forms:
            one_round(form)
    print(f"{len(replies)} replies, {len(losses[0])} tokens; tokens a second on one thread, and how many times the first form's")
    print(f"{'form':<50} {'MB':>6} {'loss':>7} {'to first':>15} {'reads':>13} {'writes':>13} {'8 write':>13}")
    first = forms[0]
    for form, loss in zip(forms, losses, strict=True):
        apart = loss - losses[0]
        error = float(apart.std() / np.sqrt(len(apart)))
        speeds = [
            f"{count / form.best[what]:6.0f} {first.best[what] / form.best[what]:5.2f}x"
            for what, count in (("reads", BATCH), ("writes", STEPS), ("together", STEPS * SEQUENCES))
        ]
        print(f"{form.name:<50} {form.size_mb:6.1f} {loss.mean():7.4f} {apart.mean():+7.4f}±{error:.4f}  {'  '.join(speeds)}")


if __name__ == "__main__":
    main()
