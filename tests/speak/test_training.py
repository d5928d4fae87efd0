"""npc-speak's network, its adapters and their file. Needs what models/speak/requirements.txt lists; skipped without."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="models/speak/requirements.txt is not installed")
pytest.importorskip("tokenizers", reason="models/speak/requirements.txt is not installed")
pytest.importorskip("gguf", reason="models/speak/requirements.txt is not installed")

from models.speak import adapter_file  # noqa: E402
from models.speak.network import Network, Shape  # noqa: E402
from models.speak.train import Plan, gradients, loss_of, rate_at  # noqa: E402
from models.speak.tree import pack  # noqa: E402

SHAPE = Shape(width=64, layers=2, heads=4, pairs=2, hidden=96, rope_base=10_000.0, eps=1e-5)
PAIRS = [([1, 2, 3, 4], [10, 11]), ([1, 2, 3, 5, 6], [12]), ([1, 2, 3, 5, 7, 8], [13, 14, 15])]


def made() -> dict[str, Any]:
    """The tensors of a small model."""
    torch.manual_seed(1)
    found: dict[str, Any] = {"token_embd.weight": torch.randn(40, 64), "output_norm.weight": torch.ones(64)}
    sizes = {"attn_q": (64, 64), "attn_k": (32, 64), "attn_v": (32, 64), "attn_output": (64, 64)}
    sizes |= {"ffn_gate": (96, 64), "ffn_up": (96, 64), "ffn_down": (64, 96)}
    for i in range(SHAPE.layers):
        found |= {f"blk.{i}.{name}.weight": torch.randn(size) * 0.1 for name, size in sizes.items()}
        found |= {f"blk.{i}.{name}.weight": torch.ones(64) for name in ("attn_norm", "ffn_norm")}
    return found


def network(rank: int = 4) -> Network:
    found = Network(SHAPE, made(), rank, 8.0, torch.float32)
    with torch.no_grad():
        for name, parameter in found.named_parameters():
            if name.endswith(".b"):
                parameter.normal_(std=0.1)
    return found


def test_a_packed_row_has_the_losses_of_its_prompts_one_by_one() -> None:
    net = network()
    apart = sum(loss_of(net, pack([pair]), "cpu").item() for pair in PAIRS)
    assert loss_of(net, pack(PAIRS), "cpu").item() == pytest.approx(apart, rel=1e-4)


def test_only_adapters_are_trained_and_at_first_they_change_nothing() -> None:
    net = network()
    assert {name.rpartition(".")[2] for name, _ in net.named_parameters()} == {"a", "b"}
    with torch.no_grad():
        before = loss_of(net, pack(PAIRS), "cpu").item()
        for name, parameter in net.named_parameters():
            if name.endswith(".b"):
                parameter.zero_()
        plain = loss_of(net, pack(PAIRS), "cpu").item()
        for name, parameter in net.named_parameters():
            if name.endswith(".a"):
                parameter.normal_()
        assert loss_of(net, pack(PAIRS), "cpu").item() == plain != before


def test_a_step_of_training_lowers_the_loss_and_two_workers_have_the_gradients_of_one() -> None:
    net, rows = network(), [pack(PAIRS), pack(PAIRS[1:])]
    with ThreadPoolExecutor(2) as pool:
        first = gradients(net, rows, "cpu", pool)
    both = [parameter.grad.clone() for parameter in net.parameters()]
    with ThreadPoolExecutor(1) as pool:
        gradients(net, rows, "cpu", pool)
        assert all(torch.allclose(a, b.grad, atol=1e-6) for a, b in zip(both, net.parameters(), strict=True))
        torch.optim.SGD(net.parameters(), lr=0.05).step()
        assert gradients(net, rows, "cpu", pool) < first


def test_adapters_come_back_from_their_file_with_the_progress_of_training(tmp_path: Path) -> None:
    net, other = network(), network()
    adapter_file.write(tmp_path / "x.gguf", net, {"step": 3, "used": {"talks": 5}})
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    assert adapter_file.read_into(tmp_path / "x.gguf", other) == {"step": 3, "used": {"talks": 5}}
    for (name, a), b in zip(net.named_parameters(), other.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-3), name


def test_adapters_of_another_rank_are_refused(tmp_path: Path) -> None:
    adapter_file.write(tmp_path / "x.gguf", network(rank=4), {})
    with pytest.raises(ValueError, match="rank 4"):
        adapter_file.read_into(tmp_path / "x.gguf", network(rank=8))


def test_the_learning_rate_rises_stays_and_falls() -> None:
    plan = Plan(minutes=10, rate=1.0, fall=0.5, warm_steps=4)
    assert [rate_at(plan, step, 0.0) for step in (0, 1, 3, 9)] == [0.25, 0.5, 1.0, 1.0]
    assert rate_at(plan, 99, 0.75) == pytest.approx(0.525)
    assert rate_at(plan, 99, 1.0) == pytest.approx(plan.floor)
    assert json.loads(json.dumps(rate_at(plan, 99, 1.2))) == pytest.approx(plan.floor)
