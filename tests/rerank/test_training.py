"""npc-rerank's network and its training. Needs what models/speak/requirements.txt lists; skipped without."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="models/speak/requirements.txt is not installed")
pytest.importorskip("tokenizers", reason="models/speak/requirements.txt is not installed")

from models.rerank import train  # noqa: E402
from models.rerank.network import RerankNetwork  # noqa: E402
from models.rerank.train import Read, batches, loss_of, write  # noqa: E402
from models.speak.base import read_file, shape_of  # noqa: E402
from npc_server.llm.adapters import check_fits  # noqa: E402
from npc_server.llm.gguf_header import read_header  # noqa: E402
from npc_server.llm.random_model import make_random_model  # noqa: E402

GOOD, BAD = [5, 6, 7, 20, 21, 2], [5, 6, 7, 30, 31, 32, 2]
EXAMPLE = Read("judged", (GOOD, BAD), (1.0, 0.02))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_random_model(tmp_path_factory.mktemp("base") / "base.gguf")


def network(base: Path) -> RerankNetwork:
    torch.manual_seed(1)
    fields, tensors = read_file(base)
    return RerankNetwork(shape_of(fields), tensors, (40, 41), 4, 8.0, 0.0, torch.float32)


def test_a_text_has_the_same_odds_alone_and_beside_a_longer_one(base: Path) -> None:
    net = network(base)
    alone = [net([row]).item() for row in (GOOD, BAD)]
    assert net([GOOD, BAD]).tolist() == pytest.approx(alone, abs=1e-4)


def test_training_makes_what_answers_likelier_and_changes_adapters_alone(base: Path) -> None:
    net = network(base)
    assert {name.rpartition(".")[2] for name, _ in net.named_parameters()} == {"a", "b"}
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    first = loss_of(net, [EXAMPLE], 0.05).item()
    for _ in range(30):
        optimizer.zero_grad()
        loss_of(net, [EXAMPLE], 0.05).backward()
        optimizer.step()
    assert loss_of(net, [EXAMPLE], 0.05).item() < first / 2
    assert train.tested(net, [EXAMPLE]) == {"judged": 1.0}


def test_the_file_is_an_adapter_for_its_base(base: Path, tmp_path: Path) -> None:
    write(tmp_path / "it.lora.gguf", network(base))
    check_fits(read_header(tmp_path / "it.lora.gguf"), read_header(base))


def test_a_pass_has_each_example_as_often_as_its_kind_says() -> None:
    every = [Read("played", ([number],), (1.0,)) for number in range(50)]
    found = [it.rows[0][0] for batch in batches(every, 16, random.Random(1)) for it in batch]
    assert sorted(found) == sorted([*range(50)] * 4)
