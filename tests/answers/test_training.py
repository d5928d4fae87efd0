"""npc-answers' network and its file. Needs what models/training/requirements.txt lists; skipped without."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="models/training/requirements.txt is not installed")

from models.answers import adapter_file, network  # noqa: E402
from models.answers.groups import Group  # noqa: E402
from models.answers.pairs import PairReader  # noqa: E402
from models.answers.prepare import as_row  # noqa: E402
from models.answers.train import loss_of, scores  # noqa: E402
from models.answers.train_batches import odds_of  # noqa: E402
from models.rerank.examples import Example  # noqa: E402
from npc_server.llm.answers_head import read_head  # noqa: E402
from npc_server.llm.engine import LineInTalk  # noqa: E402
from npc_server.llm.gguf_header import read_header  # noqa: E402
from tests.llm.random_embedder import make_random_embedder  # noqa: E402

PAIRS = [("where is it", "in the pot"), ("where", "i do not know that at all"), ("a", "b")]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return make_random_embedder(tmp_path / "base.gguf", width=64, layers=2)


def made(base: Path) -> network.PairNetwork:
    torch.manual_seed(1)
    found = network.PairNetwork(network.read(base), 4, 8.0)
    with torch.no_grad():
        for name, parameter in found.named_parameters():
            if name.endswith(".b"):
                parameter.normal_(std=0.1)
    return found


def test_a_pair_has_the_same_score_alone_and_among_others(base: Path) -> None:
    net, reader = made(base), PairReader(base)
    together = scores(net, reader, PAIRS)
    assert [scores(net, reader, [pair])[0] for pair in PAIRS] == pytest.approx(together.tolist(), abs=1e-4)


def test_a_file_holds_adapters_and_head(base: Path, tmp_path: Path) -> None:
    net, reader = made(base), PairReader(base)
    adapter_file.write(tmp_path / "it.lora.gguf", net)
    torch.manual_seed(2)
    again = network.PairNetwork(network.read(base), 4, 8.0)
    adapter_file.read_into(tmp_path / "it.lora.gguf", again)
    assert scores(again, reader, PAIRS) == pytest.approx(scores(net, reader, PAIRS), abs=0.02)
    assert len(read_head(read_header(tmp_path / "it.lora.gguf"), 64).weights) == 64


def test_training_makes_what_answers_likelier(base: Path) -> None:
    net, reader = made(base), PairReader(base)
    drawn = [Group("where is it", (("in the pot", 1.0), ("at noon", 0.0)))]
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    first = loss_of(net, reader, drawn).item()
    for _ in range(20):
        optimizer.zero_grad()
        loss_of(net, reader, drawn).backward()
        optimizer.step()
    assert loss_of(net, reader, drawn).item() < first / 2
    right, wrong = scores(net, reader, [("where is it", "in the pot"), ("where is it", "at noon")])
    assert right > wrong


def test_pairs_of_several_examples_have_the_same_odds_at_once(base: Path) -> None:
    net, reader = made(base), PairReader(base)
    net.eval()
    answered = {PAIRS[0][0]: ((PAIRS[0][1], 1.0), ("at noon", 0.0)), "a": (("b", 1.0),)}
    rows = [as_row(reader, Example("judged", LineInTalk(line), texts)) for line, texts in answered.items()]
    alone = [scores(net, reader, [pair])[0] for pair in (PAIRS[0], ("where is it", "at noon"), ("a", "b"))]
    assert odds_of(net, rows).tolist() == pytest.approx(alone, abs=1e-4)
    assert [row.wanted.tolist() for row in rows] == [[1.0, 0.0], [1.0]]
