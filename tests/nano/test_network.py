"""The network, its vocabulary and its GGUF file. Needs what models/nano/requirements.txt lists; skipped without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="models/nano/requirements.txt is not installed")
pytest.importorskip("tokenizers", reason="models/nano/requirements.txt is not installed")
gguf = pytest.importorskip("gguf", reason="models/nano/requirements.txt is not installed")

from models.nano import tokenizer as tokens  # noqa: E402
from models.nano import train  # noqa: E402
from models.nano.draw import Draw  # noqa: E402
from models.nano.export import export, tensors  # noqa: E402
from models.nano.mixture import MAKERS  # noqa: E402
from models.nano.network import Network, Shape  # noqa: E402

SMALL = Shape(vocabulary=600, width=64, layers=2, heads=2, hidden=96, context=256)


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tokenizer = tokens.learn(30, 1, 600)
    path = tmp_path_factory.mktemp("nano") / "tokenizer.json"
    tokenizer.save(str(path))
    return tokenizer, path


def test_no_text_is_unknown_and_marks_in_texts_stay_text(vocabulary: Any) -> None:
    tokenizer, _ = vocabulary
    for text in ("Crème brûlée 🧑‍🚀", "\x00\n", "日本語"):
        assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False).ids) == text
    sample = MAKERS["listen"](Draw(1))
    (item,) = tokens.encode(tokenizer, [sample], 0.1)
    assert [item.ids.count(tokenizer.token_to_id(mark)) for mark in tokens.MARKS] == [1, 1, 1, 1]
    assert len(item.ids) == len(item.weights)
    wanted = [i for i, w in zip(item.ids, item.weights, strict=True) if w == 1.0]
    assert tokenizer.decode(wanted) == sample.turns[0].reply


def test_the_first_heads_look_back_before_anything_is_learned() -> None:
    torch.manual_seed(0)
    network = Network(SMALL)
    block: Any = network.blocks[0]
    x = block.attention_norm(network.embedding(torch.randint(0, 600, (1, 40))))
    q, k, _ = block.qkv(x).view(1, 40, 3, 2, 32).permute(2, 0, 3, 1, 4)
    from models.nano.network import turn

    scores = turn(q, network.cos[:40], network.sin[:40]) @ turn(k, network.cos[:40], network.sin[:40]).transpose(-1, -2)
    nearest = scores.masked_fill(torch.triu(torch.ones(40, 40, dtype=torch.bool), 1), -1e9).argmax(-1)
    assert (nearest[0, 0, 5:] == torch.arange(4, 39)).float().mean() > 0.9


def test_training_stops_goes_on_and_learns(tmp_path: Path, vocabulary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tokenizer.json").write_bytes(vocabulary[1].read_bytes())
    plan = train.Plan(minutes=0.05, rows=2, length=255, warm_steps=5)
    train.train(plan, SMALL, tmp_path, 1)
    _, kept = train.load(tmp_path / "checkpoint.pt")
    assert kept["state"]["step"] > 0
    (tmp_path / "stop").touch()
    train.train(plan, SMALL, tmp_path, 1)
    assert train.load(tmp_path / "checkpoint.pt")[1]["state"]["step"] == kept["state"]["step"]
    assert not (tmp_path / "stop").exists()


@pytest.mark.parametrize("kind", ["f16", "q8_0"])
def test_the_file_holds_every_weight_and_the_chat_template(tmp_path: Path, vocabulary: Any, kind: str) -> None:
    network = Network(SMALL)
    target = tmp_path / f"{kind}.gguf"
    export(network, vocabulary[1], target, kind)
    reader = gguf.GGUFReader(target)
    assert {t.name for t in reader.tensors} == {name for name, _ in tensors(network, SMALL)}
    assert len(reader.tensors) == 2 + 12 * SMALL.layers
    assert reader.fields["tokenizer.chat_template"].contents() == tokens.CHAT_TEMPLATE
    assert reader.fields["general.architecture"].contents() == "qwen2"
