"""npc-rerank's training. Needs what models/training/requirements.txt lists; skipped without."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="models/training/requirements.txt is not installed")

from torch import Tensor  # noqa: E402

from models.rerank.losses import SHARES, loss_of, told_apart  # noqa: E402
from models.rerank.train import VERDICTS, odds_of, write  # noqa: E402
from models.training.base import read_file, shape_of  # noqa: E402
from models.training.batch_network import BatchNetwork  # noqa: E402
from models.training.packed import HELD, packed  # noqa: E402
from models.training.steps import one_pass  # noqa: E402
from npc_eval.random_model import make_random_model  # noqa: E402
from npc_server.llm import rerank_form  # noqa: E402
from npc_server.llm.adapters import check_fits  # noqa: E402
from npc_server.llm.gguf_header import read_header  # noqa: E402

GOOD, BAD = [5, 6, 7, 20, 21, 2], [5, 6, 7, 30, 31, 32, 2]
ROW = packed([(GOOD, [1.0]), (BAD, [0.02])])


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_random_model(tmp_path_factory.mktemp("base") / "base.gguf")


def network(base: Path) -> tuple[BatchNetwork, Tensor]:
    """A network, and what its last layer is multiplied with."""
    torch.manual_seed(1)
    fields, tensors = read_file(base)
    embedding = tensors["token_embd.weight"]
    return BatchNetwork(shape_of(fields), tensors, 4, 8.0, dtype=torch.float32), embedding[40] - embedding[41]


def test_a_text_has_the_same_odds_alone_and_beside_others(base: Path) -> None:
    net, verdict = network(base)
    alone = [odds_of(net, verdict, [packed([(text, [0.0])])]).item() for text in (GOOD, BAD)]
    assert odds_of(net, verdict, [ROW, packed([(GOOD, [0.0])])]).tolist() == pytest.approx([*alone, alone[0]], abs=1e-4)


def test_training_makes_what_answers_likelier_and_changes_adapters_alone(base: Path) -> None:
    net, verdict = network(base)
    assert {name.rpartition(".")[2] for name, _ in net.named_parameters()} == {"a", "b"}
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    first = loss_of(odds_of(net, verdict, [ROW]), [ROW], 0.05).item()
    for _ in range(30):
        optimizer.zero_grad()
        loss_of(odds_of(net, verdict, [ROW]), [ROW], 0.05).backward()
        optimizer.step()
    assert loss_of(odds_of(net, verdict, [ROW]), [ROW], 0.05).item() < first / 2
    assert told_apart(lambda batch: odds_of(net, verdict, batch), {f"{HELD}judged": [ROW], "judged": []}, 100) == {"judged": (1.0, 1.0)}


def test_the_order_of_texts_of_different_examples_does_not_count() -> None:
    odds, rows = torch.tensor([-1.0, 2.0]), [packed([(GOOD, [1.0])]), packed([(BAD, [0.02])])]
    fits = torch.tensor([1.0, 0.02])
    assert loss_of(odds, rows, 0.05).item() == pytest.approx(torch.nn.functional.binary_cross_entropy_with_logits(odds, fits).item())
    assert loss_of(odds, [ROW], 0.05).item() > loss_of(odds, rows, 0.05).item() + 3


def test_the_file_is_an_adapter_for_its_base(base: Path, tmp_path: Path) -> None:
    write(tmp_path / "it.lora.gguf", network(base)[0])
    check_fits(read_header(tmp_path / "it.lora.gguf"), read_header(base))


def test_a_pass_has_each_row_as_often_as_its_kind_says() -> None:
    rows = {kind: [packed([([number], [float(number)])]) for number in range(50)] if kind == "played" else [] for kind in SHARES}
    found = [row.wanted[0] for batch in one_pass(rows, SHARES, 16, random.Random(1)) for row in batch]
    assert sorted(found) == sorted([*range(50)] * int(SHARES["played"]))


def test_the_words_of_the_verdict_are_those_that_the_server_compares() -> None:
    assert tuple(word.replace("Ġ", " ") for word in VERDICTS) == rerank_form.VERDICTS
