"""What training keeps: the network, both optimizers, and how far it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from models.nano.network import Network, Shape

FOLDER = Path(__file__).parent / "checkpoints"


@dataclass(frozen=True)
class Optimizers:
    """Muon for the layers' matrices, which learns more from the same tokens; AdamW for the embedding, norms and biases."""

    matrices: torch.optim.Muon
    rest: torch.optim.AdamW

    def step(self, rate: float) -> None:
        for optimizer in (self.matrices, self.rest):
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)


def optimizers_of(network: Network, rate: float) -> Optimizers:
    matrices = [p for name, p in network.named_parameters() if p.ndim > 1 and name.startswith("blocks.")]
    narrow = [p for p in network.parameters() if p.ndim <= 1]
    rest = [{"params": [network.embedding.weight], "weight_decay": 0.1}, {"params": narrow, "weight_decay": 0.0}]
    return Optimizers(
        torch.optim.Muon(matrices, lr=rate, weight_decay=0.1, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.95), fused=True),
    )


def save(path: Path, network: Network, optimizers: Optimizers, state: dict[str, float]) -> None:
    part = path.with_suffix(".part")
    kept = {"matrices": optimizers.matrices.state_dict(), "rest": optimizers.rest.state_dict()}
    torch.save({"shape": asdict(network.shape), "weights": network.state_dict(), "optimizers": kept, "state": state}, part)
    part.replace(path)


def load(path: Path) -> tuple[Network, dict[str, Any]]:
    kept = torch.load(path, map_location="cpu", weights_only=True)
    network = Network(Shape(**kept["shape"]))
    network.load_state_dict(kept["weights"])
    return network, kept
