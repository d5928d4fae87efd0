"""The network, its vocabulary and its GGUF file. Needs what models/nano/requirements.txt lists; skipped without."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="models/nano/requirements.txt is not installed")
pytest.importorskip("tokenizers", reason="models/nano/requirements.txt is not installed")
gguf = pytest.importorskip("gguf", reason="models/nano/requirements.txt is not installed")

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: E402

from models.nano import curve, train  # noqa: E402
from models.nano import tokenizer as tokens  # noqa: E402
from models.nano.batches import LENGTHS, batches_of  # noqa: E402
from models.nano.checkpoint import load, save  # noqa: E402
from models.nano.draw import Draw  # noqa: E402
from models.nano.export import export, tensors  # noqa: E402
from models.nano.mixture import MAKERS  # noqa: E402
from models.nano.network import Network, Shape, attend  # noqa: E402
from models.nano.restore import NOT_BEGUN, restore  # noqa: E402

SMALL = Shape(vocabulary=600, width=64, layers=2, heads=4, hidden=96, sharing=2)


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer, tokenizer.decoder = tokens.digits_alone(), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=list(tokens.MARKS), initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(tokens.texts(30, 1), trainer)
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
    wanted = [(i, w) for i, w in zip(item.ids, item.weights, strict=True) if w >= 1.0]
    assert tokenizer.decode([i for i, _ in wanted]) == sample.turns[0].reply
    assert tokenizer.decode([i for i, w in wanted if w == tokens.ASKED]) == sample.turns[0].expect[0]


def test_training_stops_goes_on_and_learns(tmp_path: Path, vocabulary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tokenizer.json").write_bytes(vocabulary[1].read_bytes())
    plan = train.Plan(minutes=0.05, tokens=1024, warm_steps=5, rounded=True)
    with pytest.raises(FileNotFoundError, match=r"models\.nano\.base"):
        train.train(plan, tmp_path, 1, compiled=False)
    save(tmp_path / "checkpoint.pt", Network(SMALL), None, NOT_BEGUN)
    train.train(plan, tmp_path, 1, compiled=False)
    _, kept = load(tmp_path / "checkpoint.pt")
    assert kept["state"]["step"] > 0
    (tmp_path / "stop").touch()
    train.train(plan, tmp_path, 1, compiled=False)
    assert load(tmp_path / "checkpoint.pt")[1]["state"]["step"] == kept["state"]["step"]
    assert not (tmp_path / "stop").exists()


@pytest.mark.parametrize("kind", ["f16", "q8_0", "q4_0"])
def test_the_file_holds_every_weight_and_the_chat_template(tmp_path: Path, vocabulary: Any, kind: str) -> None:
    network = Network(SMALL)
    target = tmp_path / f"{kind}.gguf"
    export(network, vocabulary[1], target, kind)
    reader = gguf.GGUFReader(target)
    assert {t.name for t in reader.tensors} == {name for name, _ in tensors(network, SMALL)}
    assert len(reader.tensors) == 2 + 12 * SMALL.layers
    assert reader.fields["tokenizer.chat_template"].contents() == tokens.CHAT_TEMPLATE
    assert reader.fields["general.architecture"].contents() == "qwen2"


def test_a_file_is_read_back_as_it_was_written(tmp_path: Path, vocabulary: Any) -> None:
    tokenizer, path = vocabulary
    network = Network(SMALL)
    export(network, path, tmp_path / "f16.gguf", "f16", {"step": 3, "tokens": 12288.0, "samples": 40, "seconds": 7.5})
    again, words, state = restore(tmp_path / "f16.gguf")
    assert state == {"step": 3, "tokens": 12288, "samples": 40, "seconds": 7}
    for name, tensor in network.state_dict().items():
        assert torch.allclose(again.state_dict()[name], tensor, atol=2e-3), name
    for text in ("Mara saw Tobin at 19:30.", "Crème 🧑‍🚀\n- (yesterday) it rained", "<|end|> in a text"):
        assert words.encode(text).ids == tokenizer.encode(text).ids


def test_training_goes_on_from_a_file(tmp_path: Path, vocabulary: Any) -> None:
    export(Network(SMALL), vocabulary[1], tmp_path / "f16.gguf", "f16")
    train.start_from(tmp_path / "f16.gguf", tmp_path / "new")
    train.train(train.Plan(minutes=0.02, tokens=1024), tmp_path / "new", 1, compiled=False)
    assert load(tmp_path / "new" / "checkpoint.pt")[1]["state"]["samples"] > 0
    with pytest.raises(FileExistsError, match="another --folder"):
        train.start_from(tmp_path / "f16.gguf", tmp_path / "new")


def test_rows_of_a_batch_are_whole_samples_of_about_one_length_and_filling_counts_nothing(vocabulary: Any) -> None:
    tokenizer, _ = vocabulary
    end = tokens.MARKS.index(tokens.END)
    for ids, weights, _ in islice(batches_of(tokenizer, 7, 4096, 0.1, 200_000), 4):
        (length,) = {len(row) - 1 for row in ids}
        assert length in LENGTHS
        assert len(ids) * length <= 4096
        for row, weight in zip(ids, weights, strict=True):
            last = max(i for i, w in enumerate(weight) if w > 0)
            assert row.count(tokens.MARKS.index(tokens.SYSTEM)) == 1
            assert row[last] == end
            assert set(row[last + 1 :]) <= {end}


def test_the_state_of_some_positions_is_what_it_is_among_all() -> None:
    torch.manual_seed(0)
    network, ids, at = Network(SMALL), torch.randint(4, 600, (3, 40)), torch.tensor([0, 5, 41, 119, 5])
    with torch.no_grad():
        assert torch.allclose(network.hidden(ids, at), network.hidden(ids).reshape(-1, SMALL.width)[at], atol=1e-5)


@pytest.mark.parametrize("length", [50, 600])
def test_attention_in_plain_matrices_is_the_same_as_pytorchs_own(length: int) -> None:
    torch.manual_seed(0)
    ours, theirs = ([x.clone().requires_grad_() for x in torch.randn(3, 2, 4, length, 16).unbind()] for _ in range(2))
    for mine, other in zip(ours, theirs, strict=True):
        other.data.copy_(mine.data)
    mixed, known = attend(*ours), torch.nn.functional.scaled_dot_product_attention(*theirs, is_causal=True)
    assert torch.allclose(mixed, known, atol=1e-5)
    for result in (mixed, known):
        result.square().sum().backward()
    for mine, other in zip(ours, theirs, strict=True):
        assert torch.allclose(mine.grad, other.grad, atol=1e-4)


@pytest.mark.model
def test_the_curve_trains_each_size_from_the_same_sample_and_runs_it(
    tmp_path: Path, vocabulary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llama_cpp", reason="the server is not installed beside models/nano/requirements.txt")

    def begin(folder: Path, network: Network, words: Tokenizer, layers: int, hidden: int) -> None:
        folder.mkdir(parents=True)
        (folder / "tokenizer.json").write_bytes(vocabulary[1].read_bytes())
        save(folder / "checkpoint.pt", Network(replace(SMALL, layers=layers, hidden=hidden)), None, NOT_BEGUN)

    monkeypatch.setattr(curve, "begin", begin)
    monkeypatch.setattr(curve, "load_base", lambda wheel: (Network(SMALL), vocabulary[0]))
    small, large = curve.points([(1, 96), (3, 96)], 0.03, tmp_path, 3, compiled=False)
    assert small.parameters_m < large.parameters_m
    assert small.samples > 0
    assert 0 < small.loss < 10
    assert small.reply_tokens_s > 0
    assert curve.table([small, large]).count("\n") == 3
