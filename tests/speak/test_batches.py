"""Training on many rows at once. Needs what models/speak/requirements.txt lists; skipped without."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="models/speak/requirements.txt is not installed")
pytest.importorskip("tokenizers", reason="models/speak/requirements.txt is not installed")
pytest.importorskip("gguf", reason="models/speak/requirements.txt is not installed")

from models.speak import tree  # noqa: E402
from models.speak.batch_network import BatchNetwork  # noqa: E402
from models.speak.packed import HELD, PackedRow, packed  # noqa: E402
from models.speak.steps import Plan  # noqa: E402
from models.speak.train import loss_of  # noqa: E402
from models.speak.train_batches import SHARES, losses, train  # noqa: E402
from tests.speak.test_training import PAIRS, SHAPE, made, network  # noqa: E402


def batched() -> BatchNetwork:
    """The network of `test_training.network` for many rows."""
    one = network()
    found = BatchNetwork(SHAPE, made(), 4, 8.0, dtype=torch.float32)
    found.load_state_dict(one.state_dict(), strict=False)
    return found


def row(pairs: list[tuple[list[int], list[int]]]) -> PackedRow:
    return packed(([*prompt, *answer[:-1]], [float(token) for token in answer]) for prompt, answer in pairs)


def test_rows_of_a_batch_have_the_losses_that_each_has_alone_in_the_other_network() -> None:
    alone = [loss_of(network(), tree.pack(pairs), "cpu").item() for pairs in (PAIRS, PAIRS[1:])]
    with torch.no_grad():
        found = losses(batched(), [row(PAIRS), row(PAIRS[1:])])
    first = sum(len(answer) for _, answer in PAIRS)
    assert [found[:first].sum().item(), found[first:].sum().item()] == pytest.approx(alone, rel=1e-4)


def test_training_lowers_the_loss_and_tells_it_of_what_is_held_back() -> None:
    net = batched()
    rows = {**{kind: [row(PAIRS)] for kind in SHARES}, f"{HELD}talks": [row(PAIRS[:1])]}
    told = list(train(net, rows, Plan(0.02, 0.01, 4, 8.0, warm_steps=1)))
    first, last = (it["held back"]["talks"] for it in (told[0], told[-1]))  # type: ignore[index]
    assert told[0]["step"] == 0 < int(str(told[-1]["step"]))
    assert last < first
